/**
 * Expressions over rows, as SQL that gives the same value as the server for the same input: for the statements of the
 * runtime, and for the values that a migration gives to existing rows. The builder of the statement inserts values that
 * are known before it runs.
 */
import type { Aggregate, Call, Collect, Expression, Fold, Literal, MemberOf, Operation, Type } from '../expression.ts';
import { isBounded, isSearch } from '../functions.ts';
import { callSql, eachItem, textSql } from './call-sql.ts';
import type { Frame, Row } from './frame.ts';
import {
  decided,
  decimalOperation,
  decimalQuotient,
  floatFrom,
  floatFromDecimal,
  floatOperation,
  foldOf,
  integerFrom,
  integerOperation,
  integerSign,
  meanOf,
  sizedDecimal,
  withShortPart,
} from './overflow.ts';
import { occurrencesAlong, orderedOccurrencesAlong, recordsAlong } from './paths.ts';
import { constant, guarded, integer, joined, named, type Sql, sql } from './sql.ts';

export function valueSql(expression: Expression, row: Row): Sql {
  const { building } = row.frame;
  if (expression.kind === 'literal') return literalSql(expression) ?? building.parameter(expression);
  if (building.isKnown(expression, row)) return building.parameter(expression);
  switch (expression.kind) {
    case 'field':
      return building.atEnd(row, expression.path, (end) => end.field(expression.field));
    case 'computed': {
      const computed = (end: Row) => valueSql(end.model.computed(expression.computed).value, end);
      return building.atEnd(row, expression.path, (end) => sql`(${computed(end)})`, expression.type.nullable);
    }
    case 'collect':
      return collectSql(expression, row);
    case 'aggregate':
      return aggregateSql(expression, row);
    case 'operation':
      return operationSql(expression, row);
    case 'truth':
      return sql`(${valueSql(expression.value, row)} IS TRUE)`;
    case 'convert':
      return convertSql(valueSql(expression.value, row), expression.value.type, expression.type);
    case 'call':
      if (expression.function === 'if') return choiceSql(expression, row);
      if (isSearch(expression)) return searchSql(expression, row);
      return callSql(
        expression,
        expression.arguments.map((argument) => valueSql(argument, row)),
      );
    case 'member':
      return memberOfSql(expression, row);
    case 'key':
    case 'fold':
      if (!building.ofGroup) throw new Error('a group stands where there is none');
      return building.ofGroup(expression);
    case 'list':
      return sql`ARRAY[${joined(
        expression.items.map((item) => valueSql(item, row)),
        ', ',
      )}]::${building.catalogue.sqlType(expression.type)}`;
    default:
      throw new Error(`\`${expression.kind}\` cannot be part of a statement`);
  }
}

/** Reads a member. JSON null becomes SQL null, as in the server. */
function memberOfSql({ of, name }: MemberOf, row: Row): Sql {
  const key = row.frame.building.parameter({ kind: 'literal', type: { kind: 'string' }, value: name });
  return sql`nullif(${valueSql(of, row)} -> ${key}, 'null'::jsonb)`;
}

/** Writes a literal. Integers and booleans are part of the text, where the planner sees them; texts are bound. */
function literalSql({ value, type }: Literal): Sql | null {
  if (value === null) return sql`NULL`;
  if (typeof value === 'boolean') return value ? sql`TRUE` : sql`FALSE`;
  return type.kind === 'integer' ? sql`(${integer(Number(value))})::bigint` : null;
}

// ── Conditions ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Writes a condition for a WHERE, which treats null like false. Inside `not` null is not false. */
export function conditionSql(expression: Expression, row: Row): Sql {
  if (expression.kind === 'truth') return conditionSql(expression.value, row);
  if (expression.kind !== 'operation' || row.frame.building.isKnown(expression, row)) return valueSql(expression, row);
  const { operator, operands } = expression;
  if (operator === 'and' || operator === 'or') {
    const parts = operands.map((operand) => conditionSql(operand, row));
    return sql`(${joined(parts, operator === 'and' ? ' AND ' : ' OR ')})`;
  }
  if (operator === 'in') return anyOfSql(operands as [Expression, Expression], row) ?? valueSql(expression, row);
  const hasValue = operands.some((operand) => isPresent(operand, row));
  const mayUseEquals = operator === 'is' && hasValue && !operands.some(isNull);
  if (!mayUseEquals) return valueSql(expression, row);
  const [left, right] = operands.map((operand) => valueSql(operand, row)) as [Sql, Sql];
  return sql`${left} = ${right}`;
}

