/**
 * Observes after each statement of a transaction which locks it holds and which tables it has rewritten. Locks stay
 * until the end of the transaction, so the taken ones are seen exactly, and a statement may have its locks from an
 * earlier one.
 */
import type pg from 'pg';
import { COMPATIBILITY_SCHEMAS, type Hazard, type MigrationStatement } from '../../compiler/definition/migration.ts';

/** The locks and rewritten tables after a statement. */
interface Sight {
  readonly held: HeldLocks;
  readonly rewritten: ReadonlySet<string>;
}

/** Effects on tables that existed before the release. */
interface Effects {
  readonly locks: readonly TableLock[];
  readonly rewrites: readonly string[];
}

interface TableLock {
  readonly table: string;
  /** The lock mode in the words of Postgres: `ACCESS EXCLUSIVE`. */
  readonly mode: string;
}

export interface Judgement {
  /** Effects that were not predicted, or were stronger than predicted. */
  readonly unpredicted: Effects;
  /** Effects that were predicted and did not happen. */
  readonly missing: Effects;
}

export class TransactionWatch {
  readonly #known: KnownRelations;
  readonly #predicted: TableLock[] = [];
  #held: HeldLocks;

  /** `held` is what the transaction holds before its first statement: somebody else has predicted that. */
  constructor(known: KnownRelations, held: HeldLocks) {
    this.#known = known;
    this.#held = held;
  }

  judge({ hazards }: MigrationStatement, { held, rewritten }: Sight): Judgement {
    const predicted = predictedBy(hazards);
    this.#predicted.push(...predicted.locks);
    const taken = locksOf(held).filter(({ oid, mode }) => !this.#held.get(oid)?.has(mode));
    this.#held = held;
    const named = (oids: readonly string[]) => oids.flatMap((oid) => this.#known.table(oid) ?? []);
    const isRewritten = (table: string) => named([...rewritten]).some(({ names }) => names.has(table));
    const unpredictedRewrites = named([...rewritten]).filter(({ names }) => !predicted.rewrites.some(isIn(names)));
    return {
      unpredicted: {
        locks: taken.flatMap((lock) => (this.#isPredicted(lock) ? [] : this.#tableLock(lock))),
        rewrites: unpredictedRewrites.map(({ name }) => name),
      },
      missing: {
        locks: predicted.locks.filter((lock) => !this.#isHeld(lock)),
        rewrites: predicted.rewrites.filter((table) => !isRewritten(table)),
      },
    };
  }

  #isPredicted({ oid, mode }: OwnLock): boolean {
    const names = this.#known.table(oid)?.names ?? new Set();
    return isCovered(
      mode,
      this.#predicted.filter(({ table }) => names.has(table)).map((lock) => lock.mode),
    );
  }

  #isHeld({ table, mode }: TableLock): boolean {
    const own = locksOf(this.#held).filter(({ oid }) => this.#known.table(oid)?.names.has(table));
    return isCovered(
      mode,
      own.map((lock) => lock.mode),
    );
  }

  #tableLock({ oid, mode }: OwnLock): readonly TableLock[] {
    const known = this.#known.table(oid);
    return known ? [{ table: known.name, mode }] : [];
  }
}

interface OwnLock {
  readonly oid: string;
  readonly mode: string;
}

function locksOf(held: HeldLocks): readonly OwnLock[] {
  return [...held].flatMap(([oid, modes]) => [...modes].map((mode) => ({ oid, mode })));
}

function isIn(names: ReadonlySet<string>): (table: string) => boolean {
  return (table) => names.has(table);
}

function predictedBy(hazards: readonly Hazard[]): Effects {
  return {
    locks: hazards.flatMap((hazard) => (hazard.kind === 'lock' ? [{ table: hazard.table, mode: hazard.mode }] : [])),
    rewrites: hazards.flatMap((hazard) => (hazard.kind === 'rewrite' ? [hazard.table] : [])),
  };
}

// The strength of locks of Postgres. Not all can be compared, so what counts is who waits for them.

/**
 * The table "Conflicting Lock Modes" of the Postgres manual: the first mode that each conflicts with, in this order.
 */
const FIRST_CONFLICT: Readonly<Record<string, string>> = {
  'ACCESS SHARE': 'ACCESS EXCLUSIVE',
  'ROW SHARE': 'EXCLUSIVE',
  'ROW EXCLUSIVE': 'SHARE',
  'SHARE UPDATE EXCLUSIVE': 'SHARE UPDATE EXCLUSIVE',
  SHARE: 'ROW EXCLUSIVE',
  'SHARE ROW EXCLUSIVE': 'ROW EXCLUSIVE',
  EXCLUSIVE: 'ROW SHARE',
  'ACCESS EXCLUSIVE': 'ACCESS SHARE',
};

/**
 * The modes that conflict with it: all after the first, except SHARE with itself. An unknown mode conflicts with
 * everything.
 */
function conflictsOf(mode: string): readonly string[] {
  const modes = Object.keys(FIRST_CONFLICT);
  const from = modes.indexOf(FIRST_CONFLICT[mode] ?? 'ACCESS SHARE');
  return modes.slice(from).filter((other) => mode !== 'SHARE' || other !== 'SHARE');
}

/** Whether nobody waits for this lock who would not wait for the others too. */
function isCovered(mode: string, others: readonly string[]): boolean {
  const waiting = new Set(others.flatMap(conflictsOf));
  return conflictsOf(mode).every((other) => waiting.has(other));
}

/**
 * A table is read with ACCESS SHARE, a row is kept with ROW SHARE. No request and no vacuum waits for these, so nothing
 * is predicted about them.
 */
function counts(mode: string): boolean {
  return mode !== 'ACCESS SHARE' && mode !== 'ROW SHARE';
}

/** `AccessExclusiveLock` of `pg_locks` is `ACCESS EXCLUSIVE` in SQL. */
function modeFromCatalog(name: string): string {
  return name
    .replace(/Lock$/, '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toUpperCase();
}

// The tables that are there before a release, and which locks of a session are on them.

interface KnownTable {
  /** All that it was called since the release began: a rename is predicted under either name. */
  readonly names: Set<string>;
  /** The current name. */
  name: string;
  /** The file of the table, which changes once the table is rewritten. */
  file: string;
}

/** The lock modes by the ids of the tables in the catalog. */
type HeldLocks = ReadonlyMap<string, ReadonlySet<string>>;

interface RelationRow {
  readonly oid: string;
  /** The table that it belongs to; a table belongs to itself. */
  readonly table: string;
  readonly kind: 'r' | 'i' | 'S';
  readonly name: string;
  readonly file: string;
}

/**
 * The relations. Indexes and sequences belong to their tables: a request that waits for one of them is a request to the
 * table.
 */
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

  /** The locks of a session on known tables, and which of these were rewritten since the last look. */
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

/**
 * The mode on the table. The next value of a sequence takes ROW EXCLUSIVE: a session that waits for it inserts rows
 * into the table.
 */
function modeOnTable({ kind }: RelationRow, mode: string): string | undefined {
  if (!counts(mode)) return undefined;
  if (kind !== 'S') return mode;
  return mode === 'ROW EXCLUSIVE' || mode === 'SHARE UPDATE EXCLUSIVE' ? undefined : 'SHARE';
}
