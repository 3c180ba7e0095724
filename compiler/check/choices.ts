/**
 * Choices of clients: which record they choose, by a value or by the path of the request, and whether anything checks
 * it.
 */

import { chainOf } from '../program/endpoint-path.ts';
import { pathsIn, pathsInHook, pathsInQuery, pathsInValidation, writeOf } from '../program/parts.ts';
import type {
  Action,
  Assignment,
  Create,
  Each,
  Endpoint,
  EndpointKind,
  Expression,
  Field,
  Input,
  Model,
  Path,
  QueryAction,
  Root,
  Selected,
  Step,
  Variable,
} from '../program/program.ts';
import { mayPrevent } from './jobs-written-out.ts';
import { isAlways, isForAnybody, isOfCaller } from './rules.ts';
import { writtenOut } from './rules-written-out.ts';

/** The client's choice of a record. */
export type Choice =
  /** The client sends a value, which a query may use to find the record. */
  | { readonly by: 'input'; readonly input: Input; readonly query: QueryAction | undefined }
  /** The path of the request names the record. */
  | { readonly by: 'path'; readonly variable: Variable };

/** A name with this sign is Kiln's own: the author gave none. */
export function aliasOf({ name }: Variable): string | undefined {
  return name.includes('#') ? undefined : name;
}

export function factsOf(choice: Choice) {
  if (choice.by === 'path') return { by: choice.by, alias: aliasOf(choice.variable) } as const;
  return { by: choice.by, input: choice.input.path.join('.'), isExtra: choice.input.field === undefined } as const;
}

export function choiceOf(value: Expression, endpoint: Actions, each: Each | undefined): Choice | undefined {
  return choicesIn(value, endpoint, each)[0];
}

function choicesIn(value: Expression, endpoint: Actions, each: Each | undefined): readonly Choice[] {
  const inputs = inputsIn(value, each).map((input) => ({ by: 'input', input, query: undefined }) as const);
  const records = pathsIn(value).flatMap((path) => choiceOfRecord(path, endpoint) ?? []);
  return [...inputs, ...records];
}

type Actions = Pick<Endpoint, 'entrypoint' | 'actions'>;

/**
 * The choice behind a record or its id. A value that is read from another record was chosen when that record was
 * written.
 */
function choiceOfRecord({ root, steps }: Path, { entrypoint, actions }: Actions): Choice | undefined {
  if (root.kind !== 'variable' || !steps.every(isId)) return undefined;
  const { variable } = root;
  if (chainOf(entrypoint).some((each) => each.variable === variable)) return { by: 'path', variable };
  const found = actions.find((action) => action.kind === 'create' && action.variable === variable && action.onConflict);
  if (found?.kind === 'create') return choiceOfKey(found);
  const query = queryOf(variable, { actions });
  if (!query) return undefined;
  const roots = pathsInQuery(query.query).map(({ root }) => root);
  const [input] = roots.flatMap((root) => (root.kind === 'input' ? [root.input] : []));
  return input && !roots.some(({ kind }) => kind === 'auth') ? { by: 'input', input, query } : undefined;
}

/** The query that has found the record. */
export function queryOf(variable: Variable, { actions }: Pick<Endpoint, 'actions'>): QueryAction | undefined {
  return actions.find((action): action is QueryAction => action.kind === 'query' && action.variable === variable);
}

/** `create User or keep` finds the user who has the key that the client sends. */
function choiceOfKey({ values, onConflict, each }: Create): Choice | undefined {
  const key = values.filter(({ field }) => onConflict?.key.includes(field));
  const [input] = key.flatMap(({ value }) => inputsIn(value, each));
  return input && { by: 'input', input, query: undefined };
}

/** Whether a rule or another action checks the client's choice: a validation, a query, a hook. */
export function isChecked(endpoint: Endpoint, write: Action, choice: Choice): boolean {
  return isChosenIn(endpoint.authorize.flatMap(pathsIn), choice) || isCheckedByActions(endpoint, write, choice);
}

export function isCheckedByActions({ actions }: Endpoint, write: Action, choice: Choice): boolean {
  const at = actions.indexOf(write);
  // A call behind the write cannot prevent it, nor can what is done when the call has failed.
  const others = actions.filter(
    (action, place) =>
      place !== at &&
      !(choice.by === 'input' && action === choice.query) &&
      !action.onFailure &&
      mayPrevent(action, write) &&
      !(action.kind === 'service-call' && place > at),
  );
  return others.some((action) => {
    const paths = mentionedIn(action);
    // A hook may only want to know what was written.
    const stored = action.kind === 'execute' ? [] : paths.flatMap((path) => storedBehind(path, write));
    return isChosenIn([...paths, ...stored], choice);
  });
}

