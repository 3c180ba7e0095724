/** Kills backends of the server's connections at random, and makes Postgres crash now and then. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../../runtime/populate/random.ts';
import { withClient } from '../databases.ts';
import type { Findings } from './findings.ts';

export interface FaultsOptions {
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

const OTHERS = `FROM pg_stat_activity WHERE application_name = 'kiln' AND datname = current_database()
  ORDER BY random() LIMIT 1`;

/** How many: none while Postgres recovers. */
async function killed({ databaseUrl }: FaultsOptions): Promise<number> {
  return rowsOf(databaseUrl, `SELECT pg_terminate_backend(pid) AS done ${OTHERS}`).then((rows) => rows.length);
}

/** A backend that is killed outright leaves shared memory in doubt: Postgres ends all others and recovers. */
async function crashed({ databaseUrl }: FaultsOptions): Promise<number> {
  const [backend] = await rowsOf(databaseUrl, `SELECT pid AS pid ${OTHERS}`);
  if (!backend) return 0;
  process.kill(Number(backend.pid), 'SIGKILL');
  return 1;
}

type Row = Readonly<Record<string, unknown>>;

async function rowsOf(databaseUrl: string, statement: string): Promise<readonly Row[]> {
  try {
    return await withClient(databaseUrl, async (client) => (await client.query(statement)).rows);
  } catch {
    return [];
  }
}
