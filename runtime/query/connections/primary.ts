/**
 * The server that takes writes, of those that an address names. All are asked at once: one that is silent would hold up
 * the others. A single one is not asked, and may be read-only.
 */
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import pg from 'pg';

/** Connects. A server is left alone, even if it takes writes, where this process has seen one that was promoted after it. */
export async function connectPrimary(configs: readonly pg.ClientConfig[]): Promise<pg.Client> {
  const clients = configs.map((config) => new pg.Client(config));
  const hosts = clients.map(({ host, port }) => `${host}:${port}`);
  const attempts = clients.map((client) => connected(client, hosts));
  const primary = await Promise.any(attempts).catch(({ errors }: AggregateError) => {
    const [first] = errors;
    // A wrong password is the same at all of them, and does not pass.
    throw errors.length === 1 || errors.every(({ code }) => code === first.code && /^[\dA-Z]{5}$/.test(code))
      ? first
      : new NoPrimary(hosts, errors);
  });
  for (const other of clients) if (other !== primary) end(other);
  return primary;
}

async function connected(client: pg.Client, hosts: readonly string[]): Promise<pg.Client> {
  // The next statement reports the error as well; without a listener it would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (hosts.length > 1) await mustBePrimary(client, hosts);
    return client;
  } catch (error) {
    end(client);
    throw error;
  }
}

/** The end is not awaited: it would take long on a silent network. */
export function end(client: pg.Client): void {
  void client.end().catch(() => undefined);
}

/** The first eight digits of the file's name are the timeline. */
const LINEAGE = `
  SELECT system_identifier::pg_catalog.text AS system,
    CASE WHEN NOT pg_catalog.pg_is_in_recovery() AND NOT pg_catalog.current_setting('default_transaction_read_only')::boolean
      THEN pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()) END AS file
  FROM pg_catalog.pg_control_system()`;

/** The newest timeline of each cluster: it grows with each promotion. Threads that begin later know it, too. */
const TIMELINES = 'kiln-timelines';

async function mustBePrimary(client: pg.Client, hosts: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ readonly system: string; readonly file: string | null }>(LINEAGE);
  const [{ system, file }] = rows as [(typeof rows)[0]];
  if (file === null) throw new Error('it is a standby, or read-only');
  const timeline = Number.parseInt(file.slice(0, 8), 16);
  const known = (getEnvironmentData(TIMELINES) ?? {}) as Readonly<Record<string, number>>;
  const cluster = [system, ...hosts].join(' ');
  if (timeline < (known[cluster] ?? 0)) throw new Error('another server was promoted in its place');
  setEnvironmentData(TIMELINES, { ...known, [cluster]: timeline });
}

class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
  /** That of a server which is starting: it may pass. */
  readonly code = '57P03';

  constructor(hosts: readonly string[], errors: readonly Error[]) {
    // Node tries all addresses of a host.
    const causes = errors.map((error) => (error instanceof AggregateError ? error.errors[0] : error));
    const reasons = causes.map(({ message }, at) => `${hosts[at]}: ${message}`);
    super(`None of the hosts takes writes (${reasons.join('; ')})`, { cause: new AggregateError(errors) });
  }
}
