/** Who may read the records of a model, and what of other records an endpoint that writes shows in its answer. */
import { pathsIn } from '../program/paths-in.ts';
import type { Action, Create, Endpoint, Expression, Field, Model, Path, Selected, Step } from '../program/program.ts';
import { isAlways, isForAnybody } from './privileges.ts';
import { writtenOut } from './program-rules-written-out.ts';
import { isOfCaller } from './ties.ts';

/** Whether all who are signed in may read each record of a model, or rules say who may. Nothing where no endpoint reads it. */
export type Readers = ReadonlyMap<Model, 'all' | 'some'>;

export function readersOf(endpoints: readonly Endpoint[]): Readers {
  const readers = new Map<Model, 'all' | 'some'>();
  for (const endpoint of endpoints) {
    if (endpoint.kind !== 'get' && endpoint.kind !== 'list') continue;
    const { model } = endpoint.entrypoint;
    if (isForAll(endpoint)) readers.set(model, 'all');
    else if (!readers.has(model) && rulesOf(endpoint).flatMap(pathsIn).some(isOfCaller)) readers.set(model, 'some');
  }
  return readers;
}

function rulesOf({ authorize, list }: Endpoint): readonly Expression[] {
  return list?.filter ? [...authorize, list.filter] : authorize;
}

/** Below a parent only the records of that parent are there. */
function isForAll({ authorize, list, entrypoint }: Endpoint): boolean {
  const isOpen = authorize.every((guard) => isAlways(guard) || isForAnybody(guard));
  return isOpen && !list?.filter && !entrypoint.isCaller && !entrypoint.parent?.isCaller;
}

// ── What an answer shows ────────────────────────────────────────────────────────────────────────────────────────────

/** Whether more of the record of a create is in the answer than its key. */
export function isAnswered({ answer, response, actions }: Endpoint, { variable, onConflict }: Create): boolean {
  const isKey = ([first, ...others]: readonly (Step | undefined)[]) =>
    first?.kind === 'field' && others.length === 0 && (isId(first) || onConflict?.key.includes(first));
  if (answer === variable && (response ?? []).some((selected) => !stepsShown(selected).every(isKey))) return true;
  return actions.some((action) => respondedPaths(action).some(({ root }) => isVariable(root, variable)));
}

/** What the answer shows of the record that `field` refers to, as its author writes it: `note`, `note.text`. */
export function shownOf(endpoint: Endpoint, action: Action, field: Field): string | undefined {
  if (endpoint.method === 'GET' || (action.kind !== 'create' && action.kind !== 'update')) return undefined;
  const { answer, response, actions } = endpoint;
  const selected = answer === action.variable ? (response ?? []).flatMap(stepsShown) : [];
  const responded = actions
    .flatMap(respondedPaths)
    .filter(({ root }) => isVariable(root, action.variable))
    .map(({ steps, type }) => (type.base.kind === 'record' ? [...steps, undefined] : steps));
  const found = [...selected, ...responded].find(([first, second]) => isBehind(field, first) && !isId(second));
  return found?.flatMap((step) => step?.name ?? []).join('.');
}

function isBehind({ reference }: Field, first: Step | undefined): boolean {
  return first !== undefined && first === reference;
}

/** The key itself is what the client has sent. */
function isId(step: Step | undefined): boolean {
  return step?.kind === 'field' && step.origin === 'id';
}

/** The steps to each value; a record as a whole ends in something that has no name. */
function stepsShown(selected: Selected): readonly (readonly (Step | undefined)[])[] {
  if (selected.kind === 'hook') return [];
  if (selected.kind === 'value')
    return pathsIn(writtenOut(selected.value))
      .filter(isOfRow)
      .map(({ steps }) => steps);
  if (selected.root.kind !== 'row') return [];
  const inner = selected.select.flatMap(stepsShown);
  return inner.map((steps) => [...selected.steps, ...steps]);
}

function isOfRow({ root }: Path): boolean {
  return root.kind === 'row';
}

function respondedPaths(action: Action): readonly Path[] {
  return action.kind === 'respond' && action.body ? pathsIn(writtenOut(action.body)) : [];
}

function isVariable(root: Path['root'], variable: Create['variable']): boolean {
  return root.kind === 'variable' && root.variable === variable;
}
