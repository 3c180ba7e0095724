/** How the keys and indexes of a table change that is still there. One is the same if it is over the same columns. */
import type { Column, ForeignKey, Index, Key, Table } from '../definition/schema.ts';
import type { Asides } from './asides.ts';
import type { Change, RenameRelation } from './change.ts';
import { asideColumn, isEqual, type Renamed } from './table-changes.ts';
import type { TablePair } from './table-pairs.ts';

/** Whether what is over these columns stays, under another name, until they are dropped. */
type IsRetained = (of: 'unique' | 'index' | 'foreign-key', columns: readonly string[]) => boolean;

interface KeyContext {
  readonly renamed: Renamed;
  readonly asides: Asides;
  readonly isRetained: IsRetained;
}

const NOTHING_STAYS: IsRetained = () => false;

export function keyChanges(
  pair: TablePair,
  renamed: Renamed,
  asides: Asides,
  isRetained = NOTHING_STAYS,
): readonly Change[] {
  const { previous, next } = pair;
  const context = { renamed, asides, isRetained };
  return [
    ...renamedRelation(previous, 'primary-key', previous.primaryKey.name, next.primaryKey.name),
    ...sequenceChanges(pair),
    ...uniqueChanges(pair, context),
    ...indexChanges(pair, context),
    ...foreignKeyChanges(pair, context),
  ];
}

function renamedRelation(table: Table, of: RenameRelation['of'], from: string, to: string): readonly Change[] {
  return from === to ? [] : [{ kind: 'rename', of, from, to, table: table.name }];
}

function sequenceChanges({ previous, next }: TablePair): readonly Change[] {
  const from = sequenceOf(previous.columns);
  const to = sequenceOf(next.columns);
  return from !== undefined && to !== undefined ? renamedRelation(previous, 'sequence', from, to) : [];
}

export function sequenceOf(columns: readonly Column[]): string | undefined {
  return columns.find(({ identity }) => identity !== null)?.identity?.sequence;
}

function uniqueChanges(pair: TablePair, context: KeyContext): readonly Change[] {
  const { previous, next, columns } = pair;
  const { asides, isRetained } = context;
  const now = (key: Key) => key.columns.map((name) => columns.get(name));
  const { kept, added, gone } = matched(previous.uniques, next.uniques, (from, to) => isEqual(now(from), to.columns));
  return [
    ...kept.flatMap(([from, to]) => renamedRelation(previous, 'unique', from.name, to.name)),
    ...gone.flatMap((key): readonly Change[] => {
      if (isRetained('unique', key.columns))
        return renamedRelation(previous, 'unique', key.name, asides.always(key.name));
      const name = asides.of(key.name);
      const columns = key.columns.map((column) => nameNow(pair, column));
      return [
        ...renamedRelation(previous, 'unique', key.name, name),
        { kind: 'drop-unique', table: next.name, name, columns },
      ];
    }),
    ...added.map((key): Change => ({ kind: 'add-unique', table: next, key })),
  ];
}

function indexChanges(pair: TablePair, context: KeyContext): readonly Change[] {
  const { previous, next, columns } = pair;
  const { asides, isRetained } = context;
  const now = (index: Index) => index.columns.map((part) => ({ ...part, name: columns.get(part.name) }));
  const { kept, added, gone } = matched(
    previous.indexes,
    next.indexes,
    (from, to) => from.search === to.search && isEqual(now(from), to.columns),
  );
  return [
    ...kept.flatMap(([from, to]) => renamedRelation(previous, 'index', from.name, to.name)),
    ...gone.flatMap((index): readonly Change[] => {
      const over = index.columns.map((column) => column.name);
      if (isRetained('index', over)) return renamedRelation(previous, 'index', index.name, asides.always(index.name));
      const name = asides.of(index.name);
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

function foreignKeyChanges(pair: TablePair, { renamed, asides, isRetained }: KeyContext): readonly Change[] {
  const { previous, next, columns } = pair;
  const isSame = (from: ForeignKey, to: ForeignKey) =>
    columns.get(from.column) === to.column && renamed.table(from.to.table) === to.to.table;
  const { kept, added, gone } = matched(previous.foreignKeys, next.foreignKeys, isSame);
  const keptColumns = new Set(columns.values());
  return [
    ...gone.map((key): Change => {
      const { name, column } = key;
      if (!isRetained('foreign-key', [column])) return { kind: 'drop-foreign-key', table: previous.name, key };
      return { kind: 'rename', of: 'foreign-key', table: next.name, from: name, to: asides.always(name) };
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

/** Of a column that is gone: where it is put aside. */
function nameNow(pair: TablePair, column: string): string {
  return pair.columns.get(column) ?? asideColumn(pair, column);
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
