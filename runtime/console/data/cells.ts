/** From columns to cells: what is selected of each, and what becomes of it. Secrets are not selected at all. */
import { isTextInJson } from '../../../compiler/definition/scalars.ts';
import { integer, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import type { DataRow } from '../../query/data-row.ts';
import { parserOf } from '../../values/kinds.ts';
import type { Value } from '../../values/value.ts';
import { type Cell, HIDDEN } from './data-forms.ts';
import type { KnownColumn } from './data-models.ts';

/** How a cell is read, and how many columns of the statement it takes. */
interface CellReader {
  readonly columns: readonly Sql[];
  read(row: DataRow, at: number): Cell;
}

/** Reads whole records, or the beginnings of their values for a table. */
export interface RowReader {
  readonly columns: readonly Sql[];
  /** `first` is where the columns begin in the row. */
  read(row: DataRow, first?: number): readonly Cell[];
}

/** In characters. */
const SHORT = 200;
/** A browser cannot show more of one value in a form. */
const LONG = 200_000;

export function rowReader(columns: readonly KnownColumn[], of: Sql, form: 'table' | 'record'): RowReader {
  const readers = columns.map((column) => cellReader(column, sql`${of}.${column.name}`, form));
  return {
    columns: readers.flatMap((reader) => reader.columns),
    read(row, first = 0) {
      let at = first;
      return readers.map((reader) => {
        const cell = reader.read(row, at);
        at += reader.columns.length;
        return cell;
      });
    },
  };
}

function cellReader(
  { field: { type }, form: { isSecret } }: KnownColumn,
  column: Sql,
  form: 'table' | 'record',
): CellReader {
  if (isSecret) return { columns: [sql`${column} IS NULL`], read: (row, at) => (row.text(at) === 't' ? null : HIDDEN) };
  const isComposed = type.many === true || type.kind === 'json';
  if (!isComposed && type.kind !== 'string') return plainCell(column, parserOf(type));
  const printed = type.many ? listText(column, type.kind) : sql`${column}::text`;
  const limit = form === 'table' ? SHORT : LONG;
  const parse = parserOf(type);
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

function plainCell(column: Sql, parse: (text: string | null) => Value): CellReader {
  // Only lists and JSON have values that are no cells.
  return { columns: [column], read: (row, at) => parse(row.text(at)) as Cell };
}

function listText(column: Sql, kind: string): Sql {
  return isTextInJson(kind) ? sql`to_json(${column}::text[])::text` : sql`to_json(${column})::text`;
}
