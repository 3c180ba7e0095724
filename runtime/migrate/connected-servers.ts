/**
 * Which servers are connected, as the names of their connections say. A pooler keeps connections open that a server used
 * last which has stopped since, so those that nobody has used for a while do not count: a server uses one every ten seconds.
 */
import { PRESUMED_GONE } from '../query/database-release.ts';
import { serverFromName, shortFingerprint } from '../query/image-release.ts';
import type { Session } from './session.ts';

export interface ConnectedRelease {
  /** `kiln 7 3f9a1c5b2d4e`; `kiln` alone is an image that does not say its release. */
  readonly name: string;
  readonly connections: number;
  /** For how long the oldest connection has been there, in seconds; null where this role may not see it. */
  readonly seconds: number | null;
}

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

/** Those that need what the contraction of this release removes. Newer images and other applications do not. */
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
 * Those that work with the release of this position no more, and so still less with the one after it. Servers that do not
 * say their release have never worked beside another one.
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
