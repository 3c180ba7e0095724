/**
 * Two definitions in, the changes of the database out, for a database that continues to serve the older one. What the
 * older release needs is retained: dropped things are retired, and a column of another type is a new column beside a
 * shadow column with the former values. The changes are complete even if there are problems; then they delete data that
 * the author has not decided about.
 */
import { TOKENS } from '../definition/accounts.ts';
import type { Definition, Enum, EnumValue, Field } from '../definition/definition.ts';
import { hasFiles } from '../definition/files.ts';
import { fieldOf as itemOf, promisesRecord, readsOfValue } from '../definition/read-items.ts';
import {
  type Column,
  type ColumnType,
  type EnumType,
  type ForeignKey,
  itemTypeOf,
  type ReactionTrigger,
  type Schema,
  type Table,
} from '../definition/schema.ts';
import { isJobDiscarded, JOBS } from '../definition/work.ts';
import { bodyOf } from '../schema/reactions.ts';
import { schemaFromDefinition } from '../schema/schema-from-definition.ts';
import type {
  AddColumn,
  Change,
  ChangedValue,
  ChangeNullability,
  CopiedColumn,
  DetachReference,
  KeepView,
  TableNow,
  ValuePlace,
} from './change.ts';
import { fillOfNew, fillOfNull, isEqual, keptColumn, normalisedValues, renamedColumn } from './column-changes.ts';
import { type Comparison, comparisonOf, type ModelComparison, type Pair, type Pairs, pairsOf } from './comparison.ts';
import { keyChanges } from './key-changes.ts';
import { columnOf, ShadowNames, shadowColumn, type TablePair, type TablePairs, tablePairs } from './table-pairs.ts';

export function changesBetween(previous: Definition, next: Definition): readonly Change[] {
  const comparison = comparisonOf(previous, next);
  const after = schemaFromDefinition(next);
  const tables = tablePairs(comparison, schemaFromDefinition(previous), after);
  const replaced = comparison.enums.kept.filter(isReplaced);
  const kept = comparison.enums.kept.filter((pair) => !isReplaced(pair));
  const context: Context = {
    tableNames: new Map(tables.kept.map((pair) => [pair.previous.name, pair.next.name])),
    shadows: new ShadowNames(after),
    keptEnums: new Set(kept.map((pair) => pair.next.type)),
    replacedEnums: new Map(replaced.map((pair) => [pair.previous.type, pair])),
    files: fileColumns(comparison),
  };
  const changes = [
    ...comparison.members.flatMap(lossyFields),
    ...enumChanges(comparison.enums, tables, after),
    ...tables.kept.flatMap((pair) => keptTable(pair, context)),
    ...tables.added.flatMap(addedTable),
    ...tables.gone.flatMap((table) => goneTable(table, context)),
  ];
  return [...changes, ...reactionChanges(comparison, tables, changes, context), ...jobChanges(comparison, context)];
}

function lossyFields({ previous, remade }: ModelComparison): readonly Change[] {
  return remade
    .filter(({ why }) => why === 'type')
    .map((field) => ({ kind: 'check-empty', table: previous.table, column: field.previous.column }));
}

interface Context {
  /** The current names of the tables that still exist, by their previous names. */
  readonly tableNames: ReadonlyMap<string, string>;
  readonly shadows: ShadowNames;
  /** The types of enums that are as they were, or have more values. */
  readonly keptEnums: ReadonlySet<string>;
  /** Enums that are created again, by the previous names of their types. */
  readonly replacedEnums: ReadonlyMap<string, Pair<Enum>>;
  /** The columns of files, by the previous names of their tables. Empty if this release has no files, and so nothing that removes them. */
  readonly files: ReadonlyMap<string, readonly string[]>;
}

function fileColumns({ previous, next }: Comparison): Context['files'] {
  const columns = hasFiles(next)
    ? previous.models.map(({ table, fields }) => [table, fields.filter(isFileField)] as const)
    : [];
  const found = columns.filter(([, files]) => files.length > 0);
  return new Map(found.map(([table, files]) => [table, files.map(({ column }) => column)]));
}

const isFileField = ({ file }: Field) => file !== undefined;

