/** Which table of one schema is which of the other, and so its columns. */
import type { Definition, Field, Model } from '../definition/definition.ts';
import type { Schema, Table } from '../definition/schema.ts';
import type { Comparison, ModelComparison } from './comparison.ts';

export interface TablePair {
  readonly previous: Table;
  readonly next: Table;
  /** Where the columns went that are still there: their names by those of before. */
  readonly columns: ReadonlyMap<string, string>;
  /** Nothing for a table that is Kiln's own. */
  readonly model: Model | null;
  readonly previousModel: Model | null;
}

export interface TablePairs {
  readonly kept: readonly TablePair[];
  readonly added: readonly Table[];
  readonly gone: readonly Table[];
}

export function tablePairs(comparison: Comparison, before: Schema, after: Schema): TablePairs {
  const tables = { before: tablesByName(before), after: tablesByName(after) };
  const kept = [...comparison.members.map((model) => modelTables(model, tables)), ...tokenTables(comparison, tables)];
  const previous = new Set(kept.map((pair) => pair.previous));
  const next = new Set(kept.map((pair) => pair.next));
  return {
    kept,
    added: after.tables.filter((table) => !next.has(table)),
    gone: before.tables.filter((table) => !previous.has(table)),
  };
}

interface BothTables {
  readonly before: ReadonlyMap<string, Table>;
  readonly after: ReadonlyMap<string, Table>;
}

function tablesByName({ tables }: Schema): ReadonlyMap<string, Table> {
  return new Map(tables.map((table) => [table.name, table]));
}

function modelTables({ previous, next, fields }: ModelComparison, { before, after }: BothTables): TablePair {
  return {
    previous: before.get(previous.table) as Table,
    next: after.get(next.table) as Table,
    columns: new Map(fields.kept.map((pair) => [pair.previous.column, pair.next.column])),
    model: next,
    previousModel: previous,
  };
}

/** Of other users, or of users with other ids, nobody is signed in. */
function tokenTables({ previous, next, models }: Comparison, { before, after }: BothTables): readonly TablePair[] {
  const isSame = models.kept.some((pair) => hasPassword(previous, pair.previous) && hasPassword(next, pair.next));
  const tables = { previous: before.get(TOKENS), next: after.get(TOKENS) };
  if (!isSame || !tables.previous || !tables.next) return [];
  const columns = new Map(tables.next.columns.map(({ name }) => [name, name]));
  return [{ previous: tables.previous, next: tables.next, columns, model: null, previousModel: null }];
}

export const TOKENS = 'kiln_tokens';

function hasPassword({ auth }: Definition, { name }: Model): boolean {
  return auth !== null && auth.password !== null && auth.model === name;
}

export function fieldOf({ model }: TablePair, column: string): Field | undefined {
  return model?.fields.find((field) => field.column === column);
}
