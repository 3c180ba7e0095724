/** Typed expressions become explicit ones: conversions, nulls and `@auth` are written out, records become ids. */

import { AGGREGATES } from '../definition/contract/functions.ts';
import { fittedDigits } from '../definition/digits.ts';
import type {
  Aggregate,
  Call,
  Digits,
  Expression,
  Hook,
  Operation,
  Selected,
  Snapshot,
  Type,
} from '../definition/expression.ts';
import { isUnit } from '../definition/functions.ts';
import { isNull, partsOf } from '../program/parts.ts';
import type * as program from '../program/program.ts';
import { isListValue, isOfCaller } from '../program/type.ts';
import { aggregateAt, endOf, readName, recordsRead, typeAsId, valueAt } from './paths.ts';
import { AUTH, BOOLEAN, FLOAT, flagged, idTypeOf, type Reads, typeFrom } from './types.ts';

/** The surroundings that lowering needs. */
export interface Lowering {
  readonly reads: Reads;
  readonly hook: (call: program.HookCall, lowering: Lowering) => Hook;
}

/** The value; a record is its id. */
export function expressionFrom(expression: program.Expression, lowering: Lowering): Expression {
  switch (expression.kind) {
    case 'literal':
      return { kind: 'literal', type: typeFrom(expression.type), value: expression.value };
    case 'list': {
      const type = typeAsId(expression.type);
      const items = sameNumbers(all(expression.items, lowering)).map((item) => checkedAs(item, type, false));
      return { kind: 'list', items, type };
    }
    case 'path':
      return pathFrom(expression, lowering);
    case 'operation':
      return operationFrom(expression, lowering);
    case 'call':
      return callFrom(expression, lowering);
    case 'hook': {
      const { call } = expression;
      const type: Type = call.returns ? typeFrom(call.returns) : { kind: 'any', nullable: true };
      return { kind: 'hook', hook: lowering.hook(call, lowering), type };
    }
    case 'object':
    case 'fold':
    case 'member':
    case 'faker':
      return lowered<Expression>(expression, lowering);
  }
}

/** The places in a part of the program, which a definition has not. */
const PLACES: ReadonlySet<string> = new Set(['span', 'head', 'whole']);

/** A part of the program as the definition has it: `from` lowers its expressions. */
export function lowered<T>(part: program.Unlowered<T>, around: Lowering, from = expressionFrom): T {
  const value = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(value);
    if (typeof inner !== 'object' || inner === null) return inner;
    if ('base' in inner) return typeFrom(inner as program.Type);
    if ('returns' in inner) return around.hook(inner as program.HookCall, around);
    return 'span' in inner ? from(inner as program.Expression, around) : parts(inner);
  };
  const parts = (whole: object) =>
    Object.fromEntries(Object.entries(whole).flatMap(([key, inner]) => (PLACES.has(key) ? [] : [[key, value(inner)]])));
  return parts(part as object) as T;
}

function all(expressions: readonly program.Expression[], lowering: Lowering): readonly Expression[] {
  return expressions.map((expression) => expressionFrom(expression, lowering));
}

/** The value as it goes out to custom code or into a body: a record is an object. */
export function outwardFrom(
  expression: program.Expression,
  lowering: Lowering,
  select: (model: program.Model) => readonly Selected[],
): Expression {
  const outward = (part: program.Expression) => outwardFrom(part, lowering, select);
  if (!goesOutAsObject(expression) || readsRow(expression)) return expressionFrom(expression, lowering);
  if (expression.kind === 'object' || expression.kind === 'list')
    return lowered<Expression>(expression, lowering, outward);
  if (expression.kind === 'call') return outwardChoice(expression, lowering, outward);
  if (expression.kind !== 'path') return expressionFrom(expression, lowering);
  const { root, steps, type } = expression;
  if (root.kind === 'variable' && root.variable.holds === 'result' && steps.length === 0)
    return resultOf(root.variable, type);
  const read = recordsRead(steps, type, select);
  if (root.kind === 'variable') return lowering.reads.ask(root.variable.name, read, typeFrom(type));
  if (root.kind === 'auth') return lowering.reads.ask(AUTH, read, typeFrom(type));
  return expressionFrom(expression, lowering);
}

