/**
 * Expressions of the definition become closures, once. What they give for a request is what Postgres would give for the
 * same values. Those that read the database are not evaluated here: asking for one is a mistake of our own.
 */
import type {
  Call,
  Expression,
  HookValue,
  InputValue,
  Literal,
  MemberOf,
  ObjectOf,
  Operation,
  RequestValue,
  Snapshot,
  Type,
} from '../../compiler/definition/expression.ts';
import { isSearch, periodOf, TEXT_FUNCTIONS, type Unit } from '../../compiler/definition/functions.ts';
import { isList } from '../values/json.ts';
import { comparatorOf, equal, identical, KINDS } from '../values/kinds.ts';
import { dayOf, daysBetween, moved, secondsBetween, startOf, timestampFromDate } from '../values/moment.ts';
import { lengthOf, partOfText, slugOf } from '../values/text.ts';
import { MAX_TOKEN_LENGTH, randomToken } from '../values/uuid.ts';
import type { Value } from '../values/value.ts';
import { aggregateOf, extreme } from './aggregate.ts';
import { absolute, arithmetic, decimalOf, integerOf, integerOfDecimal, negate, round, whole } from './arithmetic.ts';
import {
  asynchronous,
  binary,
  type Compiled,
  chosen,
  constant,
  type Environment,
  firstOf,
  nary,
  strict,
  strictPair,
  synchronous,
  unary,
} from './compiled.ts';
import { checked, convert, fitted, fittedIfPossible, fittedValue, knownType, type Operand, stringify } from './fit.ts';
import { outOfRange, safeInteger, shortEnough, shortPart } from './out-of-range.ts';
import { fitsHash, hashOf } from './passwords.ts';
import { momentOf, resultName, type Scope } from './scope.ts';
import { isOverServerValues } from './server-only.ts';

export type { Compiled, Environment } from './compiled.ts';

export function compileExpression(expression: Expression, environment: Environment): Compiled {
  const instead = environment.instead?.(expression, (part) => compileExpression(part, environment));
  return instead ?? compiledFrom(expression, environment);
}

function compiledFrom(expression: Expression, environment: Environment): Compiled {
  const operand = (part: Expression) => ({ ...compileExpression(part, environment), type: part.type });
  switch (expression.kind) {
    case 'literal':
      return literalOf(expression);
    case 'list':
      return nary(expression.items.map(operand), (items) => items);
    case 'object':
      return objectOf(
        expression,
        expression.members.map(({ value }) => operand(value)),
      );
    case 'member':
      return memberOf(expression, operand(expression.of));
    case 'snapshot':
      return snapshotOf(expression);
    case 'input':
      return inputOf(expression);
    case 'request':
      return requestValueOf(expression);
    case 'setting':
      return constant(ownValue(environment.settings, expression.name));
    case 'argument':
      return synchronous((_, args) => ownValue(args, expression.name));
    case 'authenticated':
      return synchronous(({ records }) => ownValue(records, AUTH) !== null);
    case 'operation':
      return operationOf(expression, expression.operands.map(operand), environment);
    case 'truth':
      return isTrue(operand(expression.value));
    case 'convert':
      if (expression.checked) return checked(operand(expression.value), expression, environment);
      return convert(operand(expression.value), expression.type);
    case 'call':
      return callOf(expression, expression.arguments.map(operand), environment);
    case 'hook':
      return hookOf(expression, environment);
    case 'aggregate':
      if (isOverServerValues(expression)) return aggregateOf(expression, operand(expression.value), environment);
      throw notHere(expression);
    case 'field':
    case 'computed':
    case 'collect':
    case 'key':
    case 'fold':
    case 'iterator':
    case 'faker':
      throw notHere(expression);
  }
}

function notHere({ kind }: Expression): Error {
  return new Error(`an expression of the kind ${kind} cannot be evaluated here`);
}

function isTrue(part: Compiled): Compiled {
  return unary(part, (value) => value === true);
}

function operationOf(operation: Operation, operands: readonly Operand[], environment: Environment): Compiled {
  const { operator, type } = operation;
  const pair = operands as readonly [Operand, Operand];
  const [only] = pair;
  switch (operator) {
    case 'and':
      return isTrue(firstOf(operands, (value) => value !== true));
    case 'or':
      return isTrue(firstOf(operands, (value) => value === true));
    case 'not':
      return unary(only, (value) => value !== true);
    case 'is':
      return same(pair, environment);
    case 'in':
      return member(pair, environment);
    case 'join':
      return operands.slice(1).reduce<Compiled>((left, right) => binary(left, right, joinTexts), only);
    case 'negate':
      return negate(only, environment);
    case '<':
    case '<=':
    case '>':
    case '>=':
      return ordered(operator, pair, environment);
    default:
      return arithmetic(operator, pair, type, environment);
  }
}

