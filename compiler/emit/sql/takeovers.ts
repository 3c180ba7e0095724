/** How values of a column become those of a column of another type, and back where they have a place there. */
import type { ColumnType } from '../../definition/schema.ts';
import { quotedName } from '../../definition/sql/names.ts';
import { conversionSql } from './conversions.ts';
import { quotedText } from './literals.ts';
import { typeSql } from './schema-sql.ts';

interface TypeChange {
  readonly from: ColumnType;
  readonly to: ColumnType;
  /** Of an enum: its values that are not what they were. */
  readonly values: readonly ValueChange[];
}

interface ValueChange {
  readonly from: string;
  readonly to: string | null;
  readonly isDropped: boolean;
}

export function copiedSql(value: string, { from, to, values }: TypeChange): string {
  if (typeof from === 'string') return conversionSql(value, from, to);
  return conversionSql(mapped(`${value}::text`, values), 'text', to);
}

/**
 * A value of the older type, or an error of Postgres where there is none. Whether it stands for the very same value is
 * for the caller to see. `schema` has the older enums.
 */
export function givenBackSql(value: string, { from, to, values }: TypeChange, schema: string | null): string {
  const text = to === 'jsonb' ? `(${value} #>> '{}')` : `${value}::text`;
  if (typeof from !== 'string') {
    const renamed = values.filter(({ isDropped }) => !isDropped);
    const back = renamed.map((change) => ({ from: String(change.to), to: change.from }));
    return `${mapped(text, back)}::${schema === null ? '' : `${quotedName(schema)}.`}${typeSql(from)}`;
  }
  if (to === 'timestamptz') return `(${value} AT TIME ZONE 'UTC')::${from}`;
  return to === 'numeric' || to === 'double precision' ? `${value}::${from}` : `${text}::${from}`;
}

function mapped(text: string, values: readonly Pick<ValueChange, 'from' | 'to'>[]): string {
  if (values.length === 0) return text;
  const cases = values.map(({ from, to }) => `WHEN ${quotedText(from)} THEN ${to === null ? 'NULL' : quotedText(to)}`);
  return `(CASE ${text} ${cases.join(' ')} ELSE ${text} END)`;
}
