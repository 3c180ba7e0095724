/** How the values of a column become values of a wider type. */
import type { ColumnType } from '../../definition/schema.ts';
import { textSql } from './calls.ts';
import { typeSql } from './schema-sql.ts';

export function conversionSql(value: string, from: ColumnType, to: ColumnType): string {
  if (to === 'jsonb') return `to_jsonb(${ITSELF_IN_JSON.has(from) ? value : columnText(value, from)})`;
  if (to === 'text') return columnText(value, from);
  if (from === 'date' && to === 'timestamptz') return `(${value}::timestamp AT TIME ZONE 'UTC')`;
  return typeof to === 'string' ? `${value}::${to}` : `${value}::text::${typeSql(to)}`;
}

const ITSELF_IN_JSON: ReadonlySet<ColumnType> = new Set<ColumnType>(['bigint', 'double precision', 'boolean']);

function columnText(value: string, from: ColumnType): string {
  if (from === 'text') return value;
  return textSql(value, { kind: from === 'timestamptz' ? 'timestamp' : 'integer' });
}
