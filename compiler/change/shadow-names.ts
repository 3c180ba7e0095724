import type { Schema, Table } from '../definition/schema.ts';
import type { TablePair } from './table-pairs.ts';

/**
 * The names of things that are to be dropped. Drops come last, because they cannot be taken back; a name that something
 * else needs before that is freed by a rename.
 */
export class ShadowNames {
  readonly #after: Schema;
  #needed: ReadonlySet<string> | null = null;
  readonly #names = new Map<string, string>();
  #count = 0;

  /** The names of `after` are needed. */
  constructor(after: Schema) {
    this.#after = after;
  }

  /** What the thing is called when it is dropped. */
  of(name: string): string {
    // Most changes drop nothing, and never get here.
    this.#needed ??= new Set(relationNames(this.#after));
    return this.#needed.has(name) ? this.always(name) : name;
  }

  always(name: string): string {
    const known = this.#names.get(name) ?? `${PREFIX}${++this.#count}`;
    this.#names.set(name, known);
    return known;
  }
}

/** No name of an author begins with `kiln_`. */
const PREFIX = 'kiln_aside_';

export function isShadow(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** What the shadow column is called that has the values of a column which is gone, or has another type now. */
export function shadowColumn({ previous, next }: TablePair, name: string): string {
  const taken = new Set([...previous.columns, ...next.columns].map((column) => column.name));
  let shadow = `${PREFIX}${previous.columns.findIndex((column) => column.name === name)}`;
  while (taken.has(shadow)) shadow += '_';
  return shadow;
}

/** The names that Postgres keeps in one place, near enough: those of relations and of types. */
function relationNames({ enums, tables }: Schema): readonly string[] {
  return [...enums.map(({ name }) => name), ...tables.flatMap((table) => [table.name, ...partNames(table)])];
}

function partNames({ primaryKey, columns, uniques, indexes }: Table): readonly string[] {
  const sequences = columns.flatMap(({ identity }) => (identity ? [identity.sequence] : []));
  return [primaryKey.name, ...sequences, ...[...uniques, ...indexes].map(({ name }) => name)];
}
