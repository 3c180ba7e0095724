/** Names the keys of a table, and adds the indexes that its foreign keys need. */
import type { Names } from '../definition/names.ts';
import type { Column, ForeignKey, Index, IndexColumn, Key, Table } from '../definition/schema.ts';

/** A table whose keys have no names yet. */
export interface TableDraft {
  readonly name: string;
  readonly columns: readonly ColumnDraft[];
  readonly primaryKey: readonly string[];
  readonly uniques: readonly (readonly string[])[];
  readonly foreignKeys: readonly Omit<ForeignKey, 'name'>[];
  readonly indexes: readonly (readonly IndexColumn[])[];
  /** The columns of each search, in the order of their names. */
  readonly searches?: readonly Search[];
  readonly unlogged?: true;
}

export interface Search extends Pick<Index, 'language'> {
  readonly columns: readonly string[];
}

export interface ColumnDraft extends Omit<Column, 'identity'> {
  readonly isCounted: boolean;
}

export function tableFromDraft(draft: TableDraft, names: Pick<Names, 'claim'>): Table {
  const { name: table } = draft;
  const claim = (columns: readonly string[], suffix: string) => names.claim([table, ...columns], suffix);
  return {
    name: table,
    primaryKey: { name: claim([], '_pkey'), columns: draft.primaryKey },
    columns: draft.columns.map(({ name, type, nullable, default: value, isCounted }) => ({
      name,
      type,
      nullable,
      default: value,
      identity: isCounted ? { sequence: claim([name], '_seq') } : null,
    })),
    uniques: distinct(draft.uniques)
      .map((columns): Key => ({ name: claim(columns, '_key'), columns }))
      .sort(byName),
    foreignKeys: distinct(draft.foreignKeys)
      .map((key): ForeignKey => ({ name: claim([key.column], '_fkey'), ...key }))
      .sort(byName),
    indexes: [
      ...distinct([...draft.indexes, ...indexesOfForeignKeys(draft)]).map(
        (columns): Index => ({
          name: claim(
            columns.map(({ name, descending }) => (descending ? `${name}_desc` : name)),
            '_idx',
          ),
          columns,
        }),
      ),
      ...distinct(draft.searches ?? []).map((search) => searchIndex(search, claim)),
    ].sort(byName),
    ...(draft.unlogged && { unlogged: true }),
  };
}

function searchIndex(
  { columns, language }: Search,
  claim: (columns: readonly string[], suffix: string) => string,
): Index {
  return {
    name: claim(language ? [...columns, language] : columns, '_search_idx'),
    columns: columns.map((name) => ({ name, descending: false })),
    search: true,
    ...(language && { language }),
  };
}

/** The missing indexes of foreign keys. Without one, deleting a record reads every row that might refer to it. */
function indexesOfForeignKeys({ uniques, indexes, foreignKeys }: TableDraft): readonly IndexColumn[][] {
  const leading = new Set([...uniques.map(([first]) => first), ...indexes.map(([first]) => first?.name)]);
  const bare = foreignKeys.filter(({ column }) => !leading.has(column));
  return bare.map(({ column }) => [{ name: column, descending: false }]);
}

/** The distinct items, in an order that does not depend on how they were written. */
function distinct<T>(items: readonly T[]): readonly T[] {
  if (items.length < 2) return items;
  const texts = new Map(items.map((item) => [JSON.stringify(item), item]));
  return [...texts.keys()].sort().map((text) => texts.get(text) as T);
}

/** Compares names by code unit, which for the ASCII of identifiers is the same everywhere. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}
