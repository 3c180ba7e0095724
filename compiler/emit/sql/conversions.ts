/** How the values of a column become values of a wider type. */
import type { ColumnType } from '../../definition/schema.ts';
import { textSql } from '../../definition/sql/call-sql.ts';
import { type Name, quotedName, typeName } from '../../definition/sql/names.ts';
import { constant, type Sql, sql } from '../../definition/sql/sql.ts';

/** A column of the row that is read, or of the row that is being written. */
export function columnOf(row: 'r' | 'NEW', column: string): Sql {
  return sql`${constant(row)}.${quotedName(column)}`;
}

export function conversionSql(column: Sql | Name, from: ColumnType, to: ColumnType): Sql {
  const value = sql`${column}`;
  if (to === 'jsonb') return sql`to_jsonb(${ITSELF_IN_JSON.has(from) ? value : columnText(value, from)})`;
  if (to === 'text') return columnText(value, from);
  if (from === 'date' && to === 'timestamptz') return sql`(${value}::timestamp AT TIME ZONE 'UTC')`;
  if (typeof to === 'string') return sql`${value}::${typeName(to)}`;
  return sql`${value}::${to.many ? sql`text[]` : sql`text`}::${typeName(to)}`;
}

const ITSELF_IN_JSON: ReadonlySet<ColumnType> = new Set<ColumnType>(['bigint', 'double precision', 'boolean']);

function columnText(value: Sql, from: ColumnType): Sql {
  if (from === 'text') return value;
  return textSql(value, { kind: from === 'timestamptz' ? 'timestamp' : 'integer' });
}
