/** Kills backends of the server's connections at random, and makes Postgres crash now and then. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../runtime/populate/random.ts';
import { withClient } from '../databases.ts';
import type { Findings } from './findings.ts';

interface FaultsOptions {
  readonly databaseUrl: string;
  readonly random: Random;
  readonly findings: Findings;
  /** The longest pause between two kills. */
  readonly killMilliseconds: number;
  readonly crashMilliseconds: number;
  isOver(): boolean;
}

export async function causeFaults(options: FaultsOptions): Promise<void> {
  const { random, findings, killMilliseconds, crashMilliseconds, isOver } = options;
  let nextCrash = performance.now() + crashMilliseconds;
  while (!isOver()) {
    await sleep(random.below(killMilliseconds));
    if (performance.now() < nextCrash) findings.kills += await killed(options);
    else {
      findings.crashes += await crashed(options);
      nextCrash = performance.now() + crashMilliseconds;
    }
  }
}

const NOTICED_MS = 20_000;

const OTHERS = `FROM pg_stat_activity WHERE application_name = 'kiln' AND datname = current_database()
  ORDER BY random() LIMIT 1`;

/** How many: none where there is no connection, or where Postgres went down meanwhile. */
export async function killed({ databaseUrl }: Pick<FaultsOptions, 'databaseUrl'>): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(`SELECT pg_terminate_backend(pid) AS done ${OTHERS}`);
    return rows.length;
  });
}

/**
 * A backend that is killed outright leaves shared memory in doubt: Postgres ends all others and recovers. It has noticed
 * once our own connection is ended too.
 */
async function crashed({ databaseUrl }: FaultsOptions): Promise<number> {
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(`SELECT pid ${OTHERS}`);
    const ended = new Promise<void>((resolve) => client.once('end', () => resolve()));
    if (rows.length === 0) return 0;
    process.kill(rows[0].pid, 'SIGKILL');
    await Promise.race([ended, sleep(NOTICED_MS)]);
    return 1;
  });
}