/** Lowers `coalesce` or `if`: no other function returns a record. */
function outwardChoice(
  call: program.Call,
  lowering: Lowering,
  outward: (part: program.Expression) => Expression,
): Expression {
  const name = call.function === 'if' ? 'if' : 'coalesce';
  const args = call.arguments.map((part, at) =>
    name === 'if' && at === 0 ? conditionFrom(part, lowering) : outward(part),
  );
  return { kind: 'call', function: name, arguments: args, type: typeFrom(call.type) };
}

/** Whether it is a record, an object that may contain one, or a list of these. */
function goesOutAsObject(expression: program.Expression): boolean {
  const { kind, type } = expression;
  if (kind === 'list') return expression.items.some(goesOutAsObject);
  return type.base.kind === 'record' || kind === 'object' || (kind === 'call' && type.base.kind === 'object');
}

/** Whether the database reads it from a row: there, records are ids. */
function readsRow(expression: program.Expression): boolean {
  if (expression.kind === 'path') return expression.root.kind === 'row';
  return expression.kind !== 'operation' && partsOf(expression).some(readsRow);
}

/** The value as clients see it: a file has an address in place of its id, which is added once all endpoints are known. */
export function shownFrom(expression: program.Expression, lowering: Lowering): Expression {
  if (expression.type.base.kind !== 'file' || expression.kind !== 'path') return expressionFrom(expression, lowering);
  return pathFrom(expression, lowering, shownFile);
}

function shownFile(value: Expression): Expression {
  if (value.type.kind !== 'file') return value;
  if (value.kind === 'collect') return { ...value, value: shownFile(value.value) };
  return { kind: 'call', function: 'file', arguments: [value], type: value.type };
}

/** Lowers a condition: null becomes false. */
export function conditionFrom(expression: program.Expression, lowering: Lowering): Expression {
  const value = checkedAs(expressionFrom(expression, lowering), BOOLEAN, false);
  const isSure = value.type.kind === 'boolean' && !value.type.nullable;
  return isSure ? value : { kind: 'truth', value, type: BOOLEAN };
}

/** The value as a field or argument of type `wanted` takes it. */
export function fittingFrom(expression: program.Expression, wanted: program.Type, lowering: Lowering): Expression {
  const value = expressionFrom(expression, lowering);
  const { base, many, nullable } = wanted;
  const converted =
    base.kind === 'float' ? toFloat(value) : base.kind === 'decimal' ? toDecimal(value, base.digits) : value;
  return base.kind === 'null' ? converted : checkedAs(converted, typeAsId(wanted), many, nullable);
}

/** Checks a value of custom code at run time: it must have the wanted type. */
function checkedAs(value: Expression, wanted: Type, many: boolean, nullable = true): Expression {
  if (value.type.kind !== 'any' || wanted.kind === 'any' || !isFromCode(value)) return value;
  return { kind: 'convert', value, type: flagged(wanted, nullable, many), checked: true };
}

/**
 * Tells whether the value comes from custom code. A value of faker has no known type either, but populators make it fit
 * by themselves.
 */
function isFromCode(value: Expression): boolean {
  if (value.kind === 'call') return value.arguments.some(isFromCode);
  if (value.kind === 'list') return value.items.some(isFromCode);
  if (value.kind === 'member') return isFromCode(value.of);
  return value.kind === 'hook' || value.kind === 'snapshot';
}

function toFloat(value: Expression): Expression {
  if (value.type.kind !== 'integer' && value.type.kind !== 'decimal') return value;
  return { kind: 'convert', value, type: { ...value.type, kind: 'float' } };
}

