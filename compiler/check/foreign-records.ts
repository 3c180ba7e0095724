/**
 * Reports clients that can name other users: a client that names a user may name somebody else, such as the author of
 * what it writes, or change the record of somebody else. A field that rules compare with the caller also says whose a
 * record is: `note.team is @auth.team`.
 */

import { chainOf } from '../program/endpoint-path.ts';
import { pathsIn, writeOf } from '../program/parts.ts';
import type {
  Action,
  Auth,
  Create,
  Endpoint,
  Expression,
  Field,
  Path,
  QueryAction,
  Reference,
  Variable,
} from '../program/program.ts';
import type { Span } from '../source/source-file.ts';
import {
  aliasOf,
  answeredOf,
  assignmentsOf,
  type Choice,
  choiceOf,
  factsOf,
  inputsIn,
  isAnswered,
  isChecked,
  isCheckedByActions,
  queryOf,
  READS,
  type Readers,
  readersOf,
  rulesOf,
  type Stored,
  sentIn,
  shownOf,
} from './choices.ts';
import { type Context, writtenName } from './context.ts';
import { demands, isAlways, isOfCaller, isOwner, isPrivileged, ownerField, type Tie, tiesIn } from './rules.ts';

/** Facts about the whole program. */
interface Whole {
  readonly auth: Auth;
  readonly owners: Owners;
  /** The fields of users that decide who signs in, and what they may do. */
  readonly credentials: ReadonlySet<Field>;
  readonly readers: Readers;
  readonly opened: Opened;
  /** The fields of members and the like, by which rules let somebody in. */
  readonly memberships: ReadonlySet<Field>;
}

/** Reports endpoints at which a client can name other users. Their rules require no more than who the caller is. */
export function reportForeignRecords(context: Context, endpoint: Endpoint, whole: Whole): void {
  for (const action of endpoint.actions) {
    if (changesAnybody(endpoint, action, whole)) reportAnybody(context, endpoint, action, whole.auth);
    if (action.kind === 'create' && findsAnybodys(endpoint, action, whole))
      reportByKey(context, endpoint, action, whole);
    reportNamed(context, endpoint, action, whole);
    for (const { field, value } of assignmentsOf(action)) {
      const choice = choiceOf(value, endpoint, action.each);
      if (choice) reportChoice(context, endpoint, action, field, choice, whole);
    }
  }
}

/** A record that an extra input names is found whoever may read it. */
function reportNamed(context: Context, endpoint: Endpoint, action: Action, { readers }: Whole): void {
  const variable = action.kind === 'query' ? action.variable : undefined;
  if (action.kind !== 'query' || !variable?.input || variable.type.base.kind !== 'record') return;
  const { model } = variable.type.base;
  const choice = { by: 'input', input: variable.input, query: action } as const;
  const shown = readers.get(model) === 'some' ? answeredOf(endpoint, variable) : undefined;
  if (!shown || isChecked(endpoint, action, choice)) return;
  context.report('foreign-record', endpoint.span, { about: 'answer', shown, model: model.name, ...factsOf(choice) });
}

function reportChoice(
  context: Context,
  endpoint: Endpoint,
  action: Action,
  field: Field,
  choice: Choice,
  whole: Whole,
): void {
  if (isChecked(endpoint, action, choice)) return;
  const { auth, owners, readers } = whole;
  const isOfUser = field.reference?.to === auth.model;
  const owner = isOfUser ? '@auth' : owners.get(field);
  if (owner && !isMeant(endpoint, action, field, choice, whole))
    context.report('foreign-record', endpoint.span, {
      about: 'choice',
      reference: writtenName(field),
      model: isOfUser ? auth.model.name : undefined,
      owner,
      does: action.kind === 'create' ? 'create' : 'update',
      ...factsOf(choice),
    });
  const { to } = field.reference ?? {};
  const shown = to && readers.get(to) === 'some' ? shownOf(endpoint, action, field) : undefined;
  const found = to && shown ? { shown, model: to.name } : whole.opened.get(field);
  if (found) context.report('foreign-record', endpoint.span, { about: 'answer', ...found, ...factsOf(choice) });
}

// ── Records behind a reference ──────────────────────────────────────────────────────────────────────────────────────

/** References with an endpoint that serves whatever record they name. */
type Opened = ReadonlyMap<Field, { readonly shown: string; readonly model: string; readonly place: Span }>;

/** Finds endpoints below a reference whose rules say nothing about its record, though rules of other endpoints do. */
export function openedIn(endpoints: readonly Endpoint[]): Opened {
  const opened = new Map<Field, { shown: string; model: string; place: Span }>();
  for (const endpoint of endpoints) {
    const { kind, entrypoint, span: place } = endpoint;
    for (const { through } of chainOf(entrypoint)) {
      if (through?.kind !== 'reference' || opened.has(through.field) || saysWho(endpoint, through)) continue;
      const others = endpoints.filter((other) => !chainOf(other.entrypoint).some((each) => each.through === through));
      const asked = kind === 'update' || kind === 'delete' ? [READS, [kind]] : [READS];
      const { model } = entrypoint;
      if (asked.some((kinds) => readersOf(others, kinds).get(model) === 'some'))
        opened.set(through.field, { shown: through.name, model: model.name, place });
    }
  }
  return opened;
}

