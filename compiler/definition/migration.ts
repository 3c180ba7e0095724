/**
 * What brings a database from one release to the next, as plain data: made by the compiler, kept in the release ledger
 * and in the image, carried out by `migrate`. SQL is final here; whoever carries it out only decides when.
 */
import { createHash } from 'node:crypto';
import type { Schema } from './schema.ts';

/** All that an image knows about the past: for an empty database the whole schema, for others the way here. */
export interface ReleaseChain {
  readonly version: 1;
  /** Oldest first. The first one has no steps: its schema is made at once. */
  readonly releases: readonly Release[];
  /** Of the last release. */
  readonly schema: Schema;
  /** The tables of an empty database, as `schema.sql` has them. */
  readonly schemaSql: string;
  /** Where that is cut into transactions: so many tables need more locks than one can have. Missing where it is one. */
  readonly schemaCuts?: readonly number[];
}

/** What is run for an empty database, each part in a transaction of its own. */
export function schemaParts({
  schemaSql,
  schemaCuts = [],
}: Pick<ReleaseChain, 'schemaSql' | 'schemaCuts'>): readonly string[] {
  return [0, ...schemaCuts].map((start, at) => schemaSql.slice(start, schemaCuts[at]));
}

export interface Release {
  /** The full hash of the commit, or another name that is unique for the release. */
  readonly revision: string;
  /** Of the schema that the release leaves: equal schemas have equal fingerprints. */
  readonly fingerprint: string;
  /** In order. A release that changes nothing of the schema has none. */
  readonly steps: readonly MigrationStep[];
  /**
   * The fingerprint of the release before, whose images go on working after these steps, until `contract`. Missing for
   * the first release, and for releases that were made before Kiln kept two of them working.
   */
  readonly beside?: string;
  /** Removes what only the release before needed. Run when none of its images is connected any more. */
  readonly contract?: readonly MigrationStep[];
  /** Earlier releases that are given up, each with how databases come here that have not completed it. */
  readonly withdraws?: readonly Withdrawal[];
}

/**
 * Gives up a release, with all those after it, for databases that have not completed it: what they have of it is undone,
 * and they go from the release before it to the one that has this.
 */
export interface Withdrawal extends Required<Pick<Release, 'steps' | 'beside' | 'contract'>> {
  /** Of the release that is given up. */
  readonly revision: string;
  /** Whether a database that has completed it cannot go on, unless it has no records: a type is taken back. */
  readonly isOnlyWay?: true;
  /** By what such a database may have begun. */
  readonly undo: readonly Undo[];
}

export interface Undo {
  /** The release that was begun: the one that is given up, or a later one that gave it up before and failed as well. */
  readonly revision: string;
  /** One for each of its steps, in their order. The last one that was begun is undone first. */
  readonly steps: readonly UndoneStep[];
}

export interface UndoneStep {
  readonly steps: readonly MigrationStep[];
  /** What is not taken back, in a few words each: values that were changed in place. */
  readonly remains?: readonly string[];
}

/**
 * The schema in which Postgres looks first for the tables of an image (`search_path`), by the fingerprint of its release.
 * It is empty until a later release has changed the tables: then its views show them as they were.
 */
export function compatibilitySchema(fingerprint: string): string {
  return `kiln_${fingerprint.slice(0, FINGERPRINT_LENGTH)}`;
}

const FINGERPRINT_LENGTH = 12;

/**
 * The same for an application whose tables are in this schema. Several applications can share a database, each in a schema
 * of its own, and the same release of them must not share this one. The SQL of steps has the name for `public`.
 */
export function compatibilitySchemaIn(schema: string, fingerprint: string): string {
  return `${compatibilitySchema(fingerprint)}${compatibilitySuffix(schema)}`;
}

/** How the names of all compatibility schemas end for an application in this schema. */
export function compatibilitySuffix(schema: string): string {
  if (schema === 'public') return '';
  return `_${createHash('sha256').update(schema).digest('hex').slice(0, SCHEMA_LENGTH)}`;
}

const SCHEMA_LENGTH = 8;

/** What matches the names of compatibility schemas, in Postgres as in JavaScript. */
export const COMPATIBILITY_SCHEMAS = '^kiln_[0-9a-f]{12}(_[0-9a-f]{8})?$';

/**
 * The SQLSTATE with which a statement of a migration stops it for a reason of its own. Message and hint are then
 * sentences for people, without values of rows.
 */
export const RAISED_BY_MIGRATION = 'KILN0';

export type MigrationStep =
  /** All of its statements, or none. */
  | { readonly kind: 'transaction'; readonly statements: readonly MigrationStatement[] }
  /**
   * `CREATE INDEX CONCURRENTLY`, outside of any transaction. An invalid index of this name is the remains of an attempt
   * before; a valid one means that the step is done.
   */
  | { readonly kind: 'index'; readonly name: string; readonly statement: MigrationStatement }
  /**
   * Fills columns of the rows that exist, some of them at a time, each time in a transaction of its own. `pending`
   * selects the ids that are still to do, in their order: at most `$1` of those after `$2`. `statement` changes the rows
   * whose ids are in `$1`.
   */
  | {
      readonly kind: 'backfill';
      readonly table: string;
      readonly column: string;
      /** All of them, where there are several. */
      readonly columns?: readonly string[];
      readonly idType: 'bigint' | 'uuid';
      readonly pending: string;
      readonly statement: MigrationStatement;
    };

export function statementsOf(step: MigrationStep): readonly MigrationStatement[] {
  return step.kind === 'transaction' ? step.statements : [step.statement];
}

export interface MigrationStatement {
  readonly sql: string;
  /** What it does, in a few words: `add the column "title" to "post"`. */
  readonly says: string;
  readonly hazards: readonly Hazard[];
}

export type Hazard =
  /** Others wait while it is held, though the statement itself is quick. */
  | { readonly kind: 'lock'; readonly table: string; readonly mode: LockMode }
  /** The table is rewritten while it is locked. */
  | { readonly kind: 'rewrite'; readonly table: string }
  /** Every row is read; `blocks` says what waits meanwhile. */
  | { readonly kind: 'scan'; readonly table: string; readonly blocks: 'nothing' | 'writes' | 'everything' }
  | { readonly kind: 'data-loss'; readonly what: string }
  /** Rows that exist may stand in the way. */
  | { readonly kind: 'may-fail'; readonly why: string }
  /** What becomes of values while two releases write them. */
  | { readonly kind: 'shared-values'; readonly what: string };

export type LockMode =
  | 'ACCESS EXCLUSIVE'
  | 'SHARE ROW EXCLUSIVE'
  | 'SHARE UPDATE EXCLUSIVE'
  | 'SHARE'
  | 'ROW EXCLUSIVE';
