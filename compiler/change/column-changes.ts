/** Changes of columns that still exist, with their types, and the values of new columns. */
import type { Field, Model } from '../definition/definition.ts';
import type { Expression } from '../definition/expression.ts';
import type { Column } from '../definition/schema.ts';
import { isInDatabase } from '../schema/in-database.ts';
import type { Change, Fill } from './change.ts';
import { fieldOf, type TablePair } from './table-pairs.ts';

export function renamedColumn(table: string, from: string, to: string): readonly Change[] {
  return from === to ? [] : [{ kind: 'rename', of: 'column', table, from, to }];
}

export function keptColumn(pair: TablePair, from: Column, to: Column): readonly Change[] {
  const table = pair.next.name;
  const isSameDefault = isEqual(from.default, to.default);
  return [
    ...renamedColumn(table, from.name, to.name),
    ...(isSameDefault ? [] : [{ kind: 'change-default', table, column: to, was: from.default } as const]),
    ...(from.nullable === to.nullable ? [] : [changedNullability(pair, to)]),
    ...normalisedValues(pair, from, to),
  ];
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

/** Normalises the values of a column that was not normalised before. The other values already have their form. */
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

export function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
