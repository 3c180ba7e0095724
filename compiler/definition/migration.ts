/**
 * The migration from one release to the next, as plain data: made by the compiler, stored in the release ledger and in
 * the image, run by `migrate`. The SQL is final here; `migrate` only decides when to run it.
 */

import { createHash } from 'node:crypto';
import type { Schema } from './schema.ts';

/** The history of releases in an image: the whole schema for an empty database, the migrations for others. */
export interface ReleaseChain {
  readonly version: 1;
  /** The releases, oldest first. The first one has no steps: its schema is made at once. */
  readonly releases: readonly Release[];
  /** The schema of the last release. */
  readonly schema: Schema;
  /** The tables of an empty database, as `schema.sql` has them. */
  readonly schemaSql: string;
  /**
   * The offsets at which that is cut into transactions, because a transaction cannot lock that many tables. Absent if
   * it is one transaction.
   */
  readonly schemaCuts?: readonly number[];
}

/** The SQL for an empty database, each part in a transaction of its own. */
export function schemaParts({
  schemaSql,
  schemaCuts = [],
}: Pick<ReleaseChain, 'schemaSql' | 'schemaCuts'>): readonly string[] {
  return [0, ...schemaCuts].map((start, at) => schemaSql.slice(start, schemaCuts[at]));
}

export interface Release {
  /** The full hash of the commit, or another name that is unique for the release. */
  readonly revision: string;
  /** The fingerprint of the schema after the release: equal schemas have equal fingerprints. */
  readonly fingerprint: string;
  /** The steps, in order. A release without changes to the schema has none. */
  readonly steps: readonly MigrationStep[];
  /**
   * The fingerprint of the previous release, whose images continue to work after these steps, until `contract`. Absent
   * in the first release, and in releases made before Kiln supported two at a time.
   */
  readonly beside?: string;
  /** Removes what only the previous release needed. It runs when none of its images is connected any more. */
  readonly contract?: readonly MigrationStep[];
  /** Earlier releases that are withdrawn, each with the migration for databases that have not completed it. */
  readonly withdraws?: readonly Withdrawal[];
}

/**
 * Withdraws a release and all those after it, for databases that have not completed it: the begun part is undone, and
 * they continue from the previous release to the one that has this.
 */
export interface Withdrawal extends Required<Pick<Release, 'steps' | 'beside' | 'contract'>> {
  /** The revision of the withdrawn release. */
  readonly revision: string;
  /** Whether a database that has completed it cannot continue, unless it has no records: a type is changed back. */
  readonly isOnlyWay?: true;
  /** The steps to undo, by the release that such a database may have begun. */
  readonly undo: readonly Undo[];
}

export interface Undo {
  /** The release that was begun: the withdrawn one, or a later one that withdrew it before and failed as well. */
  readonly revision: string;
  /** One for each of its steps, in their order. The last one that was begun is undone first. */
  readonly steps: readonly UndoneStep[];
}

export interface UndoneStep {
  readonly steps: readonly MigrationStep[];
  /** The changes that are not undone, in a few words each: values that were changed in place. */
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

/** The suffix of the names of all compatibility schemas of an application in this schema. */
export function compatibilitySuffix(schema: string): string {
  if (schema === 'public') return '';
  return `_${createHash('sha256').update(schema).digest('hex').slice(0, SCHEMA_LENGTH)}`;
}

const SCHEMA_LENGTH = 8;

/** The pattern of the names of compatibility schemas, for Postgres and JavaScript. */
export const COMPATIBILITY_SCHEMAS = '^kiln_[0-9a-f]{12}(_[0-9a-f]{8})?$';

/**
 * The SQLSTATE with which a statement of a migration stops it for a reason of its own. Message and hint are then
 * sentences for people, without values of rows.
 */
export const RAISED_BY_MIGRATION = 'KILN0';

/** The same where jobs wait that only the previous release can do: a later run may find none. */
export const WORK_LEFT = 'KILN1';

export type MigrationStep =
  /** All of its statements, or none. */
  | { readonly kind: 'transaction'; readonly statements: readonly MigrationStatement[] }
  /**
   * `CREATE INDEX CONCURRENTLY`, outside of any transaction. An invalid index of this name is the remains of an attempt
   * before; a valid one means that the step is done.
   */
  | { readonly kind: 'index'; readonly name: string; readonly statement: MigrationStatement }
  /**
   * Fills columns of existing rows in batches, each in a transaction of its own. `pending` selects the remaining ids,
   * in their order: at most `$1` of those after `$2`. `statement` changes the rows whose ids are in `$1`.
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
  /** The effect in a few words: `add the column "title" to "post"`. */
  readonly says: string;
  readonly hazards: readonly Hazard[];
}

export type Hazard =
  /** Others wait while it is held, though the statement itself is quick. */
  | { readonly kind: 'lock'; readonly table: string; readonly mode: LockMode }
  /** The table is rewritten while it is locked. */
  | { readonly kind: 'rewrite'; readonly table: string }
  /** Every row is read; `blocks` says what waits in the meantime. */
  | { readonly kind: 'scan'; readonly table: string; readonly blocks: 'nothing' | 'writes' | 'everything' }
  | { readonly kind: 'data-loss'; readonly what: string }
  /** Existing rows may make the statement fail. */
  | { readonly kind: 'may-fail'; readonly why: string }
  /** The effect on values while two releases write them. */
  | { readonly kind: 'shared-values'; readonly what: string };

