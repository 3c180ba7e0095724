/**
 * Two definitions in, their differences out: what changes in the database, and what the author has yet to say about it.
 * The changes are complete even where there are problems; then they delete what nothing was said about.
 */
import { TOKENS } from '../definition/accounts.ts';
import type { Definition, Enum } from '../definition/definition.ts';
import { type ColumnType, itemTypeOf, type Table } from '../definition/schema.ts';
import { schemaFromDefinition } from '../schema/schema-from-definition.ts';
import { Asides } from './asides.ts';
import type { Change, EnumUse } from './change.ts';
import { type Comparison, comparisonOf } from './comparison.ts';
import { enumChanges } from './enum-changes.ts';
import { keyChanges, sequenceOf } from './key-changes.ts';
import { type Pairs, pairsOf } from './pairs.ts';
import { type ChangeProblem, problemsOf } from './problems.ts';
import { columnChanges, columnOf, isEqual, isOfEnum, type Renamed } from './table-changes.ts';
import { type TablePair, type TablePairs, tablePairs } from './table-pairs.ts';

interface Difference {
  readonly changes: readonly Change[];
  readonly problems: readonly ChangeProblem[];
}

export function changesBetween(previous: Definition, next: Definition): Difference {
  const comparison = comparisonOf(previous, next);
  return { changes: changesOf(comparison), problems: problemsOf(comparison) };
}

/** For those who ask for nothing else. */
export function problemsBetween(previous: Definition, next: Definition): readonly ChangeProblem[] {
  return problemsOf(comparisonOf(previous, next));
}

function changesOf(comparison: Comparison): readonly Change[] {
  const before = schemaFromDefinition(comparison.previous);
  const after = schemaFromDefinition(comparison.next);
  const tables = tablePairs(comparison, before, after);
  const asides = new Asides(after);
  const renamed = renamedIn(comparison, tables);
  const usesOf = (type: string) => tables.kept.flatMap((pair) => usesIn(pair, type, renamed));
  const isUnchanged = unchangedIn(comparison, renamed);
  return [
    ...enumChanges(comparison.enums, { after, asides, usesOf }),
    ...tables.kept.flatMap((pair) =>
      isUnchanged(pair)
        ? []
        : [...renamedTable(pair), ...columnChanges(pair, renamed), ...keyChanges(pair, renamed, asides)],
    ),
    ...tables.added.flatMap(addedTable),
    ...tables.gone.flatMap((table) => goneTable(table, asides)),
  ];
}

/**
 * Most tables, most often, where both definitions are of one process: they are the same objects then. The model stands for
 * what a table does not have, such as how values are normalised.
 */
function unchangedIn({ enums }: Comparison, renamed: Renamed): (pair: TablePair) => boolean {
  const same = new Set(enums.kept.filter((pair) => isEqual(pair.previous, pair.next)).map(({ next }) => next.type));
  return ({ previous, next, model, previousModel }) =>
    previous === next &&
    model === previousModel &&
    next.columns.every(({ type }) => typeof type === 'string' || same.has(type.enum)) &&
    next.foreignKeys.every(({ to }) => renamed.table(to.table) === to.table);
}

export function renamedTable({ previous: { name: from }, next: { name: to } }: TablePair): readonly Change[] {
  return from === to ? [] : [{ kind: 'rename', of: 'table', from, to, table: from }];
}

export function addedTable(table: Table): readonly Change[] {
  return [
    { kind: 'add-table', table },
    ...table.foreignKeys.map((key): Change => ({ kind: 'add-foreign-key', table, key, isOverValues: false })),
    ...table.indexes.map((index): Change => ({ kind: 'add-index', table, index })),
  ];
}

/** Keys to other tables go first: two tables that refer to each other can then go one after the other. */
function goneTable(table: Table, asides: Asides): readonly Change[] {
  const { name, primaryKey, columns, uniques, indexes, foreignKeys } = table;
  const sequence = sequenceOf(columns);
  const outward = foreignKeys.filter(({ to }) => to.table !== name);
  const aside = (of: 'table' | 'primary-key' | 'unique' | 'index' | 'sequence', from: string): readonly Change[] => {
    const to = asides.of(from);
    return to === from ? [] : [{ kind: 'rename', of, from, to, table: name }];
  };
  return [
    ...outward.map((key): Change => ({ kind: 'drop-foreign-key', table: name, key })),
    ...aside('table', name),
    ...aside('primary-key', primaryKey.name),
    ...(sequence === undefined ? [] : aside('sequence', sequence)),
    ...uniques.flatMap((key) => aside('unique', key.name)),
    ...indexes.flatMap((index) => aside('index', index.name)),
    { kind: 'drop-table', table: { ...table, name: asides.of(name) }, what: whatIsLostWith(table) },
  ];
}

export function whatIsLostWith({ name }: Table): string {
  return name === TOKENS ? 'everybody is signed out' : `the table "${name}" with its rows`;
}

export function renamedIn({ enums }: Comparison, tables: TablePairs): Renamed {
  const names = new Map(tables.kept.map(({ previous, next }) => [previous.name, next.name]));
  const types = new Map(enums.kept.map((pair) => [pair.previous.type, pair]));
  const pairOf = (type: ColumnType) => (typeof type === 'string' ? undefined : types.get(type.enum));
  return {
    table: (name) => names.get(name),
    type: (type) => (typeof type === 'string' ? type : enumType(pairOf(type)?.next, type)),
    value: (type, value) => {
      const pair = pairOf(type);
      return pair ? defaultNow(pairsOf(pair.previous.values, pair.next.values), type, value) : value;
    },
  };
}

function enumType(type: Enum | undefined, before: ColumnType): ColumnType | undefined {
  return type && { ...(before as object), enum: type.type };
}

/** The default of an array is a JSON list. */
function defaultNow(values: Pairs<Enum['values'][number]>, type: ColumnType, value: string): string {
  if (!itemTypeOf(type)) return valueNow(values, value);
  return JSON.stringify((JSON.parse(value) as readonly string[]).map((item) => valueNow(values, item)));
}

function valueNow({ kept }: Pairs<Enum['values'][number]>, value: string): string {
  return kept.find(({ previous }) => previous.name === value)?.next.name ?? value;
}

function usesIn({ previous, next, columns }: TablePair, type: string, renamed: Renamed): readonly EnumUse[] {
  return previous.columns.flatMap((from) => {
    const name = columns.get(from.name);
    if (name === undefined || !isOfEnum(renamed.type(from.type), type)) return [];
    const column = columnOf(next, name);
    if (!isOfEnum(column.type, type)) return [];
    return [{ table: next.name, column, hadDefault: from.default !== null }];
  });
}
