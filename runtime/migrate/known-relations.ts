/** The tables that are there before a release, and which locks of a session are on them. */
import type pg from 'pg';
import { COMPATIBILITY_SCHEMAS } from '../../compiler/definition/migration.ts';
import { counts, modeFromCatalog } from './lock-modes.ts';

export interface KnownTable {
  /** All that it was called since the release began: a rename is predicted under either name. */
  readonly names: Set<string>;
  /** What it is called now. */
  name: string;
  /** Another one once the table is written anew. */
  file: string;
}

/** By the numbers of the tables in the catalog. */
export type HeldLocks = ReadonlyMap<string, ReadonlySet<string>>;

interface RelationRow {
  readonly oid: string;
  /** That it belongs to; a table belongs to itself. */
  readonly table: string;
  readonly kind: 'r' | 'i' | 'S';
  readonly name: string;
  readonly file: string;
}

/** Indexes and sequences belong to their tables: whoever waits for one of them is a request to the table. */
const RELATIONS = `
  SELECT relation.oid::text AS oid, coalesce(indrelid, refobjid, relation.oid)::text AS table, relkind::text AS kind,
    relname AS name, relfilenode::text AS file
  FROM pg_class AS relation JOIN pg_namespace ON pg_namespace.oid = relnamespace
    LEFT JOIN pg_index ON indexrelid = relation.oid
    LEFT JOIN pg_depend ON relkind = 'S' AND objid = relation.oid AND classid = 'pg_class'::regclass
      AND refclassid = 'pg_class'::regclass AND deptype IN ('a', 'i')
  WHERE relkind IN ('r', 'i', 'S') AND (nspname = $1 OR nspname ~ $2)
    AND relname NOT IN ('kiln_releases', 'kiln_release_progress')`;

interface LockRow {
  readonly oid: string;
  readonly mode: string;
  /** Null once it is dropped. */
  readonly name: string | null;
  readonly file: string | null;
}

/** They are held to the end of the transaction, so none is missed. */
const LOCKS = `
  SELECT relation::text AS oid, mode, relname AS name, relfilenode::text AS file
  FROM pg_locks LEFT JOIN pg_class ON pg_class.oid = relation
  WHERE locktype = 'relation' AND pid = $1 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

export class KnownRelations {
  readonly #relations: ReadonlyMap<string, RelationRow>;
  readonly #tables: ReadonlyMap<string, KnownTable>;

  private constructor(rows: readonly RelationRow[]) {
    this.#relations = new Map(rows.map((row) => [row.oid, row]));
    const tables = rows.filter(({ kind }) => kind === 'r');
    this.#tables = new Map(tables.map(({ oid, name, file }) => [oid, { names: new Set([name]), name, file }]));
  }

  /** `schema` is that of the application. */
  static async of(client: pg.Client, schema: string): Promise<KnownRelations> {
    return new KnownRelations((await client.query<RelationRow>(RELATIONS, [schema, COMPATIBILITY_SCHEMAS])).rows);
  }

  table(oid: string): KnownTable | undefined {
    return this.#tables.get(oid);
  }

  /** The locks of a session on tables that are known, and which of these were written anew since the last look. */
  async look(client: pg.Client, pid: number): Promise<{ readonly held: HeldLocks; readonly rewritten: Set<string> }> {
    const { rows } = await client.query<LockRow>(LOCKS, [pid]);
    const held = new Map<string, Set<string>>();
    const rewritten = new Set<string>();
    for (const row of rows) {
      const relation = this.#relations.get(row.oid);
      const mode = relation && modeOnTable(relation, modeFromCatalog(row.mode));
      if (!relation || !mode || !this.#tables.has(relation.table)) continue;
      held.set(relation.table, (held.get(relation.table) ?? new Set()).add(mode));
      if (this.#isRewritten(row)) rewritten.add(row.oid);
    }
    return { held, rewritten };
  }

  #isRewritten({ oid, name, file }: LockRow): boolean {
    const table = this.#tables.get(oid);
    if (!table || name === null || file === null) return false;
    const isRewritten = table.file !== file;
    table.names.add(name);
    Object.assign(table, { name, file });
    return isRewritten;
  }
}

/** A sequence is asked for its next value with ROW EXCLUSIVE: whoever waits for it inserts rows into the table. */
function modeOnTable({ kind }: RelationRow, mode: string): string | undefined {
  if (!counts(mode)) return undefined;
  if (kind !== 'S') return mode;
  return mode === 'ROW EXCLUSIVE' || mode === 'SHARE UPDATE EXCLUSIVE' ? undefined : 'SHARE';
}