function toDecimal(value: Expression, digits?: Digits): Expression {
  if (digits) return toDigits(value, digits);
  return value.type.kind === 'integer' ? { kind: 'convert', value, type: { ...value.type, kind: 'decimal' } } : value;
}

/** Gives a value its digits. A literal gets them at once; other values are checked at run time. */
function toDigits(value: Expression, digits: Digits): Expression {
  const { type } = value;
  if (type.kind !== 'decimal' && type.kind !== 'integer') return value;
  const wanted: Type = { ...type, kind: 'decimal', digits };
  if (value.kind === 'literal')
    return { ...value, type: wanted, value: value.value === null ? null : fittedDigits(String(value.value), digits) };
  if (value.kind === 'list')
    return { ...value, items: value.items.map((item) => toDigits(item, digits)), type: wanted };
  const isFitting = type.digits?.all === digits.all && type.digits.places === digits.places;
  return isFitting ? value : { kind: 'convert', value, type: wanted };
}

function toText(value: Expression): Expression {
  if (value.type.kind === 'string') return value;
  return { kind: 'convert', value, type: flagged({ kind: 'string' }, value.type.nullable ?? false) };
}

// ── Paths ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function pathFrom(path: program.Path, lowering: Lowering, shown?: typeof shownFile): Expression {
  const { root, steps } = path;
  switch (root.kind) {
    case 'row':
      return shown ? shown(valueAt(root.model, steps, path.type)) : valueAt(root.model, steps, path.type);
    case 'variable': {
      const { name, type } = root.variable;
      if (type.base.kind !== 'record') return resultOf(root.variable, path.type);
      return snapshotOf(name, type.base.model, path, lowering, shown);
    }
    case 'auth':
      return snapshotOf(AUTH, root.model, path, lowering, shown);
    case 'input':
      return { kind: 'input', path: root.input.path, type: typeFrom(path.type) };
    case 'request':
    case 'setting':
    case 'key':
    case 'argument':
    case 'iterator':
      return { ...root, type: typeFrom(path.type) };
  }
}

/** The result of an action: a number, the result of custom code, or the selection of a query. */
function resultOf(variable: program.Variable, type: program.Type): Snapshot {
  return { kind: 'snapshot', record: variable.name, read: null, type: typeFrom(type) };
}

/** The record's own part of the path is read for one record that is there; what is known beyond is for the snapshot to say. */
function snapshotOf(
  record: string,
  model: program.Model,
  path: program.Path,
  lowering: Lowering,
  shown?: typeof shownFile,
): Snapshot {
  const value = valueAt(model, path.steps, { ...path.type, ...endOf(path.steps) });
  const { nullable, many, nullItems } = path.type;
  const type = flagged(value.type, nullable, many, nullItems);
  const name = readName(path.steps);
  const read = shown ? { name: `${name} shown`, value: shown(value) } : { name, value };
  return lowering.reads.ask(record, { ...read, kind: 'value' }, type);
}

/** The id of a record that has been named, for paths that begin there. */
export function idOf(record: string, model: program.Model, many: boolean, lowering: Lowering): Snapshot {
  const type = idTypeOf(model);
  const value: Expression = { kind: 'field', path: [], model: model.name, field: 'id', type };
  return lowering.reads.ask(record, { name: 'id', kind: 'value', value }, flagged(type, false, many));
}

// ── Operations ──────────────────────────────────────────────────────────────────────────────────────────────────────

