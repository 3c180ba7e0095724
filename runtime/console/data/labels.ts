/** What people call the records that others refer to. */
import { quotedName } from '../../../compiler/definition/sql/names.ts';
import { integer, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import type { DataRow } from '../../query/data-row.ts';
import type { Labels } from './data-forms.ts';
import type { DataModels, KnownColumn, KnownModel } from './data-models.ts';

/** In characters. */
const LONGEST = 80;

export function labelSql({ label, namesake }: KnownModel, of: Sql, models: DataModels, depth = 0): Sql {
  if (label) return sql`left(${of}.${label.name}, ${integer(LONGEST)})`;
  if (!namesake?.form.reference || depth === DEEPEST) return sql`NULL::text`;
  return lookup(namesake, models.model(namesake.form.reference.to), of, models, depth);
}

/** Models may take their names from each other in a circle. */
const DEEPEST = 3;

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
    return to?.label || to?.namesake ? [{ column, to }] : [];
  });
  return {
    columns: keys.flatMap(({ column, to }) => [sql`${of}.${column.name}`, lookup(column, to, of, models)]),
    read: (rows, at) =>
      Object.fromEntries(keys.map(({ column }, index) => [column.form.name, labelsIn(rows, at + 2 * index)])),
  };
}

function lookup(column: KnownColumn, to: KnownModel, of: Sql, models: DataModels, depth = 0): Sql {
  const alias = sql`${quotedName(`#to${depth}`)}`;
  const label = labelSql(to, alias, models, depth + 1);
  return sql`(SELECT ${label} FROM ${to.table} AS ${alias} WHERE ${alias}.${to.id.name} = ${of}.${column.name})`;
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