// ── Tables that are still there ─────────────────────────────────────────────────────────────────────────────────────

function keptTable(pair: TablePair, context: Context): readonly Change[] {
  const retyped = retypedColumns(pair, context);
  const withoutRetyped = { ...pair, columns: new Map([...pair.columns].filter(([from]) => !retyped.has(from))) };
  const changes = [
    ...renamedTable(pair),
    ...columnChanges(withoutRetyped, retyped, context),
    ...keyChanges(withoutRetyped, context, (of, columns) =>
      of === 'unique'
        ? isUniqueRetained(pair, retyped, columns)
        : columns.some((name) => retyped.has(name) || !pair.columns.has(name)),
    ),
  ];
  return [...keptView(pair, changes), ...changes, ...forgottenColumns(withoutRetyped, context)];
}

function renamedTable({ previous: { name: from }, next: { name: to } }: TablePair): readonly Change[] {
  return from === to ? [] : [{ kind: 'rename', of: 'table', from, to, table: from }];
}

/** Collects the columns that have another type now, by their previous names. A new column takes over their values. */
function retypedColumns({ previous, next, columns }: TablePair, context: Context): ReadonlyMap<string, Column> {
  const retyped = previous.columns.flatMap((from) => {
    const name = columns.get(from.name);
    if (name === undefined) return [];
    const to = columnOf(next, name);
    return isSameType(from.type, to.type, context) ? [] : [[from.name, to] as const];
  });
  return new Map(retyped);
}

function isSameType(from: ColumnType, to: ColumnType, { keptEnums }: Context): boolean {
  return (typeof from === 'string' || keptEnums.has(from.enum)) && isEqual(from, to);
}

function columnChanges(pair: TablePair, retyped: ReadonlyMap<string, Column>, context: Context): readonly Change[] {
  const { previous, next, columns } = pair;
  const kept = new Set(columns.values());
  const sources = new Map([...retyped].map(([from, to]) => [to.name, columnOf(previous, from)]));
  return [
    ...previous.columns.flatMap((column) => {
      const to = columns.get(column.name);
      if (to === undefined) return goneColumn(pair, column, retyped.has(column.name), context);
      return keptColumn(pair, column, columnOf(next, to));
    }),
    ...next.columns
      .filter(({ name }) => !kept.has(name))
      .flatMap((column) => addedColumn(pair, column, sources.get(column.name), context)),
  ];
}

function goneColumn(
  pair: TablePair,
  { name, nullable }: Column,
  isCopied: boolean,
  { files }: Context,
): readonly Change[] {
  const { previous, next } = pair;
  const column = shadowColumn(pair, name);
  const isFile = files.get(previous.name)?.includes(name) ?? false;
  const what = `the column "${name}" of "${previous.name}" ${isCopied ? 'in its old type' : 'with its values'}`;
  return [
    ...renamedColumn(next.name, name, column),
    {
      kind: 'retire-column',
      table: next.name,
      column,
      wasNullable: nullable,
      what,
      isCopied,
      ...(isFile && { isFile }),
    },
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
  const key = pair.previous.foreignKeys.find((candidate) => candidate.column === name);
  const pairOfEnums = typeof type === 'string' ? undefined : context.replacedEnums.get(type.enum);
  const values = pairOfEnums ? valuesNow(pairOfEnums, column) : [];
  return { column: shadowColumn(pair, name), from: type, values, refersTo: key ? tableNow(key, context) : null };
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

/**
 * The view for the previous release. Added columns, keys and indexes do not matter to it: it continues with the table
 * itself.
 */
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

// ── Tables that are new, or gone, and references that are gone ──────────────────────────────────────────────────────

function addedTable(table: Table): readonly Change[] {
  return [
    { kind: 'add-table', table },
    ...table.foreignKeys.map((key): Change => ({ kind: 'add-foreign-key', table, key, isOverValues: false })),
    ...table.indexes.map((index): Change => ({ kind: 'add-index', table, index })),
  ];
}

function goneTable(table: Table, context: Context): readonly Change[] {
  const what = table.name === TOKENS ? 'everybody is signed out' : `the table "${table.name}" with its rows`;
  const files = context.files.get(table.name);
  return [
    { kind: 'retire-table', table, what, ...(files && { files }) },
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
    column: shadowColumn(pair, key.column),
    key: context.shadows.always(key.name),
    act: 'set null',
  }));
}

