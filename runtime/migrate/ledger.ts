/**
 * The database's record of its releases: one row for each that is complete or was withdrawn, and one for the release
 * under way, with the number of its done steps. A step and its record are committed together where that is possible.
 */

import { type Release, releaseChecksum } from '../../compiler/definition/migration.ts';
import type { Connection, Row, Statement } from '../query/database.ts';
import { LEDGER_COLUMNS, type LedgerRow, ledgerRowFrom } from '../query/database-release.ts';
import type { Session } from './session.ts';

export interface Progress extends Pick<LedgerRow, 'position' | 'revision' | 'checksum' | 'beside'> {
  readonly stepsDone: number;
  readonly milliseconds: number;
}

export interface Ledger {
  /** The releases, ordered by position. */
  readonly releases: readonly LedgerRow[];
  readonly progress: Progress | null;
  /** Other tables and views, whosever they are. */
  readonly others: readonly string[];
}

const LEDGER_TABLES: readonly string[] = ['kiln_releases', 'kiln_release_progress'];

const CREATE_LEDGER = `
  CREATE TABLE IF NOT EXISTS kiln_releases (
    position integer PRIMARY KEY,
    revision text NOT NULL,
    fingerprint text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    duration_ms bigint NOT NULL,
    beside text,
    contract_steps integer NOT NULL DEFAULT 0,
    contract_done integer NOT NULL DEFAULT 0,
    contracted_at timestamptz
  );
  CREATE TABLE IF NOT EXISTS kiln_release_progress (
    position integer PRIMARY KEY,
    revision text NOT NULL,
    checksum text NOT NULL,
    steps_done integer NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    duration_ms bigint NOT NULL,
    beside text
  )`;

export async function createLedger({ client }: Session): Promise<void> {
  await client.query(CREATE_LEDGER);
}

/** The relations, except those of extensions. */
const RELATIONS = statement(
  'kiln_ledger_relations',
  `SELECT relname FROM pg_class
  WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
    AND relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (
      SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
  ORDER BY relname`,
);

const RELEASES = statement('kiln_ledger_releases', `SELECT ${LEDGER_COLUMNS} FROM kiln_releases ORDER BY position`);

const PROGRESS = statement(
  'kiln_ledger_progress',
  `SELECT position, revision, checksum, steps_done, duration_ms, beside
  FROM kiln_release_progress ORDER BY position DESC LIMIT 1`,
);

function statement(name: string, text: string): Statement {
  return { name, text, isRepeatable: true };
}

export async function readLedger(connection: Connection): Promise<Ledger> {
  const relations = (await connection.run(RELATIONS, [])).rows.map(([name]) => String(name));
  const rowsOf = async (table: string, read: Statement) =>
    relations.includes(table) ? (await connection.run(read, [])).rows : [];
  const releases = await rowsOf('kiln_releases', RELEASES);
  const [progress] = await rowsOf('kiln_release_progress', PROGRESS);
  return {
    releases: releases.map(ledgerRowFrom),
    progress: progress ? progressFromRow(progress) : null,
    others: relations.filter((name) => !LEDGER_TABLES.includes(name)),
  };
}

function progressFromRow([position, revision, checksum, stepsDone, milliseconds, beside = null]: Row): Progress {
  return {
    position: Number(position),
    revision: String(revision),
    checksum: String(checksum),
    beside,
    stepsDone: Number(stepsDone),
    milliseconds: Number(milliseconds),
  };
}

// ── Writing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const ADD_RELEASE = `
  INSERT INTO kiln_releases
    (position, revision, fingerprint, checksum, duration_ms, beside, contract_steps, contract_done, contracted_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, CASE WHEN $9::boolean THEN now() END)`;

const SET_PROGRESS = `
  INSERT INTO kiln_release_progress (position, revision, checksum, beside, steps_done, duration_ms)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (position) DO UPDATE
    SET checksum = excluded.checksum, steps_done = excluded.steps_done, duration_ms = excluded.duration_ms`;

/** `isNew` says that the schema was made at once: what the previous release needs was never there. */
export async function recordRelease(
  { client }: Session,
  position: number,
  release: Release,
  milliseconds: number,
  isNew = false,
): Promise<void> {
  const { revision, fingerprint, beside = null, contract = [] } = release;
  const steps = contract.length;
  const contraction = [beside, steps, isNew ? steps : 0, isNew && steps > 0];
  const values = [position, revision, fingerprint, releaseChecksum(release), milliseconds, ...contraction];
  await client.query(ADD_RELEASE, values);
}

/**
 * Records a withdrawn release. It has left the tables as they were, so it has nothing to contract. An existing record
 * stays as it is.
 */
export async function recordWithdrawn(
  { client }: Session,
  { position, revision, fingerprint, checksum }: Pick<LedgerRow, 'position' | 'revision' | 'fingerprint' | 'checksum'>,
  milliseconds: number,
): Promise<void> {
  const values = [position, revision, fingerprint, checksum, milliseconds, null, 0, 0, false];
  await client.query(`${ADD_RELEASE} ON CONFLICT (position) DO NOTHING`, values);
}

/** Records done steps. The release is complete after the last one. */
export async function recordSteps(
  session: Session,
  position: number,
  release: Release,
  stepsDone: number,
  milliseconds: number,
): Promise<void> {
  if (stepsDone < release.steps.length) {
    const checksum = releaseChecksum(release);
    await recordProgress(session, { position, ...release, checksum, done: stepsDone, milliseconds });
    return;
  }
  await recordRelease(session, position, release, milliseconds);
  await forgetProgress(session, position);
}

interface NewProgress extends Pick<Release, 'revision' | 'beside'> {
  readonly position: number;
  readonly checksum: string;
  readonly done: number;
  readonly milliseconds: number;
}

/**
 * Records the progress of a release whose steps are not all done or not all undone, or of an empty database whose parts
 * are not all made.
 */
export async function recordProgress({ client }: Session, progress: NewProgress): Promise<void> {
  const { position, revision, checksum, beside = null, done, milliseconds } = progress;
  await client.query(SET_PROGRESS, [position, revision, checksum, beside, done, milliseconds]);
}

export async function forgetProgress({ client }: Session, position: number): Promise<void> {
  await client.query('DELETE FROM kiln_release_progress WHERE position = $1', [position]);
}

/**
 * Marks the contraction as begun or not. Once it has begun, images of the previous release are rejected, even if
 * nothing is removed yet.
 */
export async function markContraction({ client }: Session, position: number, isBegun: boolean): Promise<void> {
  const at = isBegun ? 'now()' : 'NULL';
  await client.query(`UPDATE kiln_releases SET contracted_at = ${at} WHERE position = $1`, [position]);
}

export async function recordContraction({ client }: Session, position: number, stepsDone: number): Promise<void> {
  await client.query('UPDATE kiln_releases SET contract_done = $2 WHERE position = $1', [position, stepsDone]);
}
