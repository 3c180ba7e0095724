/**
 * Definition in, every use of a hook that has a source out, in the order of the definition. A hook can stand wherever
 * code runs, so the definition is searched as the tree of JSON that it is.
 */
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Action, Endpoint } from '../../compiler/definition/endpoint.ts';
import type { Hook, HookResult, Read, Selected } from '../../compiler/definition/expression.ts';
import { isOwnCode, nodesIn } from '../../compiler/definition/lookup.ts';
import { workEndpoints } from '../../compiler/definition/work.ts';

export interface SourceHook {
  /** Relative to the project's folder. */
  readonly file: string;
  readonly export: string;
  readonly arguments: Hook['arguments'];
  readonly returns: Hook['returns'];
  /** The members of the records that the arguments may name. */
  readonly selections: Selections;
}

/** The selected members of records, or the declared result of another hook, by `selectionKey`. */
export type Selections = ReadonlyMap<string, readonly Selected[] | HookResult>;

export function sourceHooks(definition: Definition): readonly SourceHook[] {
  const { endpoints, jobs: _, ...rest } = definition;
  const parts = Object.values(rest).flatMap((part) => part as object | readonly object[]);
  return [
    ...parts.flatMap((part) => collected(part, () => NO_SELECTIONS)),
    ...[...endpoints, ...workEndpoints(definition)].flatMap((each) => collected(each, () => selectionsOf(each))),
  ];
}

function collected(part: object, selections: () => Selections): readonly SourceHook[] {
  return nodesIn<Hook>(part, isHook).flatMap(({ code, arguments: given, returns }) => {
    if (code.kind !== 'source' || isOwnCode(code)) return [];
    return [{ file: code.file, export: code.export, arguments: given, returns, selections: selections() }];
  });
}

/** The key of its function in the bundle. */
export function hookKey({ file, export: name }: Pick<SourceHook, 'file' | 'export'>): string {
  return `${file}#${name}`;
}

/** `read` is null for a result as it is. */
export function selectionKey(record: string, read: string | null): string {
  return JSON.stringify([record, read]);
}

const NO_SELECTIONS: Selections = new Map();

/** A check of a validation has a `code` too, which is a text. */
function isHook(part: object): part is Hook {
  return 'arguments' in part && 'code' in part && typeof part.code === 'object';
}

function selectionsOf({ authReads, records, actions }: Endpoint): Selections {
  return new Map([
    ...readsOf('@auth', authReads),
    ...records.flatMap(({ record, reads }) => readsOf(record, reads)),
    ...actions.flatMap(selectionsOfAction),
  ]);
}

type Selection = readonly [key: string, select: readonly Selected[] | HookResult];

function readsOf(record: string, reads: readonly Read[]): readonly Selection[] {
  return reads.flatMap((read) => (read.kind === 'records' ? [[selectionKey(record, read.name), read.select]] : []));
}

function selectionsOfAction(action: Action): readonly Selection[] {
  if (action.kind === 'create' || action.kind === 'update') return readsOf(action.record, action.reads);
  if ('hook' in action && action.record !== null && action.hook.returns)
    return [[selectionKey(action.record, null), action.hook.returns]];
  if (action.kind !== 'query' || action.record === null) return [];
  if (action.does.kind === 'find') return readsOf(action.record, action.does.reads);
  if (action.does.kind !== 'select') return [];
  const { select, reads } = action.does;
  return [[selectionKey(action.record, null), select], ...readsOf(action.record, reads)];
}
