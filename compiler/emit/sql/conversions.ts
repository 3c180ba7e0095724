/** Converts the values of a column to a wider type. */
import { digitsOfColumn } from '../../definition/digits.ts';
import { type ColumnType, itemTypeOf } from '../../definition/schema.ts';
import { eachItem, textSql } from '../../definition/sql/call-sql.ts';
import { quotedText } from '../../definition/sql/literals.ts';
import { sizedDecimal } from '../../definition/sql/overflow.ts';
import { constant, exact, joined, type Name, quotedName, type Sql, sql, typeName } from '../../definition/sql/sql.ts';

/** A column of the row that is read, or of the row that is being written. */
export function columnOf(row: 'r' | 'NEW', column: string): Sql {
  return sql`${constant(row)}.${quotedName(column)}`;
}

function conversionSql(column: Sql | Name, from: ColumnType, to: ColumnType): Sql {
  const value = sql`${column}`;
  if (to === 'jsonb') return sql`to_jsonb(${ITSELF_IN_JSON.has(from) ? value : columnText(value, from)})`;
  if (to === 'text') return columnText(value, from);
  if (from === 'date' && to === 'timestamptz') return sql`(${value}::timestamp AT TIME ZONE 'UTC')`;
  const digits = digitsOfColumn(itemTypeOf(to) ?? to);
  if (digits && itemTypeOf(to)) return eachItem(value, (item) => exact(sizedDecimal(item, digits)));
  if (digits) return exact(sizedDecimal(sql`${value}::numeric`, digits));
  if (typeof to === 'string') return sql`${value}::${typeName(to)}`;
  return sql`${value}::${to.many ? sql`text[]` : sql`text`}::${typeName(to)}`;
}

const ITSELF_IN_JSON: ReadonlySet<ColumnType> = new Set<ColumnType>(['bigint', 'double precision', 'boolean']);

function columnText(value: Sql, from: ColumnType): Sql {
  if (from === 'text') return value;
  return textSql(value, { kind: from === 'timestamptz' ? 'timestamp' : 'integer' });
}

// Converts values of a column to those of a column of another type, and back if they have an equivalent there.

interface TypeChange {
  readonly from: ColumnType;
  readonly to: ColumnType;
  /** The values of an enum that have changed. */
  readonly values: readonly ValueChange[];
}

interface ValueChange {
  readonly from: string;
  readonly to: string | null;
  readonly isDropped: boolean;
}

export function copiedSql(value: Sql, { from, to, values }: TypeChange): Sql {
  if (typeof from === 'string') return conversionSql(value, from, to);
  if (from.many) return sql`(${eachItem(value, (item) => mapped(sql`${item}::text`, values))})::${typeName(to)}`;
  return conversionSql(mapped(sql`${value}::text`, values), 'text', to);
}

/**
 * A value of the older type, or an error of Postgres if there is none. The caller checks whether it is exactly the same
 * value. `schema` has the older enums.
 */
export function givenBackSql(value: Sql, { from, to, values }: TypeChange, schema: string | null): Sql {
  const text = to === 'jsonb' ? sql`(${value} #>> '{}')` : sql`${value}::text`;
  const type = typeName(from);
  if (typeof from !== 'string') {
    const renamed = values.filter(({ isDropped }) => !isDropped);
    const back = renamed.map((change) => ({ from: String(change.to), to: change.from }));
    const before = from.many
      ? sql`(${eachItem(value, (item) => mapped(sql`${item}::text`, back))})`
      : mapped(text, back);
    return sql`${before}::${schema === null ? type : sql`${quotedName(schema)}.${type}`}`;
  }
  if (to === 'timestamptz') return sql`(${value} AT TIME ZONE 'UTC')::${type}`;
  const isNumber = to === 'numeric' || to === 'double precision' || digitsOfColumn(to) !== undefined;
  return sql`${isNumber ? value : text}::${type}`;
}

function mapped(text: Sql, values: readonly Pick<ValueChange, 'from' | 'to'>[]): Sql {
  if (values.length === 0) return text;
  const cases = values.map(
    ({ from, to }) => sql`WHEN ${quotedText(from)} THEN ${to === null ? sql`NULL` : quotedText(to)}`,
  );
  return sql`(CASE ${text} ${joined(cases, ' ')} ELSE ${text} END)`;
}
