/**
 * Finds connected servers by the names of their connections. A pooler may keep the connections of a stopped server
 * open, so connections that were idle for a while do not count: a server uses one every ten seconds.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PRESUMED_GONE, serverFromName, shortFingerprint } from '../query/database-release.ts';
import { type ConnectedRelease, connectedText, nowAndThen, type WaitingForServersEvent } from './events.ts';
import type { Job } from './job.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

interface ConnectedRow extends ConnectedRelease {
  readonly fingerprints: readonly string[];
  readonly newest: string;
}

const CONNECTED = `
  SELECT application_name AS name, count(*)::integer AS connections,
    max(extract(epoch FROM clock_timestamp() - backend_start))::float8 AS seconds,
    (SELECT array_agg(fingerprint) FROM kiln_releases WHERE position < $1) AS fingerprints,
    (SELECT fingerprint FROM kiln_releases WHERE position = $1) AS newest
  FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND (application_name = 'kiln' OR application_name LIKE 'kiln %' AND (
      state = 'idle' AND state_change < clock_timestamp() - interval '${PRESUMED_GONE} ms') IS NOT TRUE)
  GROUP BY application_name ORDER BY application_name`;

/**
 * Finds the servers that need what the contraction of this release removes. Newer images and other applications do not.
 */
export async function olderServers(
  { client, schema }: Session,
  position: number,
): Promise<readonly ConnectedRelease[]> {
  const { rows } = await client.query<ConnectedRow>(CONNECTED, [position]);
  return rows
    .filter((row) => isOlder(row, position, schema))
    .map(({ name, connections, seconds }) => ({ name, connections, seconds }));
}

/**
 * Finds the servers that cannot work with the release of this position, and so even less with the next one. Servers
 * that do not state their release have never worked beside another one.
 */
export async function outdatedServers(session: Session, position: number): Promise<readonly ConnectedRelease[]> {
  const servers = await olderServers(session, position);
  return servers.filter(({ name }) => serverFromName(name)?.position !== null);
}

function isOlder({ name, fingerprints, newest }: ConnectedRow, position: number, schema: string): boolean {
  const server = serverFromName(name);
  if (server === null) return false;
  if (server.position === null) return true;
  if (server.position > position || server.shortFingerprint === shortFingerprint(newest, schema)) return false;
  return (fingerprints ?? []).some((older) => shortFingerprint(older, schema) === server.shortFingerprint);
}

// Waits for servers to be gone that would stop working. Who is still there is told again and again.

export interface Leaving extends Pick<WaitingForServersEvent, 'position' | 'revision' | 'next'> {
  readonly servers: () => Promise<readonly ConnectedRelease[]>;
  /** The sentence about what cannot be done when the time is over, and the remedy. */
  readonly message: string;
  readonly remedy: string;
}

const PAUSE = 250;
const BETWEEN_REPORTS = 10_000;
/** The time, in milliseconds, after which a server whose connection was closed by a proxy has opened another one. */
const SURELY_GONE = 1000;

/** `end` is a time of `performance.now()`. */
export async function untilGone({ report, signal }: Job, leaving: Leaving, end: number): Promise<void> {
  const { position, revision, next } = leaving;
  const start = performance.now();
  const isReportDue = nowAndThen(BETWEEN_REPORTS);
  let seen = Number.NEGATIVE_INFINITY;
  for (;;) {
    const servers = await leaving.servers();
    const now = performance.now();
    const isAnyThere = servers.length > 0;
    if (isAnyThere) seen = now;
    if (now - seen >= SURELY_GONE) return;
    if (isAnyThere && now >= end) throw stillConnected(leaving, servers);
    if (isAnyThere && isReportDue()) {
      const [waited, left] = [Math.round(now - start), Math.round(end - now)];
      report({ kind: 'waiting-for-servers', next, position, revision, servers, milliseconds: waited, left });
    }
    await sleep(isAnyThere ? Math.min(PAUSE, end - now) : PAUSE, undefined, signal && { signal });
  }
}

const HIDDEN =
  'Connections of another role count also where a pooler keeps them open for nobody. A role with `GRANT pg_read_all_stats` sees when they were used last.';

function stillConnected({ message, remedy }: Leaving, servers: readonly ConnectedRelease[]): Refusal {
  const hidden = servers.some(({ seconds }) => seconds === null) ? [HIDDEN] : [];
  return new Refusal('blocked', message, { details: [...servers.map(connectedText), remedy, ...hidden] });
}