const joinTexts = strictPair((a, b) => `${a}${b}`);

/** Calls a hook. Its result must at least be representable in JSON. */
function hookOf({ hook, type }: HookValue, environment: Environment): Compiled {
  const call = environment.hook(hook);
  // One that declares its result is held to it where it is called.
  if (hook.returns) return asynchronous(async (scope, args) => (await call(scope, args)) as Value);
  return asynchronous(async (scope, args) => {
    const result = (await call(scope, args)) ?? null;
    return result === null ? null : fittedValue(result, type, environment.enumValues);
  });
}

// ── Objects ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// Objects of values, and what is read of them.

function objectOf({ members }: ObjectOf, values: readonly Compiled[]): Compiled {
  const names = members.map(({ name }) => name);
  return nary(values, (found) => {
    const object: Record<string, Value> = {};
    for (let at = 0; at < names.length; at++) object[names[at] as string] = found[at] ?? null;
    return object;
  });
}

function memberOf({ name }: MemberOf, of: Operand): Compiled {
  // The members of a list itself, such as its length, are not readable.
  const read = (value: Value) => (isList(value) ? null : ownValue(value, name));
  return unary(of, of.type.many ? (values) => (isList(values) ? values.map(read) : []) : read);
}

// ── Comparison ──────────────────────────────────────────────────────────────────────────────────────────────────────

// Questions about two values, or about one and a list.

type OrderOperator = Extract<Operation['operator'], '<' | '<=' | '>' | '>='>;
type Pair = readonly [Operand, Operand];

const HOLDS: Readonly<Record<OrderOperator, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Compares by order; null where either side is null. */
function ordered(operator: OrderOperator, [left, right]: Pair, environment: Environment): Compiled {
  const type = knownType([left.type, right.type]);
  const compare = comparatorOf(type, environment.enumValues);
  const holds = HOLDS[operator];
  return binary(
    fitted(left, type, environment),
    fitted(right, type, environment),
    strictPair((a, b) => holds(compare(a, b))),
  );
}

/** Two nulls are equal. */
function same([left, right]: Pair, environment: Environment): Compiled {
  const type = knownType([left.type, right.type]);
  const isSame = equalityOf(type);
  return binary(fittedIfPossible(left, type, environment), fittedIfPossible(right, type, environment), isSame);
}

/** Whether a value is in a list, compared as `is` does. A value that is not a list contains nothing. */
function member([left, right]: Pair, environment: Environment): Compiled {
  const type = knownType([left.type, itemType(right.type)]);
  const isSame = equalityOf(type);
  return binary(
    fittedIfPossible(left, type, environment),
    fittedIfPossible(right, { ...type, many: true }, environment),
    (value, list) => isList(list) && list.some((item) => isSame(value, item)),
  );
}

function itemType({ many: _, ...item }: Type): Type {
  return item;
}

function equalityOf(type: Type): (a: Value, b: Value) => boolean {
  return !type.many && KINDS[type.kind].isSame === identical ? identical : (a, b) => equal(a, b, type);
}

// ── Sources ─────────────────────────────────────────────────────────────────────────────────────────────────────────

// The sources of values: the text of the program, the request, and the records that were found.

const AUTH = '@auth';

/** Compiles a literal to its canonical form, so that all comparisons see the same one. */
function literalOf({ value, type }: Literal): Compiled {
  if (typeof value !== 'string') return constant(value);
  return constant(KINDS[type.kind].canonical?.(value) ?? value);
}

function inputOf({ path }: InputValue): Compiled {
  const [first = '', second] = path;
  if (second === undefined) return synchronous(({ inputs }) => ownValue(inputs, first));
  return synchronous(({ inputs }) => ownValue(ownValue(inputs, first), second));
}

/** A claim that is no text is the text of it in JSON. A header that comes several times is one text. */
function requestValueOf({ from, path }: RequestValue): Compiled {
  const [name] = path as [string];
  if (from === 'header') return synchronous(({ request }) => textOf(ownValue(request?.headers, name)));
  return synchronous(({ request }) => textOf(path.reduce<unknown>(ownValue, request?.claims)));
}