function operationFrom(expression: program.Operation, lowering: Lowering): Expression {
  const { operator, operands } = expression;
  switch (operator) {
    case 'and':
    case 'or':
    case 'not':
      return operation(
        operator,
        operands.map((operand) => conditionFrom(operand, lowering)),
        BOOLEAN,
      );
    case 'is':
    case 'in':
      return comparisonFrom(operator, operands, lowering);
    case 'is not':
      return negated(comparisonFrom('is', operands, lowering));
    case 'not in':
      return negated(comparisonFrom('in', operands, lowering));
    case 'join':
      return operation('join', all(operands, lowering).map(toText), typeFrom(expression.type));
    case '/': {
      const type = typeFrom(expression.type);
      const sides = all(operands, lowering);
      return operation('/', type.kind === 'decimal' ? sameNumbers(sides) : sides.map(asFloat), type);
    }
    case '<':
    case '<=':
    case '>':
    case '>=':
      return operation(operator, comparable(operator, all(operands, lowering)), typeFrom(expression.type));
    default:
      return operation(operator, calculable(all(operands, lowering)), typeFrom(expression.type));
  }
}

/** Makes operands calculable: beside a value of custom code everything is a float. */
function calculable(operands: readonly Expression[]): readonly Expression[] {
  if (!operands.some(({ type }) => type.kind === 'any')) return sameNumbers(operands);
  return operands.map(asFloat);
}

function asFloat(operand: Expression): Expression {
  return checkedAs(toFloat(operand), FLOAT, false);
}

/** Makes operands comparable: a value of custom code is checked against the type of the other side, or of its items. */
function comparable(operator: Operation['operator'], operands: readonly Expression[]): readonly Expression[] {
  const [left, right] = sameNumbers(operands) as readonly [Expression, Expression];
  return [checkedAs(left, right.type, false), checkedAs(right, left.type, operator === 'in')];
}

export function operation(operator: Operation['operator'], operands: readonly Expression[], type: Type): Operation {
  return { kind: 'operation', operator, operands, type };
}

function negated(value: Expression): Expression {
  if (value.kind === 'operation' && value.operator === 'not') return value.operands[0] as Expression;
  return operation('not', [value], BOOLEAN);
}

/** An integer beside a float or a decimal is one too. */
function sameNumbers(operands: readonly Expression[]): readonly Expression[] {
  const has = (kind: Type['kind']) => operands.some((operand) => operand.type.kind === kind);
  if (has('float')) return operands.map(toFloat);
  return has('decimal') ? operands.map((operand) => toDecimal(operand)) : operands;
}

/**
 * Lowers a comparison. When nobody is signed in, `@auth` and every path from it are null only in a test against the
 * literal `null`. In every other comparison they equal nothing, not even a null.
 */
function comparisonFrom(
  operator: 'is' | 'in',
  operands: readonly program.Expression[],
  lowering: Lowering,
): Expression {
  const isNullTest = operator === 'is' && operands.some(isNull);
  if (isNullTest && operands.some(isAuthItself)) return negated(AUTHENTICATED);
  const compared = (sides: readonly program.Expression[]) =>
    operation(operator, comparable(operator, all(sides, lowering)), BOOLEAN);
  const guarded = (sides: readonly program.Expression[]) => operation('and', [AUTHENTICATED, compared(sides)], BOOLEAN);
  if (isNullTest) return compared(operands);
  if (operands.some(isAuthPath)) return guarded(operands);
  const [left, right] = operands as [program.Expression, program.Expression];
  if (right.kind !== 'list' || !right.items.some(isAuthPath)) return compared(operands);
  // Each value of a list is compared by itself: with nobody authenticated, the other values are still there.
  const others = right.items.filter((item) => !isAuthPath(item));
  const ofAuth = guarded([left, { ...right, items: right.items.filter(isAuthPath) }]);
  return others.length === 0
    ? ofAuth
    : operation('or', [compared([left, { ...right, items: others }]), ofAuth], BOOLEAN);
}

const AUTHENTICATED: Expression = { kind: 'authenticated', type: BOOLEAN };

/** Whether the expression is a path from `@auth` or a claim: when nobody is signed in, there are no claims. */
function isAuthPath(expression: program.Expression): boolean {
  if (expression.kind === 'member') return isAuthPath(expression.of);
  return expression.kind === 'path' && isOfCaller(expression.root);
}

