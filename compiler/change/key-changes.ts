/** Changes of the keys and indexes of a table that still exists. Two are the same if they are over the same columns. */
import type { Column, ForeignKey, Index, Key, Table } from '../definition/schema.ts';
import type { Change, RenameRelation } from './change.ts';
import { isEqual } from './column-changes.ts';
import { type ShadowNames, shadowColumn, type TablePair } from './table-pairs.ts';

/** Tells whether a key or index over these columns stays, under another name, until the columns are dropped. */
type IsRetained = (of: 'unique' | 'index' | 'foreign-key', columns: readonly string[]) => boolean;

interface KeyContext {
  readonly tableNames: ReadonlyMap<string, string>;
  readonly shadows: ShadowNames;
}

export function keyChanges(pair: TablePair, names: KeyContext, isRetained: IsRetained): readonly Change[] {
  const { previous, next } = pair;
  const context = { ...names, isRetained };
  return [
    ...renamedRelation(previous, 'primary-key', previous.primaryKey.name, next.primaryKey.name),
    ...sequenceChanges(pair),
    ...uniqueChanges(pair, context),
    ...indexChanges(pair, context),
    ...foreignKeyChanges(pair, context),
  ];
}

type Context = KeyContext & { readonly isRetained: IsRetained };

function renamedRelation(table: Table, of: RenameRelation['of'], from: string, to: string): readonly Change[] {
  return from === to ? [] : [{ kind: 'rename', of, from, to, table: table.name }];
}

function sequenceChanges({ previous, next }: TablePair): readonly Change[] {
  const from = sequenceOf(previous.columns);
  const to = sequenceOf(next.columns);
  return from !== undefined && to !== undefined ? renamedRelation(previous, 'sequence', from, to) : [];
}

function sequenceOf(columns: readonly Column[]): string | undefined {
  return columns.find(({ identity }) => identity !== null)?.identity?.sequence;
}

function uniqueChanges(pair: TablePair, context: Context): readonly Change[] {
  const { previous, next, columns } = pair;
  const { shadows, isRetained } = context;
  const now = (key: Key) => key.columns.map((name) => columns.get(name));
  const { kept, added, gone } = matched(previous.uniques, next.uniques, (from, to) => isEqual(now(from), to.columns));
  return [
    ...kept.flatMap(([from, to]) => renamedRelation(previous, 'unique', from.name, to.name)),
    ...gone.flatMap((key): readonly Change[] => {
      if (isRetained('unique', key.columns))
        return renamedRelation(previous, 'unique', key.name, shadows.always(key.name));
      const name = shadows.of(key.name);
      const columns = key.columns.map((column) => nameNow(pair, column));
      return [
        ...renamedRelation(previous, 'unique', key.name, name),
        { kind: 'drop-unique', table: next.name, name, columns },
      ];
    }),
    ...added.map((key): Change => ({ kind: 'add-unique', table: next, key })),
  ];
}

function indexChanges(pair: TablePair, context: Context): readonly Change[] {
  const { previous, next, columns } = pair;
  const { shadows, isRetained } = context;
  const now = (index: Index) => index.columns.map((part) => ({ ...part, name: columns.get(part.name) }));
  const { kept, added, gone } = matched(
    previous.indexes,
    next.indexes,
    (from, to) => from.search === to.search && from.language === to.language && isEqual(now(from), to.columns),
  );
  return [
    ...kept.flatMap(([from, to]) => renamedRelation(previous, 'index', from.name, to.name)),
    ...gone.flatMap((index): readonly Change[] => {
      const over = index.columns.map((column) => column.name);
      if (isRetained('index', over)) return renamedRelation(previous, 'index', index.name, shadows.always(index.name));
      const name = shadows.of(index.name);
      const parts = index.columns.map((part) => ({ ...part, name: nameNow(pair, part.name) }));
      const dropped = { ...index, name, columns: parts };
      return [
        ...renamedRelation(previous, 'index', index.name, name),
        { kind: 'drop-index', table: next.name, index: dropped },
      ];
    }),
    ...added.map((index): Change => ({ kind: 'add-index', table: next, index })),
  ];
}

function foreignKeyChanges(pair: TablePair, { tableNames, shadows, isRetained }: Context): readonly Change[] {
  const { previous, next, columns } = pair;
  const isSame = (from: ForeignKey, to: ForeignKey) =>
    columns.get(from.column) === to.column && tableNames.get(from.to.table) === to.to.table;
  const { kept, added, gone } = matched(previous.foreignKeys, next.foreignKeys, isSame);
  const keptColumns = new Set(columns.values());
  return [
    ...gone.map((key): Change => {
      const { name, column } = key;
      if (!isRetained('foreign-key', [column])) return { kind: 'drop-foreign-key', table: previous.name, key };
      return { kind: 'rename', of: 'foreign-key', table: next.name, from: name, to: shadows.always(name) };
    }),
    ...kept.flatMap(([from, to]): readonly Change[] => [
      ...(from.name === to.name
        ? []
        : [{ kind: 'rename', of: 'foreign-key', table: next.name, from: from.name, to: to.name } as const]),
      ...(from.onDelete === to.onDelete
        ? []
        : [{ kind: 'change-foreign-key', table: next, key: to, was: from.onDelete } as const]),
    ]),
    ...added.map((key): Change => {
      return { kind: 'add-foreign-key', table: next, key, isOverValues: keptColumns.has(key.column) };
    }),
  ];
}

/** The current name of a column; for a column that is gone, the name of its shadow column. */
function nameNow(pair: TablePair, column: string): string {
  return pair.columns.get(column) ?? shadowColumn(pair, column);
}

interface Matched<T> {
  readonly kept: readonly (readonly [from: T, to: T])[];
  readonly added: readonly T[];
  readonly gone: readonly T[];
}

function matched<T>(previous: readonly T[], next: readonly T[], isSame: (from: T, to: T) => boolean): Matched<T> {
  const kept = previous.flatMap((from) => {
    const to = next.find((other) => isSame(from, other));
    return to === undefined ? [] : [[from, to] as const];
  });
  return {
    kept,
    added: next.filter((to) => !kept.some(([, other]) => other === to)),
    gone: previous.filter((from) => !kept.some(([other]) => other === from)),
  };
}