function tableNow({ to }: Pick<ForeignKey, 'to'>, { tableNames }: Context): TableNow {
  const name = tableNames.get(to.table);
  return name === undefined ? { name: to.table, isRetired: true } : { name, isRetired: false };
}

// ── Reactions and jobs ──────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The changes of reactions. A reaction that is the same in both releases stays for both, unless a table that it reads is
 * another one for the previous release.
 */
function reactionChanges(
  { previous, next }: Comparison,
  tables: TablePairs,
  changes: readonly Change[],
  context: Context,
): readonly Change[] {
  const { reactions: before = [] } = schemaFromDefinition(previous);
  const { reactions: after = [] } = schemaFromDefinition(next);
  const other = new Set(
    changes.flatMap((change) =>
      change.kind === 'keep-view' || change.kind === 'retire-table' ? [change.table.name] : [],
    ),
  );
  const isKept = ({ name }: ReactionTrigger) =>
    after.some((reaction) => reaction.name === name) &&
    before.some((reaction) => reaction.name === name && !reaction.reads.some((table) => other.has(table)));
  return [
    ...before
      .filter((reaction) => !isKept(reaction))
      .map((reaction) => retiredReaction(reaction, previous, tables, context)),
    ...after
      .filter((reaction) => !isKept(reaction))
      .map((reaction): Change => {
        const isShared = tables.kept.some((pair) => pair.next.name === reaction.table);
        return { kind: 'add-reaction', reaction, isShared };
      }),
  ];
}

function retiredReaction(
  reaction: ReactionTrigger,
  definition: Definition,
  { kept }: TablePairs,
  context: Context,
): Change {
  const pair = kept.find(({ previous }) => previous.name === reaction.table);
  const columns = new Map(pair ? columnsNow(pair, context) : []);
  const body = bodyOf(reaction, definition, columns);
  return {
    kind: 'retire-reaction',
    reaction,
    of: tableNow({ to: { table: reaction.table, column: 'id' } }, context),
    bodyNow: body === reaction.body ? null : body,
  };
}

/** The current names of the columns of the previous release. */
function columnsNow(pair: TablePair, context: Context): readonly (readonly [string, string])[] {
  const retyped = retypedColumns(pair, context);
  return pair.previous.columns.map(({ name }) => {
    const now = retyped.has(name) ? undefined : pair.columns.get(name);
    return [name, now ?? shadowColumn(pair, name)];
  });
}

function jobChanges({ jobs: { kept, gone }, next }: Comparison, context: Context): readonly Change[] {
  const of = tableNow({ to: { table: JOBS, column: 'id' } }, context);
  const dropped = (isDiscarded: boolean): readonly Change[] => {
    const jobs = gone.filter((job) => isJobDiscarded(job, next) === isDiscarded).map(({ name }) => name);
    return jobs.length === 0 ? [] : [{ kind: 'drop-jobs', jobs, isDiscarded, of }];
  };
  return [
    ...kept.flatMap(({ previous: { name: from }, next: { name: to } }): readonly Change[] =>
      from === to ? [] : [{ kind: 'rename-jobs', from, to }],
    ),
    ...dropped(false),
    ...dropped(true),
  ];
}

// ── What is required only later ─────────────────────────────────────────────────────────────────────────────────────

/**
 * Marks the changes that make a column required only later. A column without a replacement for null stays nullable
 * while the previous release may write null. So does a column whose value is computed from such a column, or from a
 * record that need not exist yet.
 */
export function requiredLater(changes: readonly Change[], next: Definition): readonly Change[] {
  const required = changes.filter(isRequired);
  const later = new Set(required.filter((change) => mayLackValue(change, next)));
  // A set may grow while it is walked through, so what reads an added one is found too.
  for (const { table, column } of later) {
    const item = readItem(table, column, next);
    if (item === undefined) continue;
    for (const change of required) {
      const { fill } = change;
      if (fill !== null && readsOfValue(fill.value, fill.model, next).has(item)) later.add(change);
    }
  }
  return changes.map((change) => (isRequired(change) && later.has(change) ? { ...change, isLater: true } : change));
}