function isAuthItself(expression: program.Expression): boolean {
  return expression.kind === 'path' && expression.root.kind === 'auth' && expression.steps.length === 0;
}

// ── Calls ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function callFrom(call: program.Call, lowering: Lowering): Expression {
  if ((AGGREGATES as readonly string[]).includes(call.function)) return aggregateFrom(call, lowering);
  if (call.function === 'if') return choiceFrom(call, lowering);
  const args = all(call.arguments, lowering).map((argument, at) => momentOr(argument, at, call));
  const converted =
    call.function === 'concat' ? args.map(toText) : ALIKE.includes(call.function) ? alternatives(args) : args;
  return { kind: 'call', function: call.function as Call['function'], arguments: converted, type: typeAsId(call.type) };
}

const ALIKE: readonly string[] = ['coalesce', 'greatest', 'least'];

/** Checks a value of custom code as a timestamp if a moment is expected. */
function momentOr(argument: Expression, at: number, { function: name }: program.Call): Expression {
  const isTaken = isUnit(name) ? at === 0 : name === 'startOf' ? at === 1 : name.endsWith('Between');
  return isTaken ? checkedAs(argument, { kind: 'timestamp' }, false) : argument;
}

function choiceFrom(call: program.Call, lowering: Lowering): Call {
  const [condition, ...values] = call.arguments as [program.Expression, ...program.Expression[]];
  const args = [conditionFrom(condition, lowering), ...alternatives(all(values, lowering))];
  return { kind: 'call', function: 'if', arguments: args, type: typeAsId(call.type) };
}

/** The alternatives of `if` and of functions in `ALIKE`, all of the known type. */
function alternatives(args: readonly Expression[]): readonly Expression[] {
  const known = args.find(({ type }) => type.kind !== 'any')?.type;
  const same = sameNumbers(args);
  return known === undefined ? same : same.map((each) => checkedAs(each, known, known.many ?? false));
}

function aggregateFrom(call: program.Call, lowering: Lowering): Expression {
  const fn = call.function as Aggregate['function'];
  const [over] = call.arguments as [program.Expression];
  const type = typeFrom(call.type);
  if (isListValue(over)) return { kind: 'call', function: 'length', arguments: [expressionFrom(over, lowering)], type };
  if (over.kind === 'path' && over.root.kind === 'row') return aggregateAt(fn, over.root.model, over.steps, call.type);
  const owner = over.kind === 'path' ? ownerOf(over.root) : undefined;
  // Other values are already in the server.
  if (!owner || over.kind !== 'path')
    return { kind: 'aggregate', function: fn, path: [], value: expressionFrom(over, lowering), type };
  const value = aggregateAt(fn, owner.model, over.steps, call.type);
  const name = `${fn}(${readName(over.steps, '*')})`;
  const read = lowering.reads.ask(
    owner.record,
    { name, kind: 'value', value },
    flagged(type, owner.mayBeAbsent || call.type.nullable),
  );
  return owner.mayBeAbsent && !call.type.nullable ? orOfNothing(read, type) : read;
}

/** One record whose relations the database can aggregate. */
function ownerOf(root: program.Root) {
  if (root.kind === 'auth') return { record: AUTH, model: root.model, mayBeAbsent: true };
  if (root.kind !== 'variable') return undefined;
  const { name, type } = root.variable;
  const isOne = type.base.kind === 'record' && !type.many;
  return isOne ? { record: name, model: type.base.model, mayBeAbsent: type.nullable } : undefined;
}

/** Replaces null by zero or false: a missing record has no relations. */
function orOfNothing(value: Expression, type: Type): Expression {
  const none = type.kind === 'boolean' ? false : type.kind === 'decimal' ? '0' : 0;
  return { kind: 'call', function: 'coalesce', arguments: [value, { kind: 'literal', type, value: none }], type };
}
