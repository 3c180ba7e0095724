/**
 * Expressions of the definition become closures, once. What they give for a request is what Postgres would give for the
 * same values. Those that read the database are not evaluated here: asking for one is a mistake of our own.
 */
import type {
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
import { isList } from '../values/json.ts';
import { comparatorOf, equal, identical, KINDS } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { aggregateOf } from './aggregate.ts';
import { arithmetic, negate } from './arithmetic.ts';
import { callOf } from './calls.ts';
import {
  asynchronous,
  binary,
  type Compiled,
  constant,
  type Environment,
  firstOf,
  nary,
  strictPair,
  synchronous,
  unary,
} from './compiled.ts';
import { checked, convert, fitted, fittedIfPossible, fittedValue, knownType, type Operand } from './fit.ts';
import { resultName } from './scope.ts';
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
  if (read === null) {
    const result = resultName(record);
    // A list that custom code gives may be null, if it says so.
    const nothing: Value = type.many && !type.nullable ? [] : null;
    return synchronous(({ records }) => ownValue(records, result) ?? nothing);
  }
  const none: Value = type.many ? [] : null;
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
