/** What people call the records that others refer to. */
import { integer, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import type { DataRow } from '../../query/data-row.ts';
import type { Labels } from './data-forms.ts';
import type { DataModels, KnownColumn, KnownModel } from './data-models.ts';

/** In characters. */
const LONGEST = 80;

export function labelSql({ label }: KnownModel, of: Sql): Sql {
  return label ? sql`left(${of}.${label.name}, ${integer(LONGEST)})` : sql`NULL::text`;
}

interface LabelReader {
  /** Of the rows of a statement: an id and a label for each column that refers to something. */
  readonly columns: readonly Sql[];
  /** `at` is where those columns begin. */
  read(rows: readonly DataRow[], at: number): Labels;
}

/** One lookup by primary key for each reference of each row. */
export function labelReader({ columns }: KnownModel, of: Sql, models: DataModels): LabelReader {
  const keys = columns.flatMap((column) => {
    const to = column.form.reference && models.model(column.form.reference.to);
    return to?.label ? [{ column, to }] : [];
  });
  return {
    columns: keys.flatMap(({ column, to }) => [sql`${of}.${column.name}`, lookup(column, to, of)]),
    read: (rows, at) =>
      Object.fromEntries(keys.map(({ column }, index) => [column.form.name, labelsIn(rows, at + 2 * index)])),
  };
}

function lookup(column: KnownColumn, to: KnownModel, of: Sql): Sql {
  const key = sql`"#to".${to.id.name} = ${of}.${column.name}`;
  return sql`(SELECT ${labelSql(to, sql`"#to"`)} FROM ${to.table} AS "#to" WHERE ${key})`;
}

function labelsIn(rows: readonly DataRow[], at: number): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const row of rows) {
    const id = row.text(at);
    const label = row.text(at + 1);
    if (id !== null && label !== null) found[id] = label;
  }
  return found;
}
