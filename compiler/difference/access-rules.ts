/**
 * The callers of each endpoint, and the records it gives them: in words, and as a condition that can be compared with
 * that of another definition. The rules of the entrypoints around an endpoint are part of it.
 */
import { accountEndpoints, accountRoutes, passwordAuthOf } from '../definition/accounts.ts';
import {
  ACCOUNT_METHODS,
  type AccountRoute,
  accountPath,
  pathTemplate,
  type Segment,
} from '../definition/contract/routes.ts';
import type { Definition } from '../definition/definition.ts';
import type { Endpoint, QueryAction } from '../definition/endpoint.ts';
import type { Expression, Operation, Query } from '../definition/expression.ts';
import { KnownCaller } from '../definition/known-caller.ts';
import { endpointIn, hasNode } from '../definition/lookup.ts';
import { withRulesWrittenOut } from '../definition/rules-written-out.ts';
import { lockingEndpoints, serializableEndpoints } from '../definition/serializable.ts';
import { all, any, atom, type Condition, given, implies, not } from './condition.ts';
import type { Access } from './difference.ts';
import { conjuncts, ExpressionTexts } from './expression-text.ts';
import { type FormerNames, Meanings, OWN_NAMES, type RuleSource, ruleSourceOf } from './meaning.ts';

export interface AccessRule {
  readonly id: string;
  /** `GET /api/post/{post_slug}`. */
  readonly endpoint: string;
  readonly access: Access;
  /** The condition on callers. */
  readonly callers: Condition;
  /** The condition on records that are found or listed, apart from the choices of the caller. */
  readonly records: Condition;
}

type Answer = 'yes' | 'no' | 'condition';

/** The access rules, sorted by path, then by method. `names` are those of the definition that it is compared with. */
export function accessRules(definition: Definition, names: FormerNames = OWN_NAMES): readonly AccessRule[] {
  const auth = passwordAuthOf(definition);
  const endpoints = [...(auth ? accountEndpoints(auth, definition) : []), ...definition.endpoints];
  const source = ruleSourceOf(definition, names);
  // These are no endpoints of a definition.
  const sessions = auth ? accountRoutes(auth, definition).map(({ name }) => sessionRule(name)) : [];
  const rules = [...endpoints.map((endpoint) => accessRuleOf(endpoint, source)), ...sessions];
  return rules
    .map((rule) => ({ rule, key: sortKey(rule) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ rule }) => rule);
}

function sortKey({ endpoint }: AccessRule): string {
  const [method, path] = endpoint.split(' ');
  return `${path} ${method}`;
}

function routeText(method: string, path: readonly Segment[]): string {
  return `${method} ${pathTemplate(path)}`;
}

export function accessRuleOf(endpoint: Endpoint, source: RuleSource): AccessRule {
  const written = withRulesWrittenOut(endpoint, source.models);
  const rules: Rules = { meanings: new Meanings(source, written), nobody: new KnownCaller(source), endpoint: written };
  const texts = new ExpressionTexts(source.models, endpoint);
  const signature = endpoint.signed ? [`signed by ${endpoint.signed.by}`] : [];
  const callers = all(...signature.map(atom), ...written.authorize.map((each) => conditionOf(each, rules, '')));
  const says = () => [...signature, texts.ofAll(endpoint.authorize)].filter((text) => text !== '').join(' and ');
  return {
    id: endpoint.id,
    endpoint: routeText(endpoint.method, endpoint.path),
    // The text is made when it is read: most rules of two large definitions are the same, and nobody reads them.
    get access() {
      const shows = shownText(endpoint, written, texts);
      return { ...accessOf(callers, says), ...(shows === '' ? {} : { shows }) };
    },
    callers,
    records: recordsCondition(rules),
  };
}

/** The inputs for the conditions of one endpoint. */
interface Rules {
  readonly meanings: Meanings;
  readonly nobody: KnownCaller;
  /** The endpoint with its rules written out. */
  readonly endpoint: Endpoint;
}

