/**
 * Code that runs again when its transaction is repeated, and calls that end a transaction too early. What endpoints read and
 * write is known of the whole program only, so this comes behind the check.
 */

import { definitionFromProgram } from './define/definition-from-program.ts';
import { endpointIds } from './define/entrypoints.ts';
import { accessesIn } from './definition/accesses.ts';
import type { Definition } from './definition/definition.ts';
import type { Endpoint } from './definition/endpoint.ts';
import { endpointIn, isOwnCode } from './definition/lookup.ts';
import { memoized } from './definition/memo.ts';
import { serializableEndpoints } from './definition/serializable.ts';
import { type Job, jobEndpoint, jobsByName } from './definition/work.ts';
import type { Diagnostics } from './diagnostics/diagnostics.ts';
import type * as program from './program/program.ts';
import type { Action, Program } from './program/program.ts';
import type { FileText } from './source/source-file.ts';

export const definitionOf = memoized(definitionFromProgram);

/** The endpoint as the definition has it. */
export function definedAs(endpoint: program.Endpoint, whole: Program): Endpoint {
  return endpointIn(definitionOf(whole), endpointIds(whole.endpoints).get(endpoint) as string) as Endpoint;
}

export function reportRepeatedEffects(program: Program, fileText: FileText, report: Diagnostics['report']): void {
  const found = [...program.endpoints, ...program.jobs].flatMap((owner) =>
    owner.actions.flatMap((action, at) =>
      action.kind === 'service-call' || mayHaveEffects(action, fileText) ? [{ owner, action, at }] : [],
    ),
  );
  // Most programs have none, and then there is nothing to work out.
  if (found.length === 0) return;
  const definition = definitionOf(program);
  const serializable = serializableEndpoints(definition);
  const jobs = jobsByName(definition);
  for (const { owner, action, at } of found) {
    const isJob = 'retry' in owner;
    const endpoint = isJob ? jobEndpoint(jobs.get(owner.name) as Job) : definedAs(owner, program);
    const losesRule = () => writesWhatRulesRead(endpoint, at, definition);
    if (action.kind === 'execute') {
      const instead = losesRule() ? 'write-first' : action.responds ? 'respond' : 'call';
      if (serializable.has(endpoint.id))
        report('effect-may-repeat', action.head, { word: action.head, instead, of: isJob ? 'try' : 'request' });
    } else if (losesRule()) report('rule-before-call', action.head, {});
  }
}

/** Whether a call here would let other requests pass the rules in front of it, before the write behind it is made. */
function writesWhatRulesRead(endpoint: Endpoint, at: number, definition: Definition): boolean {
  const { records, actions, request } = endpoint;
  const accesses = accessesIn(definition);
  const { items } = accesses.readsOf({ ...endpoint, actions: actions.slice(0, at) });
  const behind = actions.slice(at + 1).filter((action) => !('onFailure' in action));
  const reads = accesses.readsOf({
    ...endpoint,
    records: records.map(({ only: _, ...record }) => record),
    authorize: [],
    request: { ...request, inputs: [] },
    actions: [...actions.filter(({ kind }) => kind === 'query'), ...behind.filter(isRule)],
  });
  const writes = (written: Endpoint['actions']) =>
    accesses.writesOf({ ...endpoint, actions: written }, { ...reads, writtenByCode: [] });
  const { inserts, changes } = writes(behind);
  // What is changed on both sides of the call is what the rule counts meanwhile, such as a status.
  const before = new Set(writes(actions.slice(0, at)).changes);
  const unseen = [...inserts, ...[...changes].filter((item) => !before.has(item))];
  return unseen.some((item) => items.has(item) && !reads.items.has(item));
}

function isRule({ kind }: { readonly kind: string }): boolean {
  return kind === 'validate' || kind === 'refuse';
}

/** Inline code sees only its arguments. Code that uses `db` belongs in the transaction. */
function mayHaveEffects(action: Action, fileText: FileText): action is Extract<Action, { readonly kind: 'execute' }> {
  if (action.kind !== 'execute' || action.hook.code.kind !== 'source') return false;
  if (isOwnCode(action.hook.code)) return false;
  return !/\bdb\b/.test((fileText(action.hook.code.file) ?? '').replace(NO_CODE, ''));
}

/** Comments, and texts without parts that are code. */
const NO_CODE = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
