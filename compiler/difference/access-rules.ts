/**
 * Who may call each endpoint, and which records it gives them: in words, and as a condition that can be compared with
 * that of another definition. The rules of the entrypoints around an endpoint are part of it.
 */
import { accountEndpoints, type PasswordAuth, passwordAuthOf } from '../definition/accounts.ts';
import {
  ACCOUNT_METHODS,
  type AccountRoute,
  accountPath,
  pathTemplate,
  type Segment,
} from '../definition/contract/routes.ts';
import type { Definition, Endpoint, Expression, Operation, PathRecord } from '../definition/definition.ts';
import { all, any, atom, type Condition, given, implies, not } from './condition.ts';
import type { Access } from './difference.ts';
import { conjuncts, ExpressionTexts, isOfCaller } from './expression-text.ts';
import { type FormerNames, OWN_NAMES } from './former-names.ts';
import { Meanings, type RuleSource } from './meaning.ts';

export interface AccessRule {
  readonly id: string;
  /** `GET /api/post/{post_slug}`. */
  readonly endpoint: string;
  readonly access: Access;
  /** Which callers are let in. */
  readonly callers: Condition;
  /** Which records are found or listed, apart from what the caller chooses. */
  readonly records: Condition;
}

export type Answer = 'yes' | 'no' | 'condition';

/** By path, then by method. `names` are those of the definition that it is compared with. */
export function accessRules(definition: Definition, names: FormerNames = OWN_NAMES): readonly AccessRule[] {
  const auth = passwordAuthOf(definition);
  const endpoints = [...(auth ? accountEndpoints(auth, definition) : []), ...definition.endpoints];
  const models = new Map(definition.models.map((model) => [model.name, model]));
  const source = { models, auth: definition.auth?.model ?? '', names };
  const rules = [...endpoints.map((endpoint) => accessRuleOf(endpoint, source)), ...sessionRules(auth)];
  return rules
    .map((rule) => ({ rule, key: sortKey(rule) }))
    .sort(byKey)
    .map(({ rule }) => rule);
}

function sortKey({ endpoint }: AccessRule): string {
  const [method, path] = endpoint.split(' ');
  return `${path} ${method}`;
}

function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : 1;
}

function routeText(method: string, path: readonly Segment[]): string {
  return `${method} ${pathTemplate(path)}`;
}

export function accessRuleOf(endpoint: Endpoint, source: RuleSource): AccessRule {
  const meanings = new Meanings(source, endpoint);
  const texts = new ExpressionTexts(source.models, endpoint);
  const callers = all(...endpoint.authorize.map((each) => conditionOf(each, meanings, '')));
  return {
    id: endpoint.id,
    endpoint: routeText(endpoint.method, endpoint.path),
    // Of two large definitions most rules are the same, and nobody reads them.
    get access() {
      const shows = shownText(endpoint, texts);
      return { ...accessOf(callers, () => texts.ofAll(endpoint.authorize)), ...(shows === '' ? {} : { shows }) };
    },
    callers,
    records: recordsCondition(endpoint, meanings),
  };
}

/** `login` and `logout` are no endpoints of a definition. */
function sessionRules(auth: PasswordAuth | null): readonly AccessRule[] {
  return auth ? [sessionRule('login', all()), sessionRule('logout', SIGNED_IN)] : [];
}