function isChosenIn(paths: readonly Path[], choice: Choice): boolean {
  return paths.some(({ root }) => isChosen(root, choice));
}

/** What the write has stored where a path from its record begins: `made.note_id` and `made.note` are the input `note_id`. */
function storedBehind({ root, steps: [first] }: Path, write: Action): readonly Path[] {
  if ((write.kind !== 'create' && write.kind !== 'update') || !isVariable(root, write.variable)) return [];
  const stored = write.values.find(({ field }) => first && (field === first || field.reference === first));
  return stored ? pathsIn(stored.value) : [];
}

function isChosen(root: Root, choice: Choice): boolean {
  if (choice.by === 'path') return root.kind === 'variable' && root.variable === choice.variable;
  if (root.kind === 'variable') return choice.query !== undefined && root.variable === choice.query.variable;
  return root.kind === 'input' && root.input === choice.input;
}

function mentionedIn(action: Action): readonly Path[] {
  switch (action.kind) {
    case 'validate':
      return pathsInValidation(action.validation);
    case 'refuse':
      return action.when ? pathsIn(action.when) : [];
    case 'query':
      return mentionedInQuery(action);
    case 'execute':
    case 'service-call':
      return pathsInHook(action.hook);
    default:
      return [];
  }
}

/** A record that an input names is found whoever may use it. A query may look for the caller below a chosen record. */
function mentionedInQuery({ query, does }: QueryAction): readonly Path[] {
  if (does.kind === 'find') return [];
  const paths = pathsInQuery(query);
  const isAsked = query.root && (does.kind === 'select' || does.kind === 'count') && paths.some(isOfCaller);
  return isAsked ? [...paths, { kind: 'path', root: query.root, steps: query.steps } as Path] : paths;
}

// ── What actions store ──────────────────────────────────────────────────────────────────────────────────────────────

// Values that actions store, and those that clients send.

export type Stored = Pick<Assignment, 'field' | 'value'>;

export function assignmentsOf(action: Action): readonly Stored[] {
  return writeOf(action)?.values ?? [];
}

export interface Sent {
  readonly field: Field;
  readonly choice: Choice;
  /** Whether the client sends the value or names the record, and neither the path nor a query finds it. */
  readonly isGiven: boolean;
  /** Whether it is a field of the caller's own record: `update @auth { … }`. */
  readonly isOfCaller: boolean;
  readonly action: Action;
}

/** The fields that the endpoint stores a client's choice in, whether as it comes or within an expression. */
export function sentFields(endpoint: Actions): readonly Sent[] {
  return endpoint.actions.flatMap((action) =>
    assignmentsOf(action).flatMap(({ field, value }) => {
      const inputs = inputsIn(value, action.each);
      const isOfCaller = changesCaller(action);
      return choicesIn(value, endpoint, action.each).map((choice) => {
        const isGiven = choice.by === 'input' && (choice.query?.does.kind === 'find' || inputs.includes(choice.input));
        return { field, choice, isGiven, isOfCaller, action };
      });
    }),
  );
}

function changesCaller(action: Action): boolean {
  if (action.kind !== 'update' || action.target.kind !== 'path') return false;
  return action.target.root.kind === 'auth' && action.target.steps.length === 0;
}

/** An item of a list is what the client has sent, too. */
export function inputsIn(value: Expression, each?: Each): readonly Input[] {
  // The stored value is a hash: it is not what the client sent, and never the same twice.
  if (value.kind === 'call' && value.function === 'cryptoHash') return [];
  return sentIn(value, each);
}

/** The inputs in a value, also where only a hash of them is stored. */
export function sentIn(value: Expression, each?: Each): readonly Input[] {
  return pathsIn(value).flatMap(({ root }) => {
    if (root.kind === 'variable' && each && root.variable === each.variable) return inputsIn(each.list);
    return root.kind === 'input' ? [root.input] : [];
  });
}

// ── Who reads ───────────────────────────────────────────────────────────────────────────────────────────────────────

// The readers of the records of a model, and the other records that a writing endpoint shows in its response.

