/**
 * The differences of two definitions for a database that goes on serving the older one. What the older release needs is
 * kept for it: what it drops is put aside, and a column of another type is a new column beside the one of before. Nothing
 * here deletes a value or gives it another type.
 */
import type { Definition, Enum, EnumValue } from '../definition/definition.ts';
import { fieldOf, promisesRecord, readsOfValue } from '../definition/read-items.ts';
import {
  type Column,
  type ColumnType,
  type EnumType,
  type ForeignKey,
  itemTypeOf,
  type Schema,
  type Table,
} from '../definition/schema.ts';
import { schemaFromDefinition } from '../schema/schema-from-definition.ts';
import { Asides } from './asides.ts';
import type {
  AddColumn,
  Change,
  ChangedValue,
  ChangeNullability,
  CopiedColumn,
  DetachReference,
  KeepView,
  TableNow,
} from './change.ts';
import { addedTable, renamedIn, renamedTable, whatIsLostWith } from './changes-between.ts';
import { type Comparison, comparisonOf, type ModelComparison } from './comparison.ts';
import { additions, keepsOrder } from './enum-changes.ts';
import { keyChanges } from './key-changes.ts';
import { type Pair, pairsOf } from './pairs.ts';
import {
  asideColumn,
  columnOf,
  fillOfNew,
  fillOfNull,
  isEqual,
  isOfEnum,
  keptColumn,
  normalisedValues,
  type Renamed,
  renamedColumn,
} from './table-changes.ts';
import { type TablePair, type TablePairs, tablePairs } from './table-pairs.ts';

export function changesBeside(previous: Definition, next: Definition): readonly Change[] {
  const comparison = comparisonOf(previous, next);
  const before = schemaFromDefinition(previous);
  const after = schemaFromDefinition(next);
  const tables = tablePairs(comparison, before, after);
  const context: Context = {
    tables,
    renamed: renamedIn(comparison, tables),
    asides: new Asides(after),
    replaced: new Map(comparison.enums.kept.filter(isReplaced).map((pair) => [pair.previous.type, pair])),
  };
  return requiredLater(
    [
      ...comparison.members.flatMap(lossyFields),
      ...enumChanges(comparison, tables, after),
      ...tables.kept.flatMap((pair) => keptTable(pair, context)),
      ...tables.added.flatMap(addedTable),
      ...tables.gone.flatMap((table) => goneTable(table, context)),
    ],
    next,
  );
}

function lossyFields({ previous, remade }: ModelComparison): readonly Change[] {
  return remade
    .filter(({ why }) => why === 'type')
    .map((field) => ({ kind: 'check-empty', table: previous.table, column: field.previous.column }));
}

interface Context {
  readonly tables: TablePairs;
  readonly renamed: Renamed;
  readonly asides: Asides;
  /** Enums that are made anew, by the names of their types before. */
  readonly replaced: ReadonlyMap<string, Pair<Enum>>;
}

// ── What is required only later ─────────────────────────────────────────────────────────────────────────────────────

/**
 * Without a value that could take its place, null stays possible for as long as the release before may write it. So does
 * a value that is computed from such a one, or from a record that need not be there yet.
 */
function requiredLater(changes: readonly Change[], next: Definition): readonly Change[] {
  const required = changes.filter(isRequired);
  const later = new Set(required.filter((change) => mayLackValue(change, next)));
  // A set may grow while it is walked through, so what reads an added one is found too.
  for (const { table, column } of later) {
    const item = itemOf(table, column, next);
    for (const change of required) if (isFilledFrom(change, item, next)) later.add(change);
  }
  return changes.map((change) => (isRequired(change) && later.has(change) ? { ...change, isLater: true } : change));
}

function mayLackValue({ kind, fill }: RequiredChange, next: Definition): boolean {
  return fill === null ? kind === 'change-nullability' : promisesRecord(fill.value, next);
}

function isFilledFrom({ fill }: RequiredChange, item: string | undefined, next: Definition): boolean {
  return fill !== null && item !== undefined && readsOfValue(fill.value, fill.model, next).has(item);
}

/** Nothing for a column of a table that is Kiln's own. */
function itemOf(table: Table, column: Column, { models }: Definition): string | undefined {
  const model = models.find((candidate) => candidate.table === table.name);
  const field = model?.fields.find((candidate) => candidate.column === column.name);
  return model && field ? fieldOf(model.name, field.name) : undefined;
}

type RequiredChange = AddColumn | ChangeNullability;

function isRequired(change: Change): change is RequiredChange {
  return (change.kind === 'add-column' || change.kind === 'change-nullability') && !change.column.nullable;
}

// ── Enums ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** In place a type can only grow: a name of it, or of a value, is one for both releases. */
function isReplaced({ previous, next }: Pair<Enum>): boolean {
  const values = pairsOf(previous.values, next.values);
  const isRenamed = values.kept.some((pair) => pair.previous.name !== pair.next.name);
  return previous.type !== next.type || isRenamed || values.gone.length > 0 || !keepsOrder(previous.values, values);
}