function sessionRule(name: AccountRoute): AccessRule {
  const callers = name === 'logout' ? SIGNED_IN : all();
  const endpoint = routeText(ACCOUNT_METHODS[name], accountPath(name));
  return { id: `auth.${name}`, endpoint, access: accessOf(callers, () => ''), callers, records: all() };
}

// ── Callers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const AUTHENTICATED = 'authenticated';
const SIGNED_IN = atom(AUTHENTICATED);

function accessOf(callers: Condition, says: () => string): Access {
  const [anonymous, signedIn] = [answerTo(callers, false), answerTo(callers, true)];
  if (anonymous === 'yes' && signedIn === 'yes') return { who: 'anyone', says: 'anyone' };
  if (anonymous === 'no' && signedIn === 'yes') return { who: 'signed in', says: '@auth is not null' };
  return { who: 'condition', says: says() };
}

/** Whether a caller is let in, if only `isSignedIn` is known. */
export function answerTo(callers: Condition, isSignedIn: boolean): Answer {
  const rest = given(callers, (key) => (key === AUTHENTICATED ? isSignedIn : undefined));
  if (implies(all(), rest)) return 'yes';
  return implies(rest, any()) ? 'no' : 'condition';
}

/** The condition of an expression; `model` is that of the row. */
function conditionOf(expression: Expression, rules: Rules, model: string): Condition {
  if (expression.kind === 'truth') return conditionOf(expression.value, rules, model);
  if (expression.kind === 'authenticated') return SIGNED_IN;
  if (expression.kind === 'literal') return expression.value === true ? all() : any();
  if (expression.kind === 'operation') return operationCondition(expression, rules, model);
  return statement(expression, rules, rules.meanings.of(expression, model));
}

function operationCondition(operation: Operation, rules: Rules, model: string): Condition {
  const { operator, operands } = operation;
  const inner = (part: Expression) => conditionOf(part, rules, model);
  const [left, right] = operands as readonly [Expression, Expression];
  switch (operator) {
    case 'and':
      return all(...operands.map(inner));
    case 'or':
      return any(...operands.map(inner));
    case 'not':
      return not(inner(left));
    case 'in':
      if (right.kind !== 'list') return statement(operation, rules, rules.meanings.of(operation, model));
      return any(...right.items.map((item) => inner({ ...operation, operator: 'is', operands: [left, item] })));
    case 'is': {
      if (right.kind === 'literal' && right.value === true && left.type.kind === 'boolean') return inner(left);
      // `a is b` and `b is a` are the same.
      const sides = operands.map((each) => rules.meanings.of(each, model)).sort();
      return statement(operation, rules, `is ${sides.join(' ')}`);
    }
    default:
      return statement(operation, rules, rules.meanings.of(operation, model));
  }
}

/** Adds to a statement whether it is known to be true or false when nobody is signed in. */
function statement(expression: Expression, { nobody, endpoint }: Rules, key: string): Condition {
  const holds = nobody.holds(expression, endpoint);
  if (holds === undefined) return atom(key);
  return holds ? any(not(SIGNED_IN), atom(key)) : all(SIGNED_IN, atom(key));
}

// ── Records ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The filters of a query, without those by an input: the client chooses them. */
function filtersIn({ filter }: Query): readonly Expression[] {
  return filter === null
    ? []
    : conjuncts(filter).filter((condition) => !hasNode(condition, ({ kind }) => kind === 'input'));
}

function recordsCondition(rules: Rules): Condition {
  const { meanings, endpoint } = rules;
  const { records, response } = endpoint;
  const nested = records.filter(({ through }) => through !== null).map((record) => meanings.nesting(record));
  const source = response.kind === 'list' && response.query.path.length > 0 ? [meanings.source(response.query)] : [];
  const model = response.kind === 'list' ? response.query.model : endpoint.model;
  // The same path may give another kind of record now.
  const atoms = [meanings.kind(model), ...nested, ...source].map(atom);
  const listed = response.kind === 'list' ? filtersIn(response.query) : [];
  return all(
    ...atoms,
    ...records.flatMap(({ only, model: of }) => (only ? [conditionOf(only, rules, of)] : [])),
    ...listed.map((each) => conditionOf(each, rules, model)),
    ...queriesForCaller(endpoint).map(({ query }) => queryCondition(query, rules)),
  );
}

