/**
 * Expressions over a row, as SQL without parameters: for the values that a migration gives to rows that exist. Each
 * gives what the server would give for the same row.
 */
import type { Aggregate, Collect, Expression, Literal, Operation, Type } from '../../definition/definition.ts';
import { columnType } from '../../schema/column-type.ts';
import { callSql, textSql } from './calls.ts';
import { quotedText } from './literals.ts';
import { type Row, Walk } from './paths.ts';
import { typeSql } from './schema-sql.ts';

/** The value, of an expression that is in the database. */
function valueSql(expression: Expression, row: Row): string {
  switch (expression.kind) {
    case 'literal':
      return literalSql(expression, row);
    case 'field':
      return atEnd(expression.path, row, (end) => end.column(expression.field));
    case 'computed':
      return atEnd(expression.path, row, (end) => valueSql(end.computed(expression.computed), end));
    case 'aggregate':
      return aggregateSql(expression, row);
    case 'operation':
      return operationSql(expression, row);
    case 'truth':
      return `(${valueSql(expression.value, row)} IS TRUE)`;
    case 'convert':
      return convertSql(valueSql(expression.value, row), expression.value.type, expression.type);
    case 'call': {
      const values = expression.arguments.map((argument) => valueSql(argument, row));
      return callSql(expression, values);
    }
    case 'list':
      return `ARRAY[${expression.items.map((item) => valueSql(item, row)).join(', ')}]::${sqlType(expression.type, row)}[]`;
    case 'collect':
      return collectSql(expression, row);
    default:
      throw new Error(`\`${expression.kind}\` is nothing that the database knows`);
  }
}

function atEnd(path: Parameters<Walk['along']>[0], row: Row, value: (end: Row) => string): string {
  if (path.length === 0) return value(row);
  const walk = new Walk();
  const end = walk.along(path, row, valueSql);
  return `(${walk.select(value(end))})`;
}

function sqlType(type: Type, row: Row): string {
  return typeSql(columnType(type, row.tables.typeOf));
}

function literalSql({ value, type }: Literal, row: Row): string {
  if (value === null) return 'NULL';
  if (typeof value === 'boolean' && type.kind === 'boolean') return value ? 'TRUE' : 'FALSE';
  const text = type.kind === 'json' ? JSON.stringify(value) : String(value);
  return type.kind === 'integer' ? `(${text})::bigint` : `${quotedText(text)}::${sqlType(type, row)}`;
}

function operationSql({ operator, operands, type }: Operation, row: Row): string {
  if (operator === 'in') return memberSql(operands as readonly [Expression, Expression], row);
  const values = operands.map((operand) => valueSql(operand, row));
  const [left, right] = values as [string, string];
  switch (operator) {
    case 'is':
      return right === 'NULL' ? `(${left} IS NULL)` : `(${left} IS NOT DISTINCT FROM ${right})`;
    case 'and':
    case 'or':
      return `(${values.join(operator === 'and' ? ' AND ' : ' OR ')})`;
    case 'not':
      return `(NOT ${left})`;
    case 'negate':
      return `(- ${left})`;
    case 'join':
      return `(${left} || ${right})`;
    case '<':
    case '<=':
    case '>':
    case '>=':
      return `(${collated(left, operands[0]?.type)} ${operator} ${right})`;
    case '/':
      return `(${left} / nullif(${right}, 0))`;
    case '%':
      return remainderSql(left, right, type);
    case '+':
    case '-':
    case '*':
      return `(${left} ${operator} ${right})`;
  }
}

/** Floats are divided digit by digit, as the server does; Postgres has no remainder for them. */
function remainderSql(left: string, right: string, { kind }: Type): string {
  if (kind !== 'float') return `(${left} % nullif(${right}, 0))`;
  return `(mod(${left}::text::numeric, nullif(${right}::text::numeric, 0))::double precision)`;
}

/** By code point, as the server compares, whatever the database's own order is. */
function collated(value: string, type: Type | undefined): string {
  return type?.kind === 'string' ? `${value} COLLATE "C"` : value;
}

function memberSql([left, right]: readonly [Expression, Expression], row: Row): string {
  const value = valueSql(left, row);
  if (right.kind === 'collect') {
    const walk = new Walk();
    const end = walk.along(right.path, row, valueSql);
    walk.where(`${valueSql(right.value, end)} IS NOT DISTINCT FROM ${value}`);
    return `EXISTS (${walk.select('1')})`;
  }
  const items = right.kind === 'list' ? right.items : [right];
  if (items.length === 0) return 'FALSE';
  return `(${items.map((item) => `${value} IS NOT DISTINCT FROM ${valueSql(item, row)}`).join(' OR ')})`;
}

function convertSql(value: string, from: Type, to: Type): string {
  if (to.kind === 'string') return textSql(value, from);
  return `(${value})::${to.kind === 'float' ? 'double precision' : 'numeric'}`;
}

function collectSql({ path, value }: Collect, row: Row): string {
  const walk = new Walk();
  const end = walk.along(path, row, valueSql);
  const each = jsonSql(valueSql(value, end), value.type);
  return `(${walk.select(`coalesce(jsonb_agg(${each} ORDER BY ${end.column('id')}), '[]')`)})`;
}

/** What the value is in the JSON of the API. */
function jsonSql(value: string, type: Type): string {
  const isItself = type.kind === 'integer' || type.kind === 'float' || type.kind === 'boolean';
  return type.kind === 'json' ? value : `to_jsonb(${isItself ? value : textSql(value, type)})`;
}

function aggregateSql({ function: name, path, value, type }: Aggregate, row: Row): string {
  const walk = new Walk();
  const end = walk.along(path, row, valueSql);
  const each = value === null ? null : valueSql(value, end);
  if (name === 'exists' && each !== null) walk.where(`${each} IS NOT NULL`);
  if (name === 'exists') return `EXISTS (${walk.select('1')})`;
  // A record counts once, however many ways lead to it.
  if (each === null) return `(${walk.select(`count(DISTINCT ${end.column('id')})`)})`;
  return `(${walk.select(aggregated(name, each, value?.type, type))})`;
}

type Folding = Exclude<Aggregate['function'], 'exists'>;

function aggregated(name: Folding, each: string, from: Type | undefined, { kind }: Type): string {
  if (name === 'sum') return `coalesce(sum(${each}), 0)::${SUMS[kind] ?? 'numeric'}`;
  if (name === 'avg') return `avg(${each})${kind === 'float' ? '::double precision' : ''}`;
  return name === 'count' ? `count(${each})` : `${name}(${collated(each, from)})`;
}

const SUMS: Readonly<Partial<Record<Type['kind'], string>>> = { integer: 'bigint', float: 'double precision' };

/** The value as a column of this type stores it. */
export function storedSql(expression: Expression, wanted: Type, row: Row): string {
  return wanted.kind === 'json' ? storedJson(expression, row) : valueSql(expression, row);
}

function storedJson(expression: Expression, row: Row): string {
  if (expression.kind === 'list') {
    return `jsonb_build_array(${expression.items.map((item) => storedJson(item, row)).join(', ')})`;
  }
  const value = valueSql(expression, row);
  if (value === 'NULL') return 'NULL::jsonb';
  return expression.kind === 'collect' ? value : jsonSql(value, expression.type);
}