/** Whether a rule is about a record behind the reference, or requires more than who the caller is. */
function saysWho(endpoint: Endpoint, reference: Reference): boolean {
  const chain = chainOf(endpoint.entrypoint);
  const behind = chain.slice(chain.findIndex(({ through }) => through === reference)).map(({ variable }) => variable);
  const isBehind = ({ root, steps }: Path) =>
    root.kind === 'row' || steps.includes(reference) || (root.kind === 'variable' && behind.includes(root.variable));
  return rulesOf(endpoint).some((rule) => isPrivileged(rule) || pathsIn(rule).some(isBehind));
}

// ── Whose a record is ───────────────────────────────────────────────────────────────────────────────────────────────

/** The fields that an `authorize` compares with something of the caller, and what that is: `@auth.team`. */
type Owners = ReadonlyMap<Field, string>;

export function ownersIn(endpoints: readonly Endpoint[]): Owners {
  const ties = endpoints.flatMap(({ authorize }) => authorize.flatMap(tiesIn)).filter(({ isOne }) => isOne);
  return new Map(
    ties.flatMap((tie) => {
      const field = ownerField(tie);
      return field ? [[field, ['@auth', ...tie.caller.steps.map(({ name }) => name)].join('.')] as const] : [];
    }),
  );
}

/**
 * The record says already who made it, or belongs to the caller, and the author lists whom else it is about: the owner of
 * a team names its members.
 */
function isMeant(endpoint: Endpoint, action: Action, field: Field, choice: Choice, whole: Whole): boolean {
  const { authorize } = endpoint;
  const isListed = choice.by === 'path' || choice.input.named;
  if (action.kind !== 'create') return authorize.length > 0 && isListed;
  const saysWho = ({ field: { reference }, value }: Stored) => reference?.to === whole.auth.model && isCaller(value);
  if (action.values.some(saysWho)) return true;
  const isOfOwner = (tie: Tie) => isOwner(tie) && (isListed || whole.memberships.has(field));
  const isOfMember = (tie: Tie) => isListed && whole.memberships.has(field) && !tie.isOne;
  return action.values.some(({ value }) => isTied(value, endpoint, (tie) => isOfOwner(tie) || isOfMember(tie)));
}

function isCaller(value: Expression): boolean {
  return value.kind === 'path' && isOfCaller(value);
}

/** Whether the rules, or the query that finds the record, require such a tie to the caller. */
function isTied(record: Expression, endpoint: Endpoint, isSuch: (tie: Tie) => boolean): boolean {
  if (record.kind !== 'path' || record.root.kind !== 'variable') return false;
  const filter = queryOf(record.root.variable, endpoint)?.query.filter;
  if (filter) return demands(filter, (part) => tiesIn(part).some(isSuch));
  const isItsTie = (tie: Tie) => startsWith(tie.path, record) && isSuch(tie);
  return endpoint.authorize.some((guard) =>
    demands(guard, (part) => isPrivileged(part) || tiesIn(part).some(isItsTie)),
  );
}

function startsWith({ root, steps }: Path, start: Path): boolean {
  const isSame = root.kind === 'variable' && start.root.kind === 'variable' && root.variable === start.root.variable;
  const before = start.steps.filter((step) => step.kind !== 'field');
  return isSame && before.every((step, at) => steps[at] === step);
}

// ── Records of users ────────────────────────────────────────────────────────────────────────────────────────────────

type Change = Extract<Action, { kind: 'update' | 'delete' | 'query' }>;

/**
 * Tells whether any signed-in caller may delete any user, or set fields of any user that the author does not list or
 * that decide who signs in and what they may do.
 */
function changesAnybody(endpoint: Endpoint, action: Action, whole: Whole): action is Change {
  if (action.kind !== 'update' && action.kind !== 'delete' && action.kind !== 'query') return false;
  if (writeOf(action)?.model !== whole.auth.model) return false;
  const isDirect = action.kind !== 'query' && action.target.kind === 'path' && action.target.steps.length === 0;
  if (endpoint.authorize.every(isAlways)) return false;
  if (action.kind !== 'delete' && !takes(action, isDirect, whole)) return false;
  return action.kind === 'query' ? !isOwnQuery(action, endpoint) : !isAllowedTarget(action, action.target, endpoint);
}

function takes(action: Change, isDirect: boolean, { credentials }: Whole): boolean {
  if (action.kind === 'query' && action.does.kind === 'delete') return true;
  return assignmentsOf(action).some(({ field, value }) => {
    // What a client sends may be hashed before it is stored.
    const isSent = sentIn(value, action.each).length > 0;
    if (credentials.has(field) && (value.kind === 'literal' || isSent)) return true;
    return inputsIn(value, action.each).some(({ named }) => !named || !isDirect);
  });
}