function mayLackValue({ kind, fill }: RequiredChange, next: Definition): boolean {
  return fill === null ? kind === 'change-nullability' : promisesRecord(fill.value, next);
}

/** The read item of a column; undefined for a table of Kiln's own. */
function readItem(table: Table, column: Column, { models }: Definition): string | undefined {
  const model = models.find((candidate) => candidate.table === table.name);
  const field = model?.fields.find((candidate) => candidate.column === column.name);
  return model && field ? itemOf(model.name, field.name) : undefined;
}

type RequiredChange = AddColumn | ChangeNullability;

function isRequired(change: Change): change is RequiredChange {
  return (change.kind === 'add-column' || change.kind === 'change-nullability') && !change.column.nullable;
}

// ── Enums ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Changes of the types of enums. Postgres can only add values in place, and both releases share the names of types and
// values. Every other change needs a new type, and the previous one is retired.

function isReplaced({ previous, next }: Pair<Enum>): boolean {
  const values = pairsOf(previous.values, next.values);
  const isRenamed = values.kept.some((pair) => pair.previous.name !== pair.next.name);
  return previous.type !== next.type || isRenamed || values.gone.length > 0 || !keepsOrder(previous.values, values);
}

/** Whether the values that stay had the same order before: they have the order of `next` now. */
function keepsOrder(previous: readonly EnumValue[], { kept }: Pairs<EnumValue>): boolean {
  const places = kept.map((pair) => previous.indexOf(pair.previous));
  return places.every((place, at) => at === 0 || place > (places[at - 1] as number));
}

function enumChanges(enums: Pairs<Enum>, tables: TablePairs, after: Schema): readonly Change[] {
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

/** Checks for dropped values in columns that still have the type. */
function checkedValues({ previous, next }: Pair<Enum>, { kept }: TablePairs): readonly Change[] {
  const dropped = pairsOf(previous.values, next.values).gone.map(({ name }) => name);
  const uses = kept.flatMap((pair) =>
    pair.previous.columns
      .filter(({ name, type }) => isOfEnum(type, previous.type) && isNowOfEnum(pair, name, next.type))
      .map(({ name, type }) => ({ table: pair.previous.name, column: name, type })),
  );
  return dropped.length === 0 || uses.length === 0 ? [] : [{ kind: 'check-values', dropped, uses }];
}

function isNowOfEnum({ next, columns }: TablePair, name: string, type: string): boolean {
  const now = columns.get(name);
  return now !== undefined && isOfEnum(columnOf(next, now).type, type);
}

/** Whether a column has values of the enum, or lists of them. */
function isOfEnum(type: ColumnType, name: string): boolean {
  return typeof type === 'object' && type.enum === name;
}

function addedValues({ previous, next }: Pair<Enum>, type: EnumType, { kept, gone }: TablePairs): readonly Change[] {
  const values = pairsOf(previous.values, next.values);
  const hasType = ({ columns }: Table) => columns.some((column) => isOfEnum(column.type, previous.type));
  const first = values.kept[0]?.next.name;
  return values.added.map(({ name: value }): Change => {
    const tables = [...kept.filter((pair) => hasType(pair.previous)).map((pair) => pair.next), ...gone.filter(hasType)];
    const place = placeOf(type.values[type.values.indexOf(value) - 1], first);
    return { kind: 'add-value', enum: type.name, value, place, tables: tables.map(({ name }) => name) };
  });
}

/** Finds the place of an added value. The values before it exist already, because values are added in order. */
function placeOf(before: string | undefined, first: string | undefined): ValuePlace | null {
  if (before !== undefined) return { kind: 'after', value: before };
  return first === undefined ? null : { kind: 'before', value: first };
}

/**
 * The previous release may still write a value that is dropped. Then a record has another one here, unless it is text. A
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
  return column.nullable ? null : (values[0]?.name ?? null);
}
