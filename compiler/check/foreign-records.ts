/**
 * A client that names a user may name somebody else, such as the author of what it writes, or change the record of
 * somebody else. What rules compare with the caller says whose a record is too: `note.team is @auth.team`.
 */
import { pathsIn, pathsInHook, pathsInQuery, pathsInValidation } from '../program/paths-in.ts';
import type {
  Action,
  Auth,
  Create,
  Each,
  Endpoint,
  Entrypoint,
  Expression,
  Field,
  Input,
  Operation,
  Path,
  QueryAction,
  Root,
  Variable,
} from '../program/program.ts';
import { assignmentsOf, eachOf, inputsIn, type Stored } from './assignments.ts';
import type { Context } from './context.ts';

/** How a client says which user it is. */
type Choice =
  /** By a value, which may find the user in a query. */
  | { readonly by: 'input'; readonly input: Input; readonly query: QueryAction | undefined }
  /** By the path of the request. */
  | { readonly by: 'path'; readonly variable: Variable };

/** The rules of the endpoint ask for no more than who the caller is. */
export function reportForeignRecords(context: Context, endpoint: Endpoint, auth: Auth, owners: Owners): void {
  for (const action of endpoint.actions) {
    if (changesAnybody(endpoint, action, auth)) reportAnybody(context, endpoint, action, auth);
    if (changesByKey(endpoint, action, auth, owners)) reportByKey(context, endpoint, action, auth, owners);
    for (const { field, value } of assignmentsOf(action)) {
      const owner = field.reference?.to === auth.model ? '@auth' : owners.get(field);
      const choice = owner && choiceOf(value, endpoint, eachOf(action));
      if (!owner || !choice || isMeant(endpoint, action, choice, auth)) continue;
      if (isChecked(endpoint, action, choice)) continue;
      context.report('foreign-record', endpoint.span, {
        reference: nameOf(field),
        model: field.reference?.to === auth.model ? auth.model.name : undefined,
        owner,
        does: action.kind === 'create' ? 'create' : 'update',
        ...factsOf(choice),
      });
    }
  }
}

// ── Whose a record is ───────────────────────────────────────────────────────────────────────────────────────────────

/** The fields that an `authorize` compares with something of the caller, and what that is: `@auth.team`. */
type Owners = ReadonlyMap<Field, string>;

export function ownersIn(rules: readonly Expression[]): Owners {
  return new Map(rules.flatMap(comparisonsIn).flatMap(ownerIn));
}

function comparisonsIn(rule: Expression): readonly Operation[] {
  if (rule.kind !== 'operation') return [];
  return rule.operator === 'is' ? [rule] : rule.operands.flatMap(comparisonsIn);
}

function ownerIn({ operands: [left, right] }: Operation): readonly (readonly [Field, string])[] {
  if (left?.kind !== 'path' || right?.kind !== 'path') return [];
  const [caller, other] = left.root.kind === 'auth' ? [left, right] : [right, left];
  const field = fieldAt(other);
  if (caller.root.kind !== 'auth' || other.root.kind === 'auth' || !field) return [];
  return [[field, ['@auth', ...caller.steps.map(({ name }) => name)].join('.')]];
}

/** The field of a record that says to whom it belongs; an id says which record it is. */
function fieldAt({ steps }: Path): Field | undefined {
  const last = steps.at(-1);
  if (last?.kind === 'reference') return last.field;
  return last?.kind === 'field' && last.origin !== 'id' ? last : undefined;
}

// ── Records of users ────────────────────────────────────────────────────────────────────────────────────────────────

type Change = Extract<Action, { kind: 'update' | 'delete' }>;

/** Whoever is signed in may delete any user, or set fields of theirs that the author does not list. */
function changesAnybody(endpoint: Endpoint, action: Action, { model }: Auth): action is Change {
  if ((action.kind !== 'update' && action.kind !== 'delete') || action.model !== model) return false;
  const { authorize } = endpoint;
  const { target } = action;
  if (target.kind !== 'path' || target.root.kind !== 'variable' || authorize.every(isLiteral)) return false;
  const takes = assignmentsOf(action).flatMap(({ value }) => inputsIn(value));
  if (action.kind === 'update' && takes.every(({ named }) => named)) return false;
  return !isChecked(endpoint, action, { by: 'path', variable: target.root.variable });
}

