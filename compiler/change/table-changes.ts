/** How a table changes that is still there: its name, its columns, and what is said of each of them. */
import type { Field, Model } from '../definition/definition.ts';
import type { Expression } from '../definition/expression.ts';
import type { Column, ColumnDefault, ColumnType, Table } from '../definition/schema.ts';
import { isInDatabase } from '../schema/in-database.ts';
import type { Change, Fill } from './change.ts';
import { fieldOf, type TablePair } from './table-pairs.ts';

/** What became of the names of the release before. */
export interface Renamed {
  readonly table: (name: string) => string | undefined;
  readonly type: (type: ColumnType) => ColumnType | undefined;
  readonly value: (type: ColumnType, value: string) => string;
}

export function columnChanges(pair: TablePair, renamed: Renamed): readonly Change[] {
  const { previous, next, columns } = pair;
  const kept = new Set(columns.values());
  return [
    ...previous.columns.flatMap((column) => {
      const to = columns.get(column.name);
      return to === undefined ? goneColumn(pair, column) : keptColumn(pair, column, columnOf(next, to), renamed);
    }),
    ...next.columns.filter(({ name }) => !kept.has(name)).map((column) => addedColumn(pair, column)),
  ];
}

export function columnOf({ columns }: Table, name: string): Column {
  return columns.find((column) => column.name === name) as Column;
}

function goneColumn(pair: TablePair, { name }: Column): readonly Change[] {
  const { previous, next } = pair;
  const isNeeded = next.columns.some((column) => column.name === name);
  const column = isNeeded ? asideColumn(pair, name) : name;
  const what = `the column "${name}" of "${previous.name}" with its values`;
  return [...renamedColumn(next.name, name, column), { kind: 'drop-column', table: next.name, column, what }];
}

export function asideColumn({ previous, next }: TablePair, name: string): string {
  const taken = new Set([...previous.columns, ...next.columns].map((column) => column.name));
  let aside = `kiln_aside_${previous.columns.findIndex((column) => column.name === name)}`;
  while (taken.has(aside)) aside += '_';
  return aside;
}

export function renamedColumn(table: string, from: string, to: string): readonly Change[] {
  return from === to ? [] : [{ kind: 'rename', of: 'column', table, from, to }];
}

function addedColumn(pair: TablePair, column: Column): Change {
  return { kind: 'add-column', table: pair.next, column, copiedFrom: null, fill: fillOfNew(pair, column) };
}

export function keptColumn(pair: TablePair, from: Column, to: Column, renamed: Renamed): readonly Change[] {
  const table = pair.next.name;
  const isSameType = isEqual(renamed.type(from.type), to.type);
  const hadDefault = from.default !== null;
  const isSameDefault = isEqual(defaultNow(from, renamed), to.default);
  return [
    ...renamedColumn(table, from.name, to.name),
    ...(isSameType ? [] : [{ kind: 'change-type', table, column: to, from: from.type, hadDefault } as const]),
    ...(isSameDefault || !isSameType
      ? []
      : [{ kind: 'change-default', table, column: to, was: from.default } as const]),
    ...(from.nullable === to.nullable ? [] : [changedNullability(pair, to)]),
    ...normalisedValues(pair, from, to),
  ];
}

/** Values that were renamed are renamed in defaults too. */
function defaultNow({ type, default: value }: Column, renamed: Renamed): ColumnDefault | null {
  return value?.kind === 'value' ? { kind: 'value', text: renamed.value(type, value.text) } : value;
}

function changedNullability(pair: TablePair, column: Column): Change {
  const fill = column.nullable ? null : fillOfNull(pair, column);
  return { kind: 'change-nullability', table: pair.next, column, fill };
}

/** A default that the database knows fills a new column by itself. */
export function fillOfNew(pair: TablePair, column: Column): Fill | null {
  const field = fieldOf(pair, column.name);
  return field ? fillOf(pair, field, field.backfill ?? (column.default === null ? field.default : null)) : null;
}

export function fillOfNull(pair: TablePair, column: Column): Fill | null {
  const field = fieldOf(pair, column.name);
  return field ? fillOf(pair, field, field.backfill ?? field.default) : null;
}

function fillOf({ model }: TablePair, field: Field, value: Expression | null): Fill | null {
  const isNothing = value === null || (value.kind === 'literal' && value.value === null);
  if (!model || isNothing || !isInDatabase(value)) return null;
  return { model: model.name, field: field.name, value };
}

/** Only what is normalised now and was not before: the other values are in their form already. */
export function normalisedValues(pair: TablePair, from: Column, to: Column): readonly Change[] {
  const field = fieldOf(pair, to.name);
  const before = pair.previousModel?.fields.find(({ column }) => column === from.name)?.normalise ?? [];
  const isNew = field?.normalise?.some((normaliser) => !before.includes(normaliser)) ?? false;
  const fill = field && isNew ? fillOf(pair, field, normalised(field, pair.model as Model)) : null;
  if (!field || !fill) return [];
  const isUnique = pair.next.uniques.some(({ columns }) => columns.includes(to.name));
  return [{ kind: 'normalise-values', table: pair.next, column: to, isUnique, fill }];
}

function normalised({ name, type, normalise = [] }: Field, model: Model): Expression {
  const value: Expression = { kind: 'field', path: [], model: model.name, field: name, type };
  return normalise.reduce<Expression>(
    (text, step) => ({ kind: 'call', function: step, arguments: [text], type }),
    value,
  );
}

/** Whether a column has values of the enum, or lists of them. */
export function isOfEnum(type: ColumnType | undefined, name: string): boolean {
  return typeof type === 'object' && type.enum === name;
}

export function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