function textOf(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value;
  return JSON.stringify(value);
}

/** Names are the author's, and may be those of something that every object has. */
function ownValue(holder: unknown, name: string): Value {
  if (holder === null || typeof holder !== 'object' || !Object.hasOwn(holder, name)) return null;
  return (holder as Readonly<Record<string, Value>>)[name] ?? null;
}

function snapshotOf({ record, read, type }: Snapshot): Compiled {
  // A list in a field, and one that custom code gives, may be null if it says so.
  const none: Value = type.many && !type.nullable ? [] : null;
  if (read === null) {
    const result = resultName(record);
    return synchronous(({ records }) => ownValue(records, result) ?? none);
  }
  // A list in a field of type `json` is one value.
  const isOneValue = type.kind === 'json';
  return synchronous(({ records }) => {
    const found = ownValue(records, record);
    if (isList(found)) return joined(found, read, isOneValue);
    return found === null ? none : (ownValue(found, read) ?? none);
  });
}

function joined(found: readonly Value[], read: string, isOneValue: boolean): Value {
  const values = found.map((snapshot) => ownValue(snapshot, read));
  return isOneValue ? values : values.flatMap((value) => (isList(value) ? value : [value]));
}

// ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// The functions of the language.

function callOf(call: Call, operands: readonly Operand[], environment: Environment): Compiled {
  return FUNCTIONS[call.function](operands, environment, call);
}

type Make = (operands: readonly Operand[], environment: Environment, call: Call) => Compiled;

const FUNCTIONS: Readonly<Record<Call['function'], Make>> = {
  length: (operands, environment, call) =>
    (first(operands).type.many ? on(['any'], itemCount) : on(['string'], lengthOf))(operands, environment, call),
  lower: on(['string'], TEXT_FUNCTIONS.lower),
  upper: on(['string'], TEXT_FUNCTIONS.upper),
  trim: on(['string'], TEXT_FUNCTIONS.trim),
  replace: searching(replaced),
  substring: on(['string', 'integer', 'integer'], partOfText),
  padStart: on(['string', 'integer', 'string'], padded),
  slugify: on(['string'], slugOf),
  contains: searching(TEXT_FUNCTIONS.contains),
  startsWith: searching(TEXT_FUNCTIONS.startsWith),
  endsWith: searching(TEXT_FUNCTIONS.endsWith),
  stringify: (operands) => stringify(first(operands)),
  now: (_, __, { type }) => synchronous(type.kind === 'integer' ? milliseconds : timestamp),
  today: () => synchronous((scope) => dayOf(momentOf(scope))),
  years: move('years'),
  months: move('months'),
  weeks: move('weeks'),
  days: move('days'),
  hours: move('hours'),
  minutes: move('minutes'),
  seconds: move('seconds'),
  secondsBetween: on(['moment', 'moment'], (from, to) => safeInteger(secondsBetween(from, to))),
  daysBetween: on(['moment', 'moment'], (from, to) => safeInteger(daysBetween(from, to))),
  startOf: ([, moment], environment, call) => {
    const wanted = periodOf(first(call.arguments));
    return on(['moment'], (value) => startOf(wanted, value))([moment as Operand], environment, call);
  },
  concat: (operands) => nary(operands, (texts) => texts.map((text) => text ?? '').join('')),
  coalesce: (operands) => firstOf(operands, (value) => value !== null),
  if: ([condition, then, otherwise]) => chosen(condition as Operand, then as Operand, otherwise as Operand),
  greatest: (operands, { enumValues }) => extremeOf(operands, enumValues, 1),
  least: (operands, { enumValues }) => extremeOf(operands, enumValues, -1),
  ceil: (operands, environment) => whole('ceil')(first(operands), environment),
  floor: (operands, environment) => whole('floor')(first(operands), environment),
  integer: (operands) => {
    const operand = first(operands);
    return unary(operand, strict(operand.type.kind === 'decimal' ? integerOfDecimal : integerOf));
  },
  decimal: (operands) => unary(first(operands), strict(decimalOf)),
  round: (operands, environment) => round(first(operands), operands[1], environment),
  abs: (operands, environment) => absolute(first(operands), environment),
  cryptoHash: onTexts(([password = ''], { hashing }, call) =>
    hashing ? hashing.hash(call, password) : hashOf(password),
  ),
  cryptoCompare: onTexts(([password = '', hash = ''], { hashing }) =>
    hashing ? hashing.fits(password, hash) : fitsHash(password, hash),
  ),
  cryptoToken: (operands, environment, call) =>
    operands.length > 0
      ? on(['integer'], tokenOfLength)(operands, environment, call)
      : synchronous(() => randomToken()),
  oneOf: () => {
    throw new Error('`oneOf` has a meaning in populators alone');
  },
  file: () => {
    throw new Error('the address of a file is made by the database');
  },
};