/** Writes `=` with one of several values that are known before the statement runs; null if it is more than that. */
function anyOfSql([left, right]: readonly [Expression, Expression], row: Row): Sql | null {
  if (mayFindNull(left, right) || !row.frame.building.isKnown(right, row)) return null;
  return sql`${valueSql(left, row)} = ANY(${valueSql(right, row)})`;
}

/** Whether `left in right` can be true for null. */
export function mayFindNull(left: Expression, right: Expression): boolean {
  if (!left.type.nullable) return false;
  return right.kind !== 'list' || right.items.some((item) => item.type.nullable === true || isNull(item));
}

export function isNull(expression: Expression): boolean {
  return expression.kind === 'literal' && expression.value === null;
}

/** Whether it is never null. */
function isPresent({ kind, type }: Expression, { frame }: Row): boolean {
  return !type.nullable && (kind === 'literal' || frame.building.isFilled);
}

// ── Operations ──────────────────────────────────────────────────────────────────────────────────────────────────────

function operationSql(operation: Operation, row: Row): Sql {
  const { operator, operands } = operation;
  if (operator === 'is') return equalSql(operands as [Expression, Expression], row);
  if (operator === 'in') return memberSql(operands as [Expression, Expression], row);
  const values = operands.map((operand) => valueSql(operand, row));
  const [left, right] = values as [Sql, Sql];
  switch (operator) {
    case 'and':
    case 'or':
      return sql`(${joined(values, operator === 'and' ? ' AND ' : ' OR ')})`;
    case 'not':
      return sql`(NOT ${left})`;
    case 'negate':
      return negatedSql(left, operation.type);
    case 'join':
      return sql`(${left} || ${right})`;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return sql`(${collated(left, operands[0])} ${constant(operator)} ${right})`;
    case '/':
      return quotientSql(left, sql`nullif(${right}, 0)`, operation.type);
    case '%':
      return remainderSql(left, right, operation.type);
    case '+':
    case '-':
    case '*':
      return arithmeticSql(left, operator, right, operation.type);
  }
}

function quotientSql(left: Sql, right: Sql, { kind }: Type): Sql {
  return kind === 'decimal' ? decimalQuotient(left, right) : floatOperation(left, '/', right);
}

function negatedSql(value: Sql, { kind }: Type): Sql {
  const plain = sql`(- ${value})`;
  return kind === 'integer' ? integerSign(plain, '-', value) : plain;
}

function arithmeticSql(left: Sql, operator: '+' | '-' | '*', right: Sql, { kind }: Type): Sql {
  if (kind === 'integer') return integerOperation(left, operator, right);
  if (kind === 'decimal') return decimalOperation(left, operator, right);
  return kind === 'float' ? floatOperation(left, operator, right) : sql`(${left} ${constant(operator)} ${right})`;
}

/** Floats are divided digit by digit, as the server does; Postgres has no remainder for them. */
function remainderSql(left: Sql, right: Sql, { kind }: Type): Sql {
  if (kind !== 'float') return sql`(${left} % nullif(${right}, 0))`;
  return floatFromDecimal(sql`mod(${left}::text::numeric, nullif(${right}::text::numeric, 0))`);
}

/** Compares by code point like the server, whatever the collation of the database. */
export function collated(value: Sql, expression: Pick<Expression, 'type'> | undefined): Sql {
  return expression?.type.kind === 'string' ? sql`${value} COLLATE "C"` : value;
}

