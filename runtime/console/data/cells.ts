/** Turns columns into cells: what is selected of each, and how it is read. Secrets are not selected at all. */
import { isTextInJson } from '../../../compiler/definition/scalars.ts';
import { integer, quotedName, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import type { DataRow } from '../../query/data-row.ts';
import { parserOf } from '../../values/kinds.ts';
import { type Cell, type FileCell, HIDDEN } from './data-forms.ts';
import type { KnownColumn, KnownModel, ShownColumn } from './data-models.ts';

/** A reader of some columns of a statement. `at` is where they begin in the row. */
export interface Reader<T> {
  readonly columns: readonly Sql[];
  read(row: DataRow, at: number): T;
}

export function together<T>(readers: readonly Reader<T>[]): Reader<readonly T[]> {
  const columns = readers.flatMap((reader) => reader.columns);
  const read = (row: DataRow, first: number): readonly T[] => {
    let at = first;
    return readers.map((reader) => {
      at += reader.columns.length;
      return reader.read(row, at - reader.columns.length);
    });
  };
  return { columns, read };
}

/** The longest text in a table, in characters. */
const SHORT = 200;
/** A browser cannot show more of one value in a form. */
const LONG = 200_000;

/** Reads whole records, or the beginnings of their values for a table. Hidden columns are not selected. */
export function rowReader(
  { shown }: KnownModel,
  of: Sql,
  form: 'table' | 'record',
  hidden: readonly string[] = [],
): Reader<readonly Cell[]> {
  const nothing = { columns: [], read: () => null };
  return together(
    shown.map((column) => (hidden.includes(column.form.name) ? nothing : cellReader(column, column.place(of), form))),
  );
}

function cellReader(
  { field: { type }, form: { isSecret } }: ShownColumn,
  column: Sql,
  form: 'table' | 'record',
): Reader<Cell> {
  if (isSecret) return { columns: [sql`${column} IS NULL`], read: (row, at) => (row.text(at) === 't' ? null : HIDDEN) };
  const parse = parserOf(type);
  if (type.kind === 'file') return { columns: [column], read: (row, at) => fileCell(parse(row.text(at))) };
  const isComposed = type.many === true || type.kind === 'json';
  // Only lists and JSON have values that are not cells.
  if (!isComposed && type.kind !== 'string')
    return { columns: [column], read: (row, at) => parse(row.text(at)) as Cell };
  const printed = type.many ? listText(column, type.kind) : sql`${column}::text`;
  const limit = form === 'table' ? SHORT : LONG;
  const shown = type.many ? (found: string) => JSON.stringify(parse(found)) : (found: string) => found;
  return {
    columns: [sql`left(${printed}, ${integer(limit)})`, sql`length(${printed})`],
    read(row, at) {
      const found = row.text(at);
      const length = Number(row.text(at + 1));
      if (found === null) return null;
      return length > limit ? { cut: found, length } : shown(found);
    },
  };
}

/** The id of a file names its place in the store. The browser does not need it. */
function fileCell(value: unknown): FileCell | null {
  if (value === null) return null;
  const { name, type, size } = value as FileCell;
  return { name, type, size };
}

export function listText(column: Sql, kind: string): Sql {
  return isTextInJson(kind) ? sql`to_json(${column}::text[])::text` : sql`to_json(${column})::text`;
}

// ── Labels ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// The labels of records that others refer to.

/** The longest label, in characters. */
const LONGEST = 80;

export function labelSql({ label, namesake, models }: KnownModel, of: Sql, depth = 0): Sql {
  if (label) return sql`left(${of}.${label.name}, ${integer(LONGEST)})`;
  if (!namesake?.form.reference || depth === DEEPEST) return sql`NULL::text`;
  return lookup(namesake, models.model(namesake.form.reference.to), of, depth);
}

/** Models may take their names from each other in a circle. */
const DEEPEST = 3;

/** One lookup by primary key for each reference of each row. */
export function labelReader({ columns, models }: KnownModel, of: Sql) {
  const keys = columns.flatMap((column) => {
    const to = column.form.reference && models.model(column.form.reference.to);
    return to?.label || to?.namesake ? [{ column, to }] : [];
  });
  return {
    /** The columns of a statement: an id and a label for each column that refers to something. */
    columns: keys.flatMap(({ column, to }) => [sql`${of}.${column.name}`, lookup(column, to, of)]),
    /** `at` is where those columns begin. */
    read: (rows: readonly DataRow[], at: number) =>
      Object.fromEntries(keys.map(({ column }, index) => [column.form.name, labelsIn(rows, at + 2 * index)])),
  };
}

function lookup(column: KnownColumn, to: KnownModel, of: Sql, depth = 0): Sql {
  const alias = sql`${quotedName(`#to${depth}`)}`;
  const label = labelSql(to, alias, depth + 1);
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