const itemCount = (list: Value): Value => (isList(list) ? list.length : 0);
const milliseconds = (scope: Scope): Value => momentOf(scope).getTime();
const timestamp = (scope: Scope): Value => timestampFromDate(momentOf(scope));

function first<Part>(parts: readonly Part[]): Part {
  return parts[0] as Part;
}

function asTexts(operands: readonly Operand[], environment: Environment): readonly Compiled[] {
  return operands.map((operand) => fitted(operand, { kind: 'string' }, environment));
}

/** The values that a function takes; a moment is a date or a timestamp. Those of custom code are fitted, except moments. */
interface Taken {
  readonly string: string;
  readonly integer: number;
  readonly moment: string;
  readonly any: Value;
}

type ValuesOf<Kinds extends readonly (keyof Taken)[]> = { [At in keyof Kinds]: Taken[Kinds[At]] };

/** Applies a function to values of these kinds; null where one of them is null. */
function on<const Kinds extends readonly (keyof Taken)[]>(
  kinds: Kinds,
  apply: (...values: ValuesOf<Kinds>) => Value,
): Make {
  return (operands, environment) => {
    const parts = kinds.map((kind, at) =>
      fitted(operands[at] as Operand, { kind: kind === 'moment' ? 'any' : kind }, environment),
    );
    const strictly = (values: readonly Value[]) =>
      values.includes(null) ? null : apply(...(values as unknown as ValuesOf<Kinds>));
    return nary(parts, strictly);
  };
}

/** Applies a function that looks for a text in another one, which may be replaced by a third. */
function searching(apply: (text: string, part: string, other: string) => Value): Make {
  return (operands, environment, call) => {
    const partOf = isSearch(call) ? shortPart : (part: Value) => part;
    const find = (text: string, part: string, other = '') => apply(text, partOf(part) as string, other);
    return on(
      operands.map(() => 'string' as const),
      find,
    )(operands, environment, call);
  };
}

function extremeOf(operands: readonly Operand[], enumValues: Environment['enumValues'], sign: 1 | -1): Compiled {
  const best = extreme(comparatorOf(knownType(operands.map(({ type }) => type)), enumValues), sign);
  return nary(operands, (values) => best(values.filter((value) => value !== null)));
}

/** Replaces each occurrence. An empty text is never found. */
function replaced(text: string, part: string, other: string): string {
  if (part === '') return text;
  const pieces = text.split(part);
  const length = lengthOf(text);
  shortEnough(length + (pieces.length - 1) * (lengthOf(other) - lengthOf(part)), length);
  return pieces.join(other);
}

function padded(text: string, width: number, filling: string): string {
  const missing = width - lengthOf(text);
  if (missing <= 0) return text;
  shortEnough(width);
  if (filling === '') return text;
  const characters = Array.from(filling);
  return Array.from({ length: missing }, (_, at) => characters[at % characters.length]).join('') + text;
}

/** Adds a duration to a date or a timestamp. */
function move(unit: Unit): Make {
  return on(['moment', 'integer'], (moment, count) => inYears(moved(moment, count, unit)));
}

function inYears(moment: string | null): string {
  if (moment === null) throw outOfRange('is not in the years 1 to 9999');
  return moment;
}

/** Applies a function to texts; null where one of them is null. */
function onTexts(apply: (texts: readonly string[], scope: Scope, call: Call) => Promise<Value>): Make {
  return (operands, environment, call) => {
    const texts = nary(asTexts(operands, environment), (values) => values);
    return asynchronous(async (scope, args) => {
      const values = (await texts.run(scope, args)) as readonly Value[];
      return values.includes(null) ? null : apply(values as readonly string[], scope, call);
    });
  };
}

function tokenOfLength(length: number): string {
  if (length < 1 || length > MAX_TOKEN_LENGTH)
    throw outOfRange(`is not a token: its length must be from 1 to ${MAX_TOKEN_LENGTH}`);
  return randomToken(length);
}