/**
 * `create User or update` changes whoever has the key, and `create Note or update` the note of anybody, unless the key
 * says that it is that of the caller.
 */
function changesByKey(endpoint: Endpoint, action: Action, auth: Auth, owners: Owners): action is Create {
  if (action.kind !== 'create' || action.onConflict?.does !== 'update') return false;
  if (endpoint.authorize.every(isLiteral)) return false;
  const { key } = action.onConflict;
  const parts = action.values.filter(({ field }) => key.includes(field));
  if (parts.some(({ value }) => value.kind === 'path' && value.root.kind === 'auth')) return false;
  if (action.model === auth.model) return true;
  return ownerOf(action, auth, owners) !== undefined && !parts.some((part) => isAllowed(part, endpoint, action));
}

/** The field that says whose a record is. */
function ownerOf({ model }: Create, auth: Auth, owners: Owners): Field | undefined {
  return model.fields.find((field) => field.reference?.to === auth.model || owners.has(field));
}

/** A part of the key that a rule has looked at, such as the parent, or that no client chooses, such as a new record. */
function isAllowed({ value }: Stored, endpoint: Endpoint, action: Create): boolean {
  const choice = choiceOf(value, endpoint, action.each);
  return choice ? isChecked(endpoint, action, choice) : value.kind === 'path' && value.root.kind === 'variable';
}

function reportByKey(context: Context, { span }: Endpoint, action: Create, auth: Auth, owners: Owners): void {
  const { model, onConflict } = action;
  const owner = model === auth.model ? undefined : ownerOf(action, auth, owners);
  context.report('foreign-change', span, {
    model: model.name,
    does: 'update',
    record: undefined,
    byKey: {
      owner: owner && nameOf(owner),
      caller: (owner && owners.get(owner)) ?? '@auth',
      key: onConflict?.key.map(nameOf) ?? [],
    },
  });
}

function nameOf({ name, reference }: Field): string {
  return reference?.name ?? name;
}

/** `authorize { true }` says that this is meant. */
function isLiteral({ kind }: Expression): boolean {
  return kind === 'literal';
}

function reportAnybody(context: Context, { span }: Endpoint, { kind, target }: Change, { model }: Auth): void {
  context.report('foreign-change', span, {
    model: model.name,
    does: kind,
    record: writtenAs(target),
    byKey: undefined,
  });
}

/** As the author writes it: `user`, `post.author`. */
function writtenAs(target: Expression): string | undefined {
  if (target.kind !== 'path' || target.root.kind !== 'variable') return undefined;
  const alias = aliasOf(target.root.variable);
  return alias && [alias, ...target.steps.map(({ name }) => name)].join('.');
}

// ── What clients choose ─────────────────────────────────────────────────────────────────────────────────────────────

/** A name with this sign is Kiln's own: the author gave none. */
function aliasOf({ name }: Variable): string | undefined {
  return name.includes('#') ? undefined : name;
}

function factsOf(choice: Choice) {
  if (choice.by === 'path') return { by: choice.by, alias: aliasOf(choice.variable) } as const;
  return { by: choice.by, input: choice.input.path.join('.'), isExtra: choice.input.field === undefined } as const;
}

function choiceOf(value: Stored['value'], endpoint: Endpoint, each: Each | undefined): Choice | undefined {
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
  const query = actions.find((action) => action.kind === 'query' && action.variable === variable);
  if (query?.kind !== 'query') return undefined;
  const roots = pathsInQuery(query.query).map(({ root }) => root);
  const [input] = roots.flatMap((root) => (root.kind === 'input' ? [root.input] : []));
  return input && !roots.some(({ kind }) => kind === 'auth') ? { by: 'input', input, query } : undefined;
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
