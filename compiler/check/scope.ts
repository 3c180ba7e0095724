import type { EndpointKind, Entrypoint, Input, Model, Reference, Root, Type, Variable } from '../program/program.ts';
import { ANY, isAny, isOfCaller } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';

/** The position of an expression, which decides what it may contain. */
interface Position {
  /** The name of the place in a message: `a filter`. */
  readonly noun: string;
  readonly runs: 'database' | 'code';
  readonly secrets: boolean;
  readonly hooks: boolean;
  readonly faker: boolean;
  /** Whether a populator may name the records of a relation, one of which is picked. */
  readonly relations?: true;
  /** Whether there is a request, whose caller may be `@auth`. */
  readonly auth: boolean;
  /** Whether a name that could be a member of the row or an input of the endpoint's own action is an error. */
  readonly refusesOwnInputs?: true;
  /** The model of the record that is created, of whose fields `@input.n` makes inputs. */
  readonly creates?: Model;
}

const runningIn = (runs: Position['runs']) => {
  const hooks = runs === 'code';
  return (noun: string, secrets = false): Position => ({ noun, runs, secrets, hooks, faker: false, auth: true });
};

const database = runningIn('database');
const code = runningIn('code');

const POPULATE: Position = { ...code('a populator', false), faker: true, auth: false };

export const POSITIONS = {
  computed: database('a computed member'),
  filter: { ...database('a filter'), refusesOwnInputs: true },
  orderBy: database('an `order by`'),
  groupBy: database('a `group by`'),
  grouped: database('the `select` of a group'),
  limit: database('a `limit`'),
  offset: database('an `offset`'),
  response: database('a response'),
  select: database('a `select`'),
  shape: database('a shape'),
  backfill: { ...database('a backfill', true), auth: false },
  modelHookArgument: database('an argument of a hook', true),
  queryUpdate: { ...database('a `set` of a query', true), refusesOwnInputs: true },
  default: { ...code('a default', false), hooks: false, auth: false },
  /** An `on update` also applies to all records of a query, so the database must be able to compute it for each. */
  onUpdate: { ...database('an `on update`'), auth: false },
  inputDefault: code('the default of an input', false),
  set: code('a `set`', true),
  /** A `for` has no hooks: each item would be a call of custom code. */
  setInFor: { ...code('a `for`', true), hooks: false },
  authorize: code('an `authorize`', true),
  /** A rule may be used in a computation of the database, so it contains nothing that only the server can do. */
  rule: database('a rule'),
  only: database('an `only`'),
  hookArgument: code('an argument of a hook', true),
  respond: code('a `respond`', false),
  refuse: code('a `refuse`', true),
  refuseMessage: code('a message', false),
  /** What a job is given is stored and shown to operators, so it has no secrets. */
  run: code('a `run`', false),
  line: { ...database('`one at a time per`'), auth: false },
  /** What leaves in a mail is made when it is sent, without custom code. */
  mail: { ...code('a mail', false), hooks: false },
  webhook: { ...database('a webhook'), auth: false },
  receiver: { ...code('the receiver of a webhook', true), hooks: false },
  reaction: { ...database('a reaction'), auth: false },
  schedule: { ...code('a schedule', false), hooks: false },
  validate: code('a validator', false),
  /** A field is validated whoever writes it, populators included. */
  fieldValidate: { ...code('a validator', false), auth: false },
  populate: POPULATE,
  picked: { ...POPULATE, relations: true },
} satisfies Record<string, Position>;

export type Binding =
  | { readonly kind: 'variable'; readonly variable: Variable; readonly span: Span }
  | { readonly kind: 'input'; readonly input: Input; readonly span: Span }
  | { readonly kind: 'argument'; readonly name: string; readonly type: Type; readonly span: Span }
  /** A key of the groups: a value that the records of a group share. */
  | { readonly kind: 'key'; readonly name: string; readonly type: Type; readonly span: Span }
  | { readonly kind: 'iterator'; readonly name: string; readonly span: Span };

/** What `@input.n` may name: a value, or a record that an extra input names. What has been reported may be one. */
export type InputBinding = Extract<Binding, { kind: 'input' | 'variable' }>;

export function isInputBinding(binding: Binding): binding is InputBinding {
  if (binding.kind !== 'variable') return binding.kind === 'input';
  const { input, type, holds } = binding.variable;
  return input !== undefined || (holds === 'record' && isAny(type));
}

