/**
 * What the database knows about its releases: one row for each that is complete, and one for the release that is under
 * way, with the number of its steps that are done. A step and its record are committed together where that is possible.
 */
import type { Release } from '../../compiler/definition/migration.ts';
import type { Connection, Row, Statement } from '../query/database.ts';
import { stepsChecksum } from './checksum.ts';
import type { Session } from './session.ts';

export interface LedgerRow {
  readonly position: number;
  readonly revision: string;
  readonly fingerprint: string;
  readonly checksum: string;
}

export interface Progress {
  readonly position: number;
  readonly revision: string;
  readonly checksum: string;
  readonly stepsDone: number;
  readonly milliseconds: number;
}

export interface Ledger {
  /** By position. */
  readonly releases: readonly LedgerRow[];
  readonly progress: Progress | null;
  /** Other tables and views, whosever they are. */
  readonly others: readonly string[];
}

export const LEDGER_TABLES: readonly string[] = ['kiln_releases', 'kiln_release_progress'];

const CREATE_LEDGER = `
  CREATE TABLE IF NOT EXISTS kiln_releases (
    position integer PRIMARY KEY,
    revision text NOT NULL,
    fingerprint text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    duration_ms bigint NOT NULL
  );
  CREATE TABLE IF NOT EXISTS kiln_release_progress (
    position integer PRIMARY KEY,
    revision text NOT NULL,
    checksum text NOT NULL,
    steps_done integer NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    duration_ms bigint NOT NULL
  )`;

export async function createLedger({ client }: Session): Promise<void> {
  await client.query(CREATE_LEDGER);
}

// ── Reading ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Those of extensions aside. */
const RELATIONS = statement(
  'kiln_ledger_relations',
  `SELECT relname FROM pg_class
  WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
    AND relkind IN ('r', 'p', 'v', 'm', 'f')
    AND NOT EXISTS (
      SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
  ORDER BY relname`,
);

const RELEASES = statement(
  'kiln_ledger_releases',
  'SELECT position, revision, fingerprint, checksum FROM kiln_releases ORDER BY position',
);

const PROGRESS = statement(
  'kiln_ledger_progress',
  'SELECT position, revision, checksum, steps_done, duration_ms FROM kiln_release_progress ORDER BY position DESC LIMIT 1',
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
    releases: releases.map(releaseFromRow),
    progress: progress ? progressFromRow(progress) : null,
    others: relations.filter((name) => !LEDGER_TABLES.includes(name)),
  };
}

function releaseFromRow([position, revision, fingerprint, checksum]: Row): LedgerRow {
  return {
    position: Number(position),
    revision: String(revision),
    fingerprint: String(fingerprint),
    checksum: String(checksum),
  };
}

function progressFromRow([position, revision, checksum, stepsDone, milliseconds]: Row): Progress {
  return {
    position: Number(position),
    revision: String(revision),
    checksum: String(checksum),
    stepsDone: Number(stepsDone),
    milliseconds: Number(milliseconds),
  };
}

// ── Writing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const ADD_RELEASE = `
  INSERT INTO kiln_releases (position, revision, fingerprint, checksum, duration_ms) VALUES ($1, $2, $3, $4, $5)`;

const SET_PROGRESS = `
  INSERT INTO kiln_release_progress (position, revision, checksum, steps_done, duration_ms) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (position) DO UPDATE SET steps_done = excluded.steps_done, duration_ms = excluded.duration_ms`;

export async function recordRelease(
  { client }: Session,
  position: number,
  { revision, fingerprint, steps }: Release,
  milliseconds: number,
): Promise<void> {
  await client.query(ADD_RELEASE, [position, revision, fingerprint, stepsChecksum(steps), milliseconds]);
}

/** With the last step the release is complete. */
export async function recordSteps(
  session: Session,
  position: number,
  release: Release,
  stepsDone: number,
  milliseconds: number,
): Promise<void> {
  const { client } = session;
  if (stepsDone < release.steps.length) {
    const { revision, steps } = release;
    await client.query(SET_PROGRESS, [position, revision, stepsChecksum(steps), stepsDone, milliseconds]);
    return;
  }
  await recordRelease(session, position, release, milliseconds);
  await client.query('DELETE FROM kiln_release_progress WHERE position = $1', [position]);
}