function enumChanges({ enums }: Comparison, tables: TablePairs, after: Schema): readonly Change[] {
  const typeOf = (name: string) => after.enums.find((type) => type.name === name) as EnumType;
  const replaced = enums.kept.filter(isReplaced);
  const gone = [...enums.gone, ...replaced.map((pair) => pair.previous)];
  const added = [...enums.added, ...replaced.map((pair) => pair.next)];
  return [
    ...replaced.flatMap((pair) => checkedValues(pair, tables)),
    ...gone.map(({ type }): Change => ({ kind: 'retire-enum', enum: type })),
    ...added.map(({ type }): Change => ({ kind: 'add-enum', enum: typeOf(type) })),
    ...enums.kept
      .filter((pair) => !isReplaced(pair))
      .flatMap((pair) => addedValues(pair, typeOf(pair.next.type), tables)),
  ];
}

function addedValues({ previous, next }: Pair<Enum>, type: EnumType, { kept, gone }: TablePairs): readonly Change[] {
  const values = pairsOf(previous.values, next.values);
  // To look into every table for each enum would take long, and few have a value more.
  if (values.added.length === 0) return [];
  const hasType = ({ columns }: Table) => columns.some((column) => isOfEnum(column.type, previous.type));
  const tables = [...kept.filter((pair) => hasType(pair.previous)).map((pair) => pair.next), ...gone.filter(hasType)];
  return additions(
    type,
    values,
    tables.map(({ name }) => name),
  );
}

/** In columns that still have the type. */
function checkedValues({ previous, next }: Pair<Enum>, { kept }: TablePairs): readonly Change[] {
  const dropped = pairsOf(previous.values, next.values).gone.map(({ name }) => name);
  const uses = kept.flatMap((pair) =>
    pair.previous.columns
      .filter(({ name, type }) => isOfEnum(type, previous.type) && isOfType(pair, name, next.type))
      .map(({ name, type }) => ({ table: pair.previous.name, column: name, type })),
  );
  return dropped.length === 0 || uses.length === 0 ? [] : [{ kind: 'check-values', dropped, uses }];
}

function isOfType({ next, columns }: TablePair, name: string, type: string): boolean {
  const now = columns.get(name);
  return now !== undefined && isOfEnum(columnOf(next, now).type, type);
}

// ── Tables that are still there ─────────────────────────────────────────────────────────────────────────────────────

function keptTable(pair: TablePair, context: Context): readonly Change[] {
  if (isUnchanged(pair, context)) return [];
  const { renamed, asides } = context;
  const retyped = retypedColumns(pair, context);
  const withoutRetyped = { ...pair, columns: new Map([...pair.columns].filter(([from]) => !retyped.has(from))) };
  const changes = [
    ...renamedTable(pair),
    ...columnChanges(withoutRetyped, retyped, context),
    ...keyChanges(withoutRetyped, renamed, asides, (of, columns) =>
      of === 'unique' ? isUniqueRetained(pair, retyped, columns) : columns.some((name) => isAside(pair, retyped, name)),
    ),
  ];
  return [...keptView(pair, changes), ...changes, ...forgottenColumns(withoutRetyped, context)];
}

/** Most tables, most often. A shared model stands for what a table does not have, such as how values are normalised. */
function isUnchanged({ previous, next, model, previousModel }: TablePair, { replaced }: Context): boolean {
  return model === previousModel && replaced.size === 0 && isEqual(previous, next);
}

/** By the names of before. Their values are taken over by a new column. */
function retypedColumns({ previous, next, columns }: TablePair, context: Context): ReadonlyMap<string, Column> {
  const retyped = previous.columns.flatMap((from) => {
    const name = columns.get(from.name);
    if (name === undefined) return [];
    const to = columnOf(next, name);
    return isSameType(from.type, to.type, context) ? [] : [[from.name, to] as const];
  });
  return new Map(retyped);
}

function isSameType(from: ColumnType, to: ColumnType, { renamed, replaced }: Context): boolean {
  if (typeof from !== 'string' && replaced.has(from.enum)) return false;
  return isEqual(renamed.type(from), to);
}

function columnChanges(pair: TablePair, retyped: ReadonlyMap<string, Column>, context: Context): readonly Change[] {
  const { previous, next, columns } = pair;
  const kept = new Set(columns.values());
  const sources = new Map([...retyped].map(([from, to]) => [to.name, columnOf(previous, from)]));
  return [
    ...previous.columns.flatMap((column) => {
      const to = columns.get(column.name);
      if (to === undefined) return goneColumn(pair, column, retyped.has(column.name));
      return keptColumn(pair, column, columnOf(next, to), context.renamed);
    }),
    ...next.columns
      .filter(({ name }) => !kept.has(name))
      .flatMap((column) => addedColumn(pair, column, sources.get(column.name), context)),
  ];
}

function goneColumn(pair: TablePair, { name, nullable }: Column, isCopied: boolean): readonly Change[] {
  const { previous, next } = pair;
  const column = asideColumn(pair, name);
  const what = `the column "${name}" of "${previous.name}" ${isCopied ? 'in its old type' : 'with its values'}`;
  return [
    ...renamedColumn(next.name, name, column),
    { kind: 'retire-column', table: next.name, column, wasNullable: nullable, what, isCopied },
  ];
}