function equalSql([left, right]: readonly [Expression, Expression], row: Row): Sql {
  if (isNull(right)) return sql`(${valueSql(left, row)} IS NULL)`;
  if (isNull(left)) return sql`(${valueSql(right, row)} IS NULL)`;
  const isPlain = isPresent(left, row) && isPresent(right, row);
  const sides = [valueSql(left, row), valueSql(right, row)] as const;
  const plain = sql`(${sides[0]} ${constant(isPlain ? '=' : 'IS NOT DISTINCT FROM')} ${sides[1]})`;
  return isPlain ? plain : decided(plain, [sides[0], !left.type.nullable], [sides[1], !right.type.nullable]);
}

function memberSql([left, right]: readonly [Expression, Expression], row: Row): Sql {
  const value = valueSql(left, row);
  return decided(foundSql(value, [left, right], row), [value, !left.type.nullable]);
}

function foundSql(value: Sql, [left, right]: readonly [Expression, Expression], row: Row): Sql {
  if (right.kind === 'collect') return amongSql(value, right, row);
  if (right.kind === 'list' && !row.frame.building.isKnown(right, row)) return amongItems(value, right.items, row);
  return named([value, valueSql(right, row)], ([item, list]) => inListSql(item, list, left.type));
}

function inListSql(value: Sql, list: Sql, { nullable }: Type): Sql {
  const isFound = sql`coalesce(${value} = ANY(${list}), FALSE)`;
  if (!nullable) return isFound;
  return sql`(${isFound} OR (${value} IS NULL AND array_position(${list}, NULL) IS NOT NULL))`;
}

function amongItems(value: Sql, items: readonly Expression[], row: Row): Sql {
  if (items.length === 0) return sql`FALSE`;
  return named([value], ([name]) => {
    const parts = items.map((item) => sql`${name} IS NOT DISTINCT FROM ${valueSql(item, row)}`);
    return sql`(${joined(parts, ' OR ')})`;
  });
}

function amongSql(value: Sql, { path, value: each }: Collect, row: Row): Sql {
  const end = occurrencesAlong(path, row, row.frame.building);
  const operator = constant(isPresent(each, end) ? '=' : 'IS NOT DISTINCT FROM');
  end.frame.where(sql`${valueSql(each, end)} ${operator} ${value}`);
  return sql`EXISTS (${end.frame.select(sql`1`)})`;
}

function itemOf({ many: _, ...type }: Type): Type {
  return type;
}

function convertSql(value: Sql, from: Type, to: Type): Sql {
  if (from.many) return eachItem(value, (item) => convertSql(item, itemOf(from), itemOf(to)));
  if (to.digits) return sizedDecimal(sql`(${value})::numeric`, to.digits);
  if (to.kind === 'string') return textSql(value, from);
  if (to.kind !== 'float') return sql`(${value}::numeric)`;
  return from.kind === 'decimal' ? floatFromDecimal(value) : sql`(${value}::double precision)`;
}

/** Postgres computes only the value that is chosen. A condition that was out of range chooses neither. */
function choiceSql({ arguments: [condition, ...values] }: Call, row: Row): Sql {
  const asked = valueSql(condition as Expression, row);
  const [then, otherwise] = values.map((value) => valueSql(value, row.conditionally())) as [Sql, Sql];
  const plain = sql`CASE WHEN ${asked} THEN ${then} ELSE ${otherwise} END`;
  return asked.guarded
    ? guarded(plain, sql`CASE ${asked} WHEN TRUE THEN ${then} WHEN FALSE THEN ${otherwise} END`)
    : plain;
}

function searchSql(call: Call, row: Row): Sql {
  const [text, part, ...others] = call.arguments as readonly [Expression, Expression, ...Expression[]];
  const { building } = row.frame;
  const value = valueSql(text, row);
  const rest = others.map((other) => valueSql(other, row));
  if (!row.isConditional && building.isKnown(part, row)) return callSql(call, [value, building.part(part), ...rest]);
  return withShortPart(valueSql(part, row), (short) => callSql(call, [value, short, ...rest]));
}

// ── Over many records ───────────────────────────────────────────────────────────────────────────────────────────────

/** Collects values as JSON, with decimals and times in the form of the API. */
function collectSql({ path, value }: Collect, row: Row): Sql {
  const { row: end, order } = orderedOccurrencesAlong(path, row, row.frame.building);
  const each = jsonSql(valueSql(value, end), value.type);
  return sql`(${end.frame.select(sql`coalesce(jsonb_agg(${each} ORDER BY ${order}), '[]')`)})`;
}