/**
 * Whether everybody who is signed in may read each record of a model, or rules limit that. A model that no endpoint
 * reads has no entry.
 */
export type Readers = ReadonlyMap<Model, 'all' | 'some'>;

export const READS: readonly EndpointKind[] = ['get', 'list'];

/** The readers, or those who may use endpoints of other kinds. */
export function readersOf(endpoints: readonly Endpoint[], kinds = READS): Readers {
  const readers = new Map<Model, 'all' | 'some'>();
  for (const endpoint of endpoints) {
    if (!kinds.includes(endpoint.kind)) continue;
    const { model } = endpoint.entrypoint;
    if (isForAll(endpoint)) readers.set(model, 'all');
    else if (!readers.has(model) && rulesOf(endpoint).flatMap(pathsIn).some(isOfCaller)) readers.set(model, 'some');
  }
  return readers;
}

export function rulesOf({ authorize, list }: Endpoint): readonly Expression[] {
  return list?.filter ? [...authorize, list.filter] : authorize;
}

/** Tells whether an endpoint is open to everybody. An entrypoint of the caller has only the caller's own records. */
function isForAll({ authorize, list, entrypoint }: Endpoint): boolean {
  const isOpen = authorize.every((guard) => isAlways(guard) || isForAnybody(guard));
  return isOpen && !list?.filter && !entrypoint.isCaller && !entrypoint.parent?.isCaller;
}

// ── What an answer shows ────────────────────────────────────────────────────────────────────────────────────────────

/** Whether the response shows more of the created record than its key. */
export function isAnswered({ answer, response, actions }: Endpoint, { variable, onConflict }: Create): boolean {
  const isKey = ([first, ...others]: readonly (Step | undefined)[]) =>
    first?.kind === 'field' && others.length === 0 && (isId(first) || onConflict?.key.includes(first));
  if (answer === variable && (response ?? []).some((selected) => !stepsShown(selected).every(isKey))) return true;
  return actions.some((action) => respondedPaths(action).some(({ root }) => isVariable(root, variable)));
}

/** The part of the record behind `field` that the response shows, as its author writes it: `note`, `note.text`. */
export function shownOf(endpoint: Endpoint, action: Action, field: Field): string | undefined {
  if (endpoint.method === 'GET' || (action.kind !== 'create' && action.kind !== 'update')) return undefined;
  const { answer, response, actions } = endpoint;
  const selected = answer === action.variable ? (response ?? []).flatMap(stepsShown) : [];
  const responded = actions
    .flatMap(respondedPaths)
    .filter(({ root }) => isVariable(root, action.variable))
    .map(({ steps, type }) => (type.base.kind === 'record' ? [...steps, undefined] : steps));
  const found = [...selected, ...responded].find(
    ([first, second]) => first && first === field.reference && !isId(second),
  );
  return found?.flatMap((step) => step?.name ?? []).join('.');
}

/** The key itself is what the client has sent. */
function isId(step: Step | undefined): boolean {
  return step?.kind === 'field' && step.origin === 'id';
}

/** The steps to each value; a whole record ends in a step without a name. */
function stepsShown(selected: Selected): readonly (readonly (Step | undefined)[])[] {
  if (selected.kind === 'hook') return [];
  if (selected.kind === 'value')
    return pathsIn(writtenOut(selected.value)).flatMap(({ root, steps }) => (root.kind === 'row' ? [steps] : []));
  if (selected.root.kind !== 'row') return [];
  const inner = selected.select.flatMap(stepsShown);
  return inner.map((steps) => [...selected.steps, ...steps]);
}

/** The part of a record that an input names which the endpoint answers: `note`, `note.text`. */
export function answeredOf({ response = [], actions }: Endpoint, variable: Variable): string | undefined {
  const read = response.flatMap((selected) => (selected.kind === 'value' ? pathsIn(writtenOut(selected.value)) : []));
  const paths = [...read, ...actions.flatMap(respondedPaths)];
  const found = paths.find(({ root, steps: [first] }) => isVariable(root, variable) && !isId(first));
  return found && [variable.name, ...found.steps.map(({ name }) => name)].join('.');
}

function respondedPaths(action: Action): readonly Path[] {
  return action.kind === 'respond' && action.body ? pathsIn(writtenOut(action.body)) : [];
}

function isVariable(root: Path['root'], variable: Create['variable']): boolean {
  return root.kind === 'variable' && root.variable === variable;
}