export type LockMode =
  | 'ACCESS EXCLUSIVE'
  | 'SHARE ROW EXCLUSIVE'
  | 'SHARE UPDATE EXCLUSIVE'
  | 'SHARE'
  | 'ROW EXCLUSIVE';

/** The text of a hazard, for a comment in SQL. */
export function hazardText(hazard: Hazard): string {
  switch (hazard.kind) {
    case 'lock':
      return `lock: "${hazard.table}", ${hazard.mode}`;
    case 'rewrite':
      return `rewrite: "${hazard.table}" is rewritten while it is locked`;
    case 'scan':
      return `scan: every row of "${hazard.table}" is read; ${hazard.blocks} waits meanwhile`;
    case 'data-loss':
      return `data loss: ${hazard.what}`;
    case 'may-fail':
      return `may fail: ${hazard.why}`;
    case 'shared-values':
      return `while both releases write: ${hazard.what}`;
  }
}

// ── Checksums ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Checksums, by which a database knows what was run in it: the same checksum means the same statements in the same
// order.

/**
 * The checksum of all statements of a release, in order. Its descriptions and hazards may change without making it
 * another release.
 */
export function releaseChecksum({ steps, contract }: Pick<Release, 'steps' | 'contract'>): string {
  const parts = steps.map(partsThatRun);
  const removed = contract?.map(partsThatRun);
  return createHash('sha256')
    .update(JSON.stringify(removed === undefined ? parts : [parts, removed]))
    .digest('hex');
}

/** The checksum of the steps that undo a release, in the order in which they run. */
export function undoChecksum(steps: readonly MigrationStep[]): string {
  return `${UNDO}${createHash('sha256')
    .update(JSON.stringify(steps.map(partsThatRun)))
    .digest('hex')}`;
}

/** The prefix of that checksum. */
export const UNDO = 'undo ';

export function isUndoChecksum(checksum: string): boolean {
  return checksum.startsWith(UNDO);
}

/** The prefix for a release that a database has withdrawn. */
export const WITHDRAWN = 'withdrawn by ';

/** The mark of a withdrawn release in place of its checksum. Its fingerprint is that of the previous release. */
export function withdrawnMark(by: string): string {
  return `${WITHDRAWN}${by}`;
}

/** The revision of the release that withdrew this one; undefined for a completed one. */
export function withdrawnBy({ checksum }: { readonly checksum: string }): string | undefined {
  return checksum.startsWith(WITHDRAWN) ? checksum.slice(WITHDRAWN.length) : undefined;
}

function partsThatRun(step: MigrationStep): readonly unknown[] {
  switch (step.kind) {
    case 'transaction':
      return [step.kind, step.statements.map(({ sql }) => sql)];
    case 'index':
      return [step.kind, step.name, step.statement.sql];
    case 'backfill':
      return [step.kind, step.pending, step.statement.sql];
  }
}

/**
 * The checksum of the SQL that creates the tables of an empty database, part by part: another build of Kiln may cut it
 * elsewhere.
 */
export function partsChecksum(chain: ReleaseChain): string {
  return createHash('sha256')
    .update(JSON.stringify(schemaParts(chain)))
    .digest('hex');
}

// ── The path of a database through the releases ─────────────────────────────────────────────────────────────────────

// The path of a database through the releases of a chain. A release that withdraws others can be reached in two ways:
// from the previous release, or, if the withdrawn release was never completed, from the one before that.

/** A hop from one completed release to the next. */
export interface Hop {
  /** The release with the steps of this path. */
  readonly release: Release;
  readonly position: number;
  /** The position of the release that it comes from. */
  readonly from: number;
}

/** The hops of a database that has completed this many releases. The newest release that withdraws one counts. */
export function hopsFrom(releases: readonly Release[], done: number): readonly Hop[] {
  const hops: Hop[] = [];
  for (let from = done; from < releases.length; from = hops.at(-1)?.position ?? releases.length)
    hops.push(hopFrom(releases, from));
  return hops;
}

function hopFrom(releases: readonly Release[], from: number): Hop {
  const next = releases[from] as Release;
  const at = releases.findLastIndex((release) => withdrawalOf(release, next.revision) !== undefined);
  const around = releases[at];
  if (!around) return { release: next, position: from + 1, from };
  const withdrawal = withdrawalOf(around, next.revision) as Withdrawal;
  return { release: pathAround(around, withdrawal), position: at + 1, from };
}

export function pathAround({ revision, fingerprint }: Release, { steps, beside, contract }: Withdrawal): Release {
  return { revision, fingerprint, steps, beside, contract };
}

export function withdrawalOf({ withdraws = [] }: Release, revision: string): Withdrawal | undefined {
  return withdraws.find((withdrawal) => withdrawal.revision === revision);
}

/**
 * The first hop whose release has to be contracted before later steps, when no server of an older release may run;
 * undefined if there is none on the whole path.
 */
export function contractedOnTheWay(hops: readonly Hop[]): Hop | undefined {
  const last = hops.findLastIndex(({ release }) => release.steps.length > 0);
  return hops.find(({ release }, at) => at < last && (release.contract ?? []).length > 0);
}

/** All steps of the path, and those that wait until the earlier releases are gone. */
export function stepsFrom(
  releases: readonly Release[],
  done: number,
): Readonly<Record<'now' | 'later', readonly MigrationStep[]>> {
  const changing = hopsFrom(releases, done).filter(({ release }) => release.steps.length > 0);
  const last = changing.at(-1);
  const now = changing.flatMap((hop) => [...hop.release.steps, ...(hop === last ? [] : (hop.release.contract ?? []))]);
  return { now, later: last?.release.contract ?? [] };
}