function addedColumn(pair: TablePair, column: Column, source: Column | undefined, context: Context): readonly Change[] {
  const { next: table } = pair;
  if (!source) return [{ kind: 'add-column', table, column, copiedFrom: null, fill: fillOfNew(pair, column) }];
  const copiedFrom = copiedColumnOf(pair, source, column, context);
  const fill = source.nullable && !column.nullable ? fillOfNull(pair, column) : null;
  return [{ kind: 'add-column', table, column, copiedFrom, fill }, ...normalisedValues(pair, source, column)];
}

function copiedColumnOf(pair: TablePair, { name, type }: Column, column: Column, context: Context): CopiedColumn {
  const { replaced } = context;
  const key = pair.previous.foreignKeys.find((candidate) => candidate.column === name);
  const pairOfEnums = typeof type === 'string' ? undefined : replaced.get(type.enum);
  const values = pairOfEnums ? valuesNow(pairOfEnums, column) : [];
  return { column: asideColumn(pair, name), from: type, values, refersTo: key ? tableNow(key, context) : null };
}

/**
 * The release before may still write a value that is dropped. Then a record has another one here, unless it is text. A
 * list has one item less.
 */
function valuesNow({ previous, next }: Pair<Enum>, column: Column): readonly ChangedValue[] {
  const { kept, gone } = pairsOf(previous.values, next.values);
  const isList = itemTypeOf(column.type) !== undefined;
  const instead = isList ? null : valueInstead(next, column);
  const renamed = kept.map((pair) => ({ from: pair.previous.name, to: pair.next.name, isDropped: false }));
  return [
    ...renamed.filter(({ from, to }) => from !== to),
    ...(isOfEnum(column.type, next.type) ? gone : []).map(({ name }) => {
      return { from: name, to: instead, isDropped: true };
    }),
  ];
}

function valueInstead({ values }: Enum, column: Column): string | null {
  if (column.default?.kind === 'value') return column.default.text;
  return column.nullable ? null : firstOf(values);
}

function firstOf(values: readonly EnumValue[]): string | null {
  return values[0]?.name ?? null;
}

function isAside({ columns }: TablePair, retyped: ReadonlyMap<string, Column>, name: string): boolean {
  return retyped.has(name) || !columns.has(name);
}

/**
 * A unique key stays only if it can refuse no row of this release, which knows nothing of it: either this release never
 * writes its columns and leaves one of them null, or it has such a key too, over the columns that have another type now.
 */
function isUniqueRetained(
  { previous, next, columns }: TablePair,
  retyped: ReadonlyMap<string, Column>,
  over: readonly string[],
): boolean {
  const now = over.flatMap((name) => columns.get(name) ?? []);
  if (now.length === 0) return over.some((name) => columnOf(previous, name).default === null);
  const isWhole = now.length === over.length && over.some((name) => retyped.has(name));
  return isWhole && next.uniques.some((key) => key.columns.every((name) => now.includes(name)));
}

/** Added columns, keys and indexes do not matter to the release before: it goes on with the table itself. */
function keptView({ previous, columns }: TablePair, changes: readonly Change[]): readonly KeepView[] {
  const isOther = changes.some(
    ({ kind, ...change }) =>
      kind === 'retire-column' ||
      kind === 'change-default' ||
      (kind === 'rename' && 'of' in change && (change.of === 'table' || change.of === 'column')),
  );
  if (!isOther) return [];
  const changed = new Set(changes.flatMap((change) => (change.kind === 'change-default' ? [change.column.name] : [])));
  const defaults = previous.columns.filter(({ name }) => changed.has(columns.get(name) ?? ''));
  return [{ kind: 'keep-view', table: previous, defaults }];
}

// ── Tables that are gone, and references that are ───────────────────────────────────────────────────────────────────

function goneTable(table: Table, context: Context): readonly Change[] {
  return [
    { kind: 'retire-table', table, what: whatIsLostWith(table) },
    ...table.foreignKeys.map((key): DetachReference => {
      const own = { name: table.name, isRetired: true };
      const act = key.onDelete === 'restrict' ? 'delete' : 'nothing';
      return {
        kind: 'detach-reference',
        of: tableNow(key, context),
        table: own,
        column: key.column,
        key: key.name,
        act,
      };
    }),
  ];
}

function forgottenColumns(pair: TablePair, context: Context): readonly DetachReference[] {
  const { previous, next, columns } = pair;
  const gone = previous.foreignKeys.filter(({ column }) => !columns.has(column));
  return gone.map((key) => ({
    kind: 'detach-reference',
    of: tableNow(key, context),
    table: { name: next.name, isRetired: false },
    column: asideColumn(pair, key.column),
    key: context.asides.always(key.name),
    act: 'set null',
  }));
}

function tableNow({ to }: ForeignKey, { renamed }: Context): TableNow {
  const name = renamed.table(to.table);
  return name === undefined ? { name: to.table, isRetired: true } : { name, isRetired: false };
}
