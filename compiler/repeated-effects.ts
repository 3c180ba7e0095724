/**
 * Code that runs again when its transaction is repeated. Which transactions conflict with others is known of the whole
 * program only, so this comes behind the check.
 */

import { definitionFromProgram } from './define/definition-from-program.ts';
import { endpointIds } from './define/entrypoints.ts';
import { memoized } from './definition/memo.ts';
import { serializableEndpoints } from './definition/serializable.ts';
import type { Diagnostics } from './diagnostics/diagnostics.ts';
import type { Action, Program } from './program/program.ts';
import type { FileText } from './source/source-file.ts';

export const definitionOf = memoized(definitionFromProgram);

export function reportRepeatedEffects(program: Program, fileText: FileText, report: Diagnostics['report']): void {
  const found = program.endpoints.flatMap((endpoint) =>
    endpoint.actions.flatMap((action) => (mayHaveEffects(action, fileText) ? [{ endpoint, action }] : [])),
  );
  // Most programs have none, and then there is nothing to work out.
  if (found.length === 0) return;
  const ids = endpointIds(program.endpoints);
  const serializable = serializableEndpoints(definitionOf(program));
  for (const { endpoint, action } of found)
    if (serializable.has(ids.get(endpoint) as string))
      report('effect-may-repeat', action.head, { word: action.responds ? undefined : action.head });
}

type Execute = Extract<Action, { readonly kind: 'execute' }>;

/** Inline code sees only its arguments. Code that uses `db` belongs in the transaction. */
function mayHaveEffects(action: Action, fileText: FileText): action is Execute {
  if (action.kind !== 'execute' || action.hook.code.kind !== 'source') return false;
  return !/\bdb\b/.test(fileText(action.hook.code.file) ?? '');
}