export interface Scope {
  readonly position: Position;
  /** The model of the row at hand: its members are names, unless the row has an alias. */
  readonly row?: Model | undefined;
  /** The alias of the row. Its members are read through it, and a bare name is never one of them. */
  readonly rowAlias?: string | undefined;
  /** Whether the author can give the row an alias: it is the row of a query with `from`. */
  readonly rowIsQueried: boolean;
  /** The parent record in a nested entrypoint: the reference of the row to it, and its variable. */
  readonly parentOfRow?: { readonly reference: Reference; readonly variable: Variable } | undefined;
  /** The name of the row itself, where it is also that of a record which was read before. */
  readonly recordOfRow?: Variable | undefined;
  readonly names: ReadonlyMap<string, Binding>;
  /** Names that give way to all others: the inputs of the endpoint's own action. */
  readonly ownInputs: ReadonlyMap<string, Binding>;
  /** Names of records that exist but not here, by the kind of endpoint that has none. */
  readonly outOfReach: ReadonlyMap<string, { readonly model: Model; readonly endpoint: EndpointKind }>;
  /** Names of what actions have found or made, and where they are, for expressions that cannot use them. */
  readonly results: ReadonlyMap<string, { readonly span: Span }>;
  /** The current record, if its author gave it no name. */
  readonly unnamed?: { readonly resource: string; readonly model: Model } | undefined;
  /** Whether something that needs a name has none, which has been reported: an unknown name may refer to it. */
  readonly lacksName: boolean;
  /** Inputs that the expression at hand calls `@input.n`, so that a bare name in it is none of them. */
  readonly saidInputs?: ReadonlySet<string> | undefined;
  /** The scope of each record, if groups are at hand. Only aggregates see it. */
  readonly grouped?: Grouped | undefined;
  /** The values that are known not to be null, as keys of paths. */
  readonly facts: ReadonlySet<string>;
  /** Whether it belongs to a job or a reaction, which have no request and so no caller. */
  readonly isWork: boolean;
  /** What the author can give an input to, in place of a value of the request. */
  readonly takesInputs?: 'job' | 'mail' | undefined;
  /** Whether it belongs to an endpoint for signed requests: a service is not signed in. */
  readonly isSigned: boolean;
  /** In an `on failure`, which cannot refuse. */
  readonly isFailure?: boolean;
}

export interface Grouped {
  readonly row: Scope;
  readonly model: Model;
  /** Whether a group may have no records, because there are no keys. */
  readonly mayBeEmpty: boolean;
}

export function emptyScope(position: Position): Scope {
  return {
    position,
    rowIsQueried: false,
    names: NOTHING,
    ownInputs: NOTHING,
    outOfReach: NOTHING,
    results: NOTHING,
    lacksName: false,
    facts: NO_FACTS,
    isWork: false,
    isSigned: false,
  };
}

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();
const NO_FACTS: ReadonlySet<string> = new Set();

/** Whether a path that begins there has nothing to read: jobs have no request, and signed requests no caller. */
export function lacks({ isWork, isSigned, position }: Scope, root: Root): boolean {
  if (root.kind === 'setting') return isWork && !position.auth;
  return isWork ? root.kind === 'auth' || root.kind === 'request' : isSigned && isOfCaller(root);
}

export function rowScope(position: Position, row: Model): Scope {
  return { ...emptyScope(position), row };
}

export function at(scope: Scope, position: Position): Scope {
  return { ...scope, position };
}

export function overRow(scope: Scope, row: Model, position: Position, rowAlias?: string): Scope {
  return { ...scope, row, rowAlias, rowIsQueried: false, parentOfRow: undefined, position };
}

/** The scope over the record, or each of the records, of an entrypoint. */
export function overRecords(scope: Scope, { model, through, parent, variable }: Entrypoint, position: Position): Scope {
  const isNested = through?.kind === 'relation' && parent !== undefined;
  const parentOfRow = isNested ? { reference: through.through, variable: parent.variable } : undefined;
  return { ...overRow(scope, model, position), parentOfRow, recordOfRow: variable };
}

/** The row whose members are names here. */
export function bareRow({ row, rowAlias }: Scope): Model | undefined {
  return rowAlias === undefined ? row : undefined;
}

export function withFacts(scope: Scope, facts: readonly string[]): Scope {
  if (facts.length === 0) return scope;
  const all = new Set(scope.facts);
  for (const fact of facts) all.add(fact);
  return { ...scope, facts: all };
}

/** The scope within another record: the alias of the row is out of sight, because the row is another one. */
export function withoutRow(scope: Scope): Scope {
  const isRow = (binding: Binding) => binding.kind === 'variable' && binding.variable.holds === 'row';
  const names = new Map([...scope.names].filter(([, binding]) => !isRow(binding)));
  return { ...scope, row: undefined, rowAlias: undefined, recordOfRow: undefined, names };
}

/**
 * The binding of a name. A name that hides another has been reported; it may mean either, so nothing follows from it.
 */
export function unlessHiding(scope: Scope, name: string, binding: Binding): Binding {
  if (!scope.names.has(name)) return binding;
  return { kind: 'variable', variable: { name, type: ANY, holds: 'record' }, span: binding.span };
}

export function withName(scope: Scope, name: string, binding: Binding): Scope {
  return { ...scope, names: new Map(scope.names).set(name, binding) };
}