function sessionRule(name: AccountRoute, callers: Condition): AccessRule {
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

/** Whether a caller is let in of whom only this is known. */
export function answerTo(callers: Condition, isSignedIn: boolean): Answer {
  const rest = given(callers, (key) => (key === AUTHENTICATED ? isSignedIn : undefined));
  if (implies(all(), rest)) return 'yes';
  return implies(rest, any()) ? 'no' : 'condition';
}

/** `model` is that of the row at hand. */
function conditionOf(expression: Expression, meanings: Meanings, model: string): Condition {
  if (expression.kind === 'truth') return conditionOf(expression.value, meanings, model);
  if (expression.kind === 'authenticated') return SIGNED_IN;
  if (expression.kind === 'literal') return expression.value === true ? all() : any();
  if (expression.kind === 'operation') return operationCondition(expression, meanings, model);
  return ofSomebody(isOfCaller(expression) || isOrFalse(expression), meanings.of(expression, model));
}

/** `exists(@auth.notes)`, in which is written out what it is for nobody. */
function isOrFalse(expression: Expression): boolean {
  if (expression.kind !== 'call' || expression.function !== 'coalesce') return false;
  const [first, second] = expression.arguments as readonly [Expression, Expression];
  return isOfCaller(first) && isLiteral(second, false);
}

function operationCondition(operation: Operation, meanings: Meanings, model: string): Condition {
  const { operator, operands } = operation;
  const inner = (part: Expression) => conditionOf(part, meanings, model);
  const [left, right] = operands as readonly [Expression, Expression];
  switch (operator) {
    case 'and':
      return all(...operands.map(inner));
    case 'or':
      return any(...operands.map(inner));
    case 'not':
      return not(inner(left));
    case 'in':
      if (right.kind !== 'list') return atom(meanings.of(operation, model));
      return any(...right.items.map((item) => inner({ ...operation, operator: 'is', operands: [left, item] })));
    case 'is': {
      if (isLiteral(right, true) && left.type.kind === 'boolean') return inner(left);
      // `a is b` and `b is a` are the same.
      const same = atom(
        `is ${operands
          .map((each) => meanings.of(each, model))
          .sort()
          .join(' ')}`,
      );
      return isLiteral(right, null) && isOfCaller(left) ? any(not(SIGNED_IN), same) : same;
    }
    default:
      return ofSomebody(operands.some(isOfCaller), meanings.of(operation, model));
  }
}

/** Of nobody a value is null, and what is compared with it by size is, too: that counts as false. */
function ofSomebody(isCaller: boolean, key: string): Condition {
  return isCaller ? all(SIGNED_IN, atom(key)) : atom(key);
}

function isLiteral(expression: Expression, value: boolean | null): boolean {
  return expression.kind === 'literal' && expression.value === value;
}

// ── Records ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a client chooses by an input is not kept from it. */
function filtersOf({ response }: Endpoint): readonly Expression[] {
  if (response.kind !== 'list' || response.query.filter === null) return [];
  return conjuncts(response.query.filter).filter((condition) => !readsInput(condition));
}

function readsInput(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(readsInput);
  if (typeof part !== 'object' || part === null) return false;
  return ('kind' in part && part.kind === 'input') || Object.values(part).some(readsInput);
}

function recordsCondition(endpoint: Endpoint, meanings: Meanings): Condition {
  const { records, response } = endpoint;
  const nested = records.filter(({ through }) => through !== null).map((record) => meanings.nesting(record));
  const source = response.kind === 'list' && response.query.path.length > 0 ? [meanings.source(response.query)] : [];
  const model = response.kind === 'list' ? response.query.model : endpoint.model;
  // Under the same path another kind of record may be given now.
  const atoms = [meanings.kind(model), ...nested, ...source].map(atom);
  return all(...atoms, ...filtersOf(endpoint).map((each) => conditionOf(each, meanings, model)));
}

/** That a record belongs to its parent is said by the path already, unless the parent is the caller. */
function shownText(endpoint: Endpoint, texts: ExpressionTexts): string {
  const { records, response } = endpoint;
  const ofCaller = records.filter(({ origin }) => origin?.id.record === '@auth').map(nestingText);
  const origin = response.kind === 'list' ? response.query.origin : null;
  const isOfCallerItself = origin?.kind === 'record' && origin.id.record === '@auth';
  const listed =
    response.kind === 'list' && isOfCallerItself
      ? [`in ${['@auth', ...response.query.path.map(({ name }) => name)].join('.')}`]
      : [];
  const filter = texts.ofAll(filtersOf(endpoint));
  return [...ofCaller, ...listed, ...(filter === '' ? [] : [filter])].join(' and ');
}

function nestingText({ record, through }: PathRecord): string {
  return `${record} in @auth.${through?.name}`;
}