/** The queries of actions that give each caller other records. The application decides what others find. */
function queriesForCaller({ actions }: Endpoint): readonly QueryAction[] {
  const mentionsCaller = (filter: unknown) => hasNode(filter, ({ record }) => record === '@auth');
  return actions.filter((each): each is QueryAction => each.kind === 'query' && mentionsCaller(each.query.filter));
}

/** The condition of the records that a query finds: its filter. */
function queryCondition(query: Query, rules: Rules): Condition {
  const filters = filtersIn(query).map((each) => conditionOf(each, rules, query.model));
  return any(not(atom(`query ${rules.meanings.source(query)}`)), all(...filters));
}

/**
 * The text about the shown records. The path already says that a record belongs to its parent, unless the parent is the
 * caller.
 */
function shownText(endpoint: Endpoint, written: Endpoint, texts: ExpressionTexts): string {
  const { records, response, actions } = endpoint;
  const ofCaller = records
    .filter(({ origin }) => origin?.id.record === '@auth')
    .map(({ record, through }) => `${record} in @auth.${through?.name}`);
  const origin = response.kind === 'list' ? response.query.origin : null;
  const isOfCallerItself = origin?.kind === 'record' && origin.id.record === '@auth';
  const listed =
    response.kind === 'list' && isOfCallerItself
      ? [`in ${['@auth', ...response.query.path.map(({ name }) => name)].join('.')}`]
      : [];
  const asked = queriesForCaller(written).map((action) => actions[written.actions.indexOf(action)] as QueryAction);
  const queries = [...(response.kind === 'list' ? [response.query] : []), ...asked.map(({ query }) => query)];
  const filters = queries.map((query) => texts.ofAll(filtersIn(query))).filter((filter) => filter !== '');
  const scopes = records.flatMap(({ only }) => (only ? [texts.ofAll([only])] : []));
  return [...new Set([...ofCaller, ...scopes, ...listed, ...filters])].join(' and ');
}

/** The access rule of an endpoint. */
export interface AccessRow {
  readonly id: string;
  /** `GET /api/post/{post_slug}`. */
  readonly endpoint: string;
  /** Whether a caller who is not signed in is let in. */
  readonly anonymous: Answer;
  /** Whether a signed-in caller is let in of whom nothing else is known. */
  readonly signedIn: Answer;
  readonly access: Access;
  /** How its rules hold for requests at once: `locks Event` or `serializable`. Null where nothing is needed. */
  readonly parallel: string | null;
  /** Whether clients may follow the list. */
  readonly live: boolean;
  /** How many seconds the data of its responses may be old; null where it is not. */
  readonly stale: number | null;
}

/** All endpoints, also those of accounts: by path, then by method. */
export function accessMatrix(definition: Definition): readonly AccessRow[] {
  const live = definition.endpoints.filter(({ response }) => response.kind === 'list' && response.live);
  return accessRules(definition).map(({ id, endpoint, access, callers }) => ({
    id,
    endpoint,
    parallel: parallelOf(id, definition),
    stale: endpointIn(definition, id)?.stale ?? null,
    anonymous: answerTo(callers, false),
    signedIn: answerTo(callers, true),
    access,
    live: live.some((each) => each.id === id),
  }));
}

export function parallelOf(id: string, definition: Definition): string | null {
  if (serializableEndpoints(definition).has(id)) return 'serializable';
  const models = (lockingEndpoints(definition).get(id) ?? []).map(({ model }) => model);
  return models.length === 0 ? null : `locks ${[...new Set(models)].sort().join(', ')}`;
}
