/** Pairs of the tables of two schemas, and of their columns. */
import { MAIL_TOKENS, TOKENS, UNVERIFIED } from '../definition/accounts.ts';
import type { Definition, Field, Model } from '../definition/definition.ts';
import { byName } from '../definition/lookup.ts';
import type { Column, Schema, Table } from '../definition/schema.ts';
import type { Comparison, ModelComparison } from './comparison.ts';

export interface TablePair {
  readonly previous: Table;
  readonly next: Table;
  /** The current names of the columns that still exist, by their previous names. */
  readonly columns: ReadonlyMap<string, string>;
  /** The model of the table; null for a table of Kiln's own. */
  readonly model: Model | null;
  readonly previousModel: Model | null;
}

export interface TablePairs {
  readonly kept: readonly TablePair[];
  readonly added: readonly Table[];
  readonly gone: readonly Table[];
}

export function tablePairs(comparison: Comparison, before: Schema, after: Schema): TablePairs {
  const tables = { before: byName(before.tables), after: byName(after.tables) };
  const kept = [...comparison.members.map((model) => modelTables(model, tables)), ...ownTables(comparison, tables)];
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

function modelTables({ previous, next, fields }: ModelComparison, { before, after }: BothTables): TablePair {
  return {
    previous: before.get(previous.table) as Table,
    next: after.get(next.table) as Table,
    columns: new Map(fields.kept.map((pair) => [pair.previous.column, pair.next.column])),
    model: next,
    previousModel: previous,
  };
}

/**
 * Pairs the tables of Kiln's own: no name of an author begins with `kiln_`. Tokens are lost if the users are another
 * model or have other ids: nobody is signed in then.
 */
function ownTables({ previous, next, models }: Comparison, tables: BothTables): readonly TablePair[] {
  const isSame = models.kept.some((pair) => hasPassword(previous, pair.previous) && hasPassword(next, pair.next));
  const lost = isSame ? [] : [TOKENS, MAIL_TOKENS, UNVERIFIED];
  const own = [...tables.before.keys()].filter((name) => name.startsWith('kiln_') && !lost.includes(name));
  return own.flatMap((name) => ownTable(name, tables));
}

function ownTable(name: string, { before, after }: BothTables): readonly TablePair[] {
  const previous = before.get(name);
  const next = after.get(name);
  if (!previous || !next) return [];
  const columns = new Map(previous.columns.map((column) => [column.name, column.name]));
  return [{ previous, next, columns, model: null, previousModel: null }];
}

function hasPassword({ auth }: Definition, { name }: Model): boolean {
  return auth !== null && auth.password !== null && auth.model === name;
}

export function fieldOf({ model }: TablePair, column: string): Field | undefined {
  return model?.fields.find((field) => field.column === column);
}

export function columnOf({ columns }: Table, name: string): Column {
  return columns.find((column) => column.name === name) as Column;
}

/**
 * The names of things that are to be dropped. Drops come last, because they cannot be taken back; a name that something
 * else needs before that is freed by a rename.
 */
export class ShadowNames {
  readonly #needed: ReadonlySet<string>;
  readonly #names = new Map<string, string>();
  #count = 0;

  /** The names of `after` are needed. */
  constructor(after: Schema) {
    this.#needed = new Set(relationNames(after));
  }

  /** The name of the thing when it is dropped. */
  of(name: string): string {
    return this.#needed.has(name) ? this.always(name) : name;
  }

  always(name: string): string {
    const known = this.#names.get(name) ?? `${PREFIX}${++this.#count}`;
    this.#names.set(name, known);
    return known;
  }
}

/** The prefix of freed names. */
const PREFIX = 'kiln_aside_';

export function isShadow(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** The name of the shadow column with the values of a column that is gone or has another type now. */
export function shadowColumn({ previous, next }: TablePair, name: string): string {
  const taken = new Set([...previous.columns, ...next.columns].map((column) => column.name));
  let shadow = `${PREFIX}${previous.columns.findIndex((column) => column.name === name)}`;
  while (taken.has(shadow)) shadow += '_';
  return shadow;
}

/** The names that share a name space in Postgres, approximately: those of relations and of types. */
function relationNames({ enums, tables }: Schema): readonly string[] {
  return [...enums.map(({ name }) => name), ...tables.flatMap((table) => [table.name, ...partNames(table)])];
}

function partNames({ primaryKey, columns, uniques, indexes }: Table): readonly string[] {
  const sequences = columns.flatMap(({ identity }) => (identity ? [identity.sequence] : []));
  return [primaryKey.name, ...sequences, ...[...uniques, ...indexes].map(({ name }) => name)];
}