/** A query that finds the caller, or records of the caller. */
function isOwnQuery({ query }: QueryAction, endpoint: Endpoint): boolean {
  const start = query.root && ({ kind: 'path', root: query.root, steps: query.steps } as Path);
  if (start && (isOfCaller(start) || isTied(start, endpoint, () => true))) return true;
  return readsCaller(query.filter);
}

function readsCaller(filter: Expression | undefined): boolean {
  return filter !== undefined && demands(filter, (part) => pathsIn(part).some(isOfCaller));
}

function isAllowedTarget(action: Change, target: Expression, endpoint: Endpoint): boolean {
  if (target.kind !== 'path' || target.root.kind !== 'variable') return true;
  const { variable } = target.root;
  const query = queryOf(variable, endpoint);
  if (readsCaller(query?.query.filter)) return true;
  return isTied(target, endpoint, () => true) || isCheckedByActions(endpoint, action, { by: 'path', variable });
}

// ── Records by their keys ───────────────────────────────────────────────────────────────────────────────────────────

/**
 * Tells whether `create Note or update` changes a note of anybody, or `or keep` returns it, because the key does not
 * name the caller. The same goes for users.
 */
function findsAnybodys(endpoint: Endpoint, action: Create, whole: Whole): boolean {
  if (!action.onConflict || !concernsClients(endpoint, action, whole)) return false;
  if (action.own && readsCaller(endpoint.entrypoint.only)) return false;
  const { key } = action.onConflict;
  const parts = action.values.filter(({ field }) => key.includes(field));
  if (parts.some(({ value }) => isCaller(value))) return false;
  if (action.model === whole.auth.model) return true;
  return ownerOf(action, whole) !== undefined && !parts.some((part) => isAllowed(part, endpoint, action));
}

/**
 * Tells whether clients can notice: always for an update, and for `or keep` only if the response shows a record that
 * not everybody may read.
 */
function concernsClients(endpoint: Endpoint, action: Create, { readers }: Whole): boolean {
  if (isChanged(endpoint, action)) return !endpoint.authorize.every(isAlways);
  return readers.get(action.model) !== 'all' && isAnswered(endpoint, action);
}

/** By the create itself, or by an action that follows it. */
function isChanged({ actions }: Endpoint, { onConflict, variable }: Create): boolean {
  const changesIt = (action: Action) =>
    (action.kind === 'update' || action.kind === 'delete') && isRecord(action.target, variable);
  return onConflict?.does === 'update' || actions.some(changesIt);
}

function isRecord(target: Expression, variable: Variable): boolean {
  if (target.kind !== 'path' || target.root.kind !== 'variable') return false;
  return target.root.variable === variable && target.steps.length === 0;
}

/** The field that says whose a record is; of several, the one that is set to the caller. */
function ownerOf({ model, values }: Create, { auth, owners }: Whole): Field | undefined {
  const found = model.fields.filter((field) => field.reference?.to === auth.model || owners.has(field));
  return values.find(({ field, value }) => found.includes(field) && isCaller(value))?.field ?? found[0];
}

/** A part of the key that a rule has looked at, such as the parent, or that no client chooses, such as a new record. */
function isAllowed({ value }: Stored, endpoint: Endpoint, action: Create): boolean {
  const choice = choiceOf(value, endpoint, action.each);
  return choice ? isChecked(endpoint, action, choice) : value.kind === 'path' && value.root.kind === 'variable';
}

function reportByKey(context: Context, endpoint: Endpoint, action: Create, whole: Whole): void {
  const { model, onConflict } = action;
  const owner = model === whole.auth.model ? undefined : ownerOf(action, whole);
  context.report('foreign-record', endpoint.span, {
    about: 'found',
    model: model.name,
    isChanged: isChanged(endpoint, action),
    owner: owner && writtenName(owner),
    caller: (owner && whole.owners.get(owner)) ?? '@auth',
    key: onConflict?.key.map(writtenName) ?? [],
  });
}

function reportAnybody(context: Context, { span, entrypoint }: Endpoint, action: Change, { model }: Auth): void {
  const root = action.kind !== 'query' && action.target.kind === 'path' ? action.target.root : undefined;
  context.report('foreign-change', span, {
    model: model.name,
    does: writeOf(action)?.does === 'delete' ? 'delete' : 'update',
    record: action.kind === 'query' ? undefined : writtenAs(action.target),
    isOfPath: chainOf(entrypoint).some(({ variable }) => root?.kind === 'variable' && root.variable === variable),
    isQuery: action.kind === 'query',
  });
}

/** The target as the author writes it: `user`, `post.author`. */
function writtenAs(target: Expression): string | undefined {
  if (target.kind !== 'path' || target.root.kind !== 'variable') return undefined;
  const alias = aliasOf(target.root.variable);
  return alias && [alias, ...target.steps.map(({ name }) => name)].join('.');
}
