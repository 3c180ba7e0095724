/** A client that names a user may name somebody else, such as the author of what it writes. */
import { pathsIn, pathsInHook, pathsInQuery, pathsInValidation } from '../program/paths-in.ts';
import type {
  Action,
  Auth,
  Endpoint,
  Entrypoint,
  Input,
  Path,
  QueryAction,
  Root,
  Variable,
} from '../program/program.ts';
import { assignmentsOf, inputsIn, type Stored } from './assignments.ts';
import type { Context } from './context.ts';

/** How a client says which user it is. */
type Choice =
  /** By a value, which may find the user in a query. */
  | { readonly by: 'input'; readonly input: Input; readonly query: QueryAction | undefined }
  /** By the path of the request. */
  | { readonly by: 'path'; readonly variable: Variable };

/** The rules of the endpoint ask for no more than who the caller is. */
export function reportForeignRecords(context: Context, endpoint: Endpoint, auth: Auth): void {
  for (const action of endpoint.actions) {
    for (const { field, value } of assignmentsOf(action)) {
      const { reference } = field;
      const choice = reference?.to === auth.model ? choiceOf(value, endpoint) : undefined;
      if (!reference || !choice || isMeant(endpoint, action, choice, auth)) continue;
      if (isChecked(endpoint, action, choice)) continue;
      context.report('foreign-record', endpoint.span, {
        reference: reference.name,
        model: auth.model.name,
        does: action.kind === 'create' ? 'create' : 'update',
        ...factsOf(choice),
      });
    }
  }
}

function factsOf(choice: Choice) {
  if (choice.by === 'input')
    return { by: choice.by, input: choice.input.path.join('.'), isExtra: choice.input.field === undefined } as const;
  // A name with this sign is Kiln's own: the author gave none.
  const { name } = choice.variable;
  return { by: choice.by, alias: name.includes('#') ? undefined : name } as const;
}

function choiceOf(value: Stored['value'], endpoint: Endpoint): Choice | undefined {
  const [input] = inputsIn(value);
  if (input) return { by: 'input', input, query: undefined };
  return value.kind === 'path' && value.root.kind === 'variable'
    ? choiceOfRecord(value, value.root.variable, endpoint)
    : undefined;
}

/** The record itself or its id. What is read from another record was chosen when that was written. */
function choiceOfRecord({ steps }: Path, variable: Variable, { entrypoint, actions }: Endpoint): Choice | undefined {
  if (steps.some((step) => step.kind !== 'field' || step.origin !== 'id')) return undefined;
  if (isOnTheWay(variable, entrypoint)) return { by: 'path', variable };
  const query = actions.find((action) => action.kind === 'query' && action.variable === variable);
  if (query?.kind !== 'query') return undefined;
  const roots = pathsInQuery(query.query).map(({ root }) => root);
  const [input] = roots.flatMap((root) => (root.kind === 'input' ? [root.input] : []));
  return input && !roots.some(({ kind }) => kind === 'auth') ? { by: 'input', input, query } : undefined;
}

function isOnTheWay(variable: Variable, entrypoint: Entrypoint | undefined): boolean {
  if (!entrypoint) return false;
  return entrypoint.variable === variable || isOnTheWay(variable, entrypoint.parent);
}

/** The record says already who made it, or belongs to the caller, and the author lists whom else it is about. */
function isMeant({ authorize }: Endpoint, action: Action, choice: Choice, { model }: Auth): boolean {
  if (action.kind !== 'create') return authorize.length > 0 && (choice.by === 'path' || choice.input.named);
  return action.values.some(
    ({ field, value }) => field.reference?.to === model && value.kind === 'path' && value.root.kind === 'auth',
  );
}

/** Whether a rule or another action looks at what the client has chosen: a validation, a query, a hook. */
function isChecked({ authorize, actions }: Endpoint, write: Action, choice: Choice): boolean {
  const others = actions.filter((action) => action !== write && !(choice.by === 'input' && action === choice.query));
  const seen = [...authorize.flatMap(pathsIn), ...others.flatMap(mentionedIn)];
  return seen.some(({ root }) => isChosen(root, choice));
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
