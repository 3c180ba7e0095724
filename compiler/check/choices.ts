/** What a client chooses: which record it is, by a value or by the path of the request, and whether anything looks at that. */
import { pathsIn, pathsInHook, pathsInQuery, pathsInValidation } from '../program/paths-in.ts';
import type {
  Action,
  Create,
  Each,
  Endpoint,
  Entrypoint,
  Input,
  Path,
  QueryAction,
  Root,
  Variable,
} from '../program/program.ts';
import { inputsIn, type Stored } from './assignments.ts';

/** How a client says which record it is. */
export type Choice =
  /** By a value, which may find the record in a query. */
  | { readonly by: 'input'; readonly input: Input; readonly query: QueryAction | undefined }
  /** By the path of the request. */
  | { readonly by: 'path'; readonly variable: Variable };

/** A name with this sign is Kiln's own: the author gave none. */
export function aliasOf({ name }: Variable): string | undefined {
  return name.includes('#') ? undefined : name;
}

export function factsOf(choice: Choice) {
  if (choice.by === 'path') return { by: choice.by, alias: aliasOf(choice.variable) } as const;
  return { by: choice.by, input: choice.input.path.join('.'), isExtra: choice.input.field === undefined } as const;
}

export function choiceOf(value: Stored['value'], endpoint: Endpoint, each: Each | undefined): Choice | undefined {
  const [input] = inputsIn(value, each);
  if (input) return { by: 'input', input, query: undefined };
  return value.kind === 'path' && value.root.kind === 'variable'
    ? choiceOfRecord(value, value.root.variable, endpoint)
    : undefined;
}

/** The record itself or its id. What is read from another record was chosen when that was written. */
function choiceOfRecord({ steps }: Path, variable: Variable, { entrypoint, actions }: Endpoint): Choice | undefined {
  if (steps.some((step) => step.kind !== 'field' || step.origin !== 'id')) return undefined;
  if (isOnTheWay(variable, entrypoint)) return { by: 'path', variable };
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

function isOnTheWay(variable: Variable, entrypoint: Entrypoint | undefined): boolean {
  if (!entrypoint) return false;
  return entrypoint.variable === variable || isOnTheWay(variable, entrypoint.parent);
}

/** Whether a rule or another action looks at what the client has chosen: a validation, a query, a hook. */
export function isChecked(endpoint: Endpoint, write: Action, choice: Choice): boolean {
  return isChosenIn(endpoint.authorize.flatMap(pathsIn), choice) || isCheckedByActions(endpoint, write, choice);
}

export function isCheckedByActions({ actions }: Endpoint, write: Action, choice: Choice): boolean {
  const others = actions.filter((action) => action !== write && !(choice.by === 'input' && action === choice.query));
  return isChosenIn(others.flatMap(mentionedIn), choice);
}

function isChosenIn(paths: readonly Path[], choice: Choice): boolean {
  return paths.some(({ root }) => isChosen(root, choice));
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
    case 'query':
      return pathsInQuery(action.query);
    case 'execute':
      return pathsInHook(action.hook);
    default:
      return [];
  }
}
