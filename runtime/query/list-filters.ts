/** The filters that a client sends for a list, as conditions of its statement. Their values are bound. */
import { callSql } from '../../compiler/definition/sql/call-sql.ts';
import { collated } from '../../compiler/definition/sql/expression-sql.ts';
import type { Row } from '../../compiler/definition/sql/frame.ts';
import { constant, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import type { ListFilter } from '../request/list-filters.ts';
import { type Given, given } from './prepared.ts';

/** The form of its statement, whatever the values are. */
export function shapeOf({ parameter, value }: ListFilter): string {
  if (parameter.operator === 'null') return `${parameter.name}=${value}`;
  return Array.isArray(value) ? `${parameter.name}*` : parameter.name;
}

const NOTHING: Given = {};

/** `words` are those of a search. */
export function givenBy(filters: readonly ListFilter[], words = ''): Given {
  if (filters.length === 0 && words === '') return NOTHING;
  const values = Object.fromEntries(filters.map(({ parameter, value }) => [givenName(parameter.name), value]));
  return words === '' ? values : { ...values, q: words };
}

/** A field may be called as something else that the statement is given, such as `limit`. */
function givenName(filter: string): string {
  return `filter ${filter}`;
}

export function filterSql(row: Row, { parameter, value: sent }: ListFilter): Sql {
  const { field, operator, name, type } = parameter;
  const { building } = row.frame;
  const value = building.value(field.value, row);
  const isSeveral = Array.isArray(sent);
  if (operator === 'null') return sent === 't' ? sql`${value} IS NULL` : sql`${value} IS NOT NULL`;
  const other = given(givenName(name), building.catalogue.sqlType(isSeveral ? { ...type, many: true } : type));
  switch (operator) {
    case 'eq':
      return isSeveral ? sql`${value} = ANY(${other})` : sql`${value} = ${other}`;
    case 'ne':
      return differs(value, other, isSeveral, field.value.type.nullable === true);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return sql`${collated(value, parameter)} ${SIGNS[operator]} ${other}`;
    case 'contains':
      return callSql({ kind: 'call', function: 'contains', arguments: [], type }, [value, other]);
    case 'prefix':
      return callSql({ kind: 'call', function: 'startsWith', arguments: [], type }, [value, other]);
  }
}

const SIGNS = { gt: constant('>'), gte: constant('>='), lt: constant('<'), lte: constant('<=') };

/** Compares like `is not` in the language: null differs from every value. */
function differs(value: Sql, other: Sql, isSeveral: boolean, isNullable: boolean): Sql {
  if (!isSeveral) return isNullable ? sql`${value} IS DISTINCT FROM ${other}` : sql`${value} <> ${other}`;
  const all = sql`${value} <> ALL(${other})`;
  return isNullable ? sql`(${all} OR ${value} IS NULL)` : all;
}