/** The value itself if it becomes JSON unchanged, else its text as in JSON. */
export function jsonSql(value: Sql, type: Type): Sql {
  const isJson = type.kind === 'json' || type.kind === 'boolean' || type.kind === 'integer' || type.kind === 'float';
  return isJson ? value : textSql(value, type);
}

function aggregateSql(aggregate: Aggregate, row: Row): Sql {
  const { function: name, path, value, type } = aggregate;
  const { building } = row.frame;
  const end = value === null ? recordsAlong(path, row, building) : occurrencesAlong(path, row, building);
  const each = value === null ? sql`*` : valueSql(value, end);
  if (name === 'exists') return existsSql(end, value === null ? null : each);
  if (name === 'count') return sql`(${end.frame.select(sql`count(${each})`)})`;
  const plain =
    name === 'avg' && type.kind === 'decimal'
      ? sql`(SELECT ${meanOf(sql`v`)} FROM (${end.frame.select(sql`${each} AS v`)}) AS "#mean")`
      : sql`(${end.frame.select(aggregated(name, each, value, type))})`;
  const isRisky = isBounded(aggregate) || each.guarded !== undefined;
  return value && isRisky ? guarded(plain, foldedSafely(name, each, value, type, end.frame)) : plain;
}

/** Writes an aggregate over the column of a group. */
export function foldSql(folded: Fold, column: Sql): Sql {
  const { function: name, value, type } = folded;
  if (name === 'count' || value === null) return sql`count(*)`;
  const plain = aggregated(name, column, value, type);
  const isComplete = column.guarded !== undefined && !value.type.nullable;
  const fold = foldOf(name, { isDecimal: value.type.kind === 'decimal', isComplete }, exactly(column, value.type));
  const isRisky = isBounded(folded) || column.guarded !== undefined;
  return isRisky ? guarded(plain, fitting(name, fold, value, type)) : plain;
}

/** Writes an aggregate with a sum that cannot overflow, and takes the result if it fits the type. */
function foldedSafely(name: Folding, each: Sql, value: Expression, type: Type, frame: Frame): Sql {
  const isComplete = each.guarded !== undefined && !value.type.nullable;
  const what = sql`${exactly(each, value.type)} AS v`;
  const fold = foldOf(name, { isDecimal: value.type.kind === 'decimal', isComplete });
  const collation = value.type.kind === 'string' ? sql` COLLATE "C"` : sql``;
  const folded = sql`(SELECT ${fold}${collation} FROM (${frame.select(what, sql` OFFSET 0`)}) AS "#guard")`;
  return fitting(name, folded, value, type);
}

function fitting(name: Folding, folded: Sql, value: Expression, type: Type): Sql {
  if (name === 'min' || name === 'max') return value.type.kind === 'float' ? floatFrom(folded) : folded;
  if (type.kind === 'decimal') return folded;
  return type.kind === 'integer' ? integerFrom(folded) : floatFrom(folded);
}

function exactly(each: Sql, { kind }: Type): Sql {
  return kind === 'float' ? sql`(${each})::text::numeric` : each;
}

function existsSql(end: Row, value: Sql | null): Sql {
  if (value) end.frame.where(sql`${value} IS NOT NULL`);
  return sql`EXISTS (${end.frame.select(sql`1`)})`;
}

type Folding = Exclude<Aggregate['function'], 'count' | 'exists'>;

function aggregated(name: Folding, each: Sql, value: Expression | null, type: Type): Sql {
  if (name === 'sum') return sql`coalesce(sum(${each}), 0)::${SUMS[type.kind] ?? sql`numeric`}`;
  if (name === 'avg') return type.kind === 'decimal' ? meanOf(each) : sql`avg(${each})::double precision`;
  return sql`${constant(name)}(${collated(each, value ?? undefined)})`;
}

const SUMS: Readonly<Partial<Record<Type['kind'], Sql>>> = { integer: sql`bigint`, float: sql`double precision` };
