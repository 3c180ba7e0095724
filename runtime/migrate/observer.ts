/**
 * Looks at a session while a statement of it runs: who holds it up, and how far it has come. That takes a connection of
 * its own, made when a statement takes long enough to be looked at. Whatever goes wrong here is no matter to the job.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { OtherSession } from './events.ts';
import { openSession, prepareSession, type Session } from './session.ts';

type Look = (session: Session) => Promise<void>;

const LONGEST_PAUSE = 500;

export type Observer = ReturnType<typeof observerAt>;

export function observerAt(url: string) {
  let session: Promise<Session> | undefined;
  let isBlind = false;
  const lookOnce = async (look: Look): Promise<void> => {
    if (isBlind) return;
    try {
      session ??= openObserver(url);
      await look(await session);
    } catch {
      isBlind = true;
    }
  };
  const lookAgainAndAgain = async (soon: number, look: Look, signal: AbortSignal): Promise<void> => {
    for (let pause = soon; !signal.aborted; pause *= 2) {
      await sleep(Math.min(pause, LONGEST_PAUSE), undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await lookOnce(look);
    }
  };
  return {
    /** The first look comes soon, later ones less and less often: Postgres has to stop all locking for each. */
    async whileRunning<T>(soon: number, look: Look, work: () => Promise<T>): Promise<T> {
      const isOver = new AbortController();
      const looking = lookAgainAndAgain(soon, look, isOver.signal);
      try {
        return await work();
      } finally {
        isOver.abort();
        await looking;
      }
    },
    async end(): Promise<void> {
      isBlind = true;
      await session?.then(({ end }) => end()).catch(() => undefined);
    },
  };
}

async function openObserver(url: string): Promise<Session> {
  const session = await openSession(url, 'kiln migrate (observer)');
  await prepareSession(session, true);
  return session;
}

/** A prepared transaction has no process, so its number is 0. What another role does is not shown to everybody. */
const BLOCKERS = `
  SELECT blocker.pid, state, extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds,
    CASE WHEN blocker.pid = 0 THEN 'a prepared transaction'
      ELSE coalesce(nullif(application_name, ''), backend_type, 'unknown') END AS name
  FROM unnest(pg_blocking_pids($1)) AS blocker(pid) LEFT JOIN pg_stat_activity AS activity ON activity.pid = blocker.pid
  GROUP BY 1, 2, 3, 4`;

export async function blockersOf({ client }: Session, pid: number): Promise<readonly OtherSession[]> {
  const { rows } = await client.query<OtherSession>(BLOCKERS, [pid]);
  return rows;
}

/**
 * Tables that a session waits for while a vacuum, an index build or the like has them: work that goes on beside reads and
 * writes. What kind of session it is, is not shown to everybody; its lock is.
 */
const QUIETLY_HELD = `
  SELECT DISTINCT waiting.relation::regclass::text AS name
  FROM pg_locks AS waiting JOIN pg_locks AS held USING (locktype, database, relation)
    JOIN pg_class ON pg_class.oid = waiting.relation
  WHERE locktype = 'relation' AND waiting.pid = $1 AND NOT waiting.granted AND relkind = 'r'
    AND held.granted AND held.pid <> waiting.pid AND held.mode = 'ShareUpdateExclusiveLock'`;

export async function quietlyHeldTables({ client }: Session, pid: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(QUIETLY_HELD, [pid]);
  return rows.map(({ name }) => name);
}

interface IndexProgress {
  readonly phase: string;
  readonly share: number | null;
}

const INDEX_PROGRESS = `
  SELECT phase,
    CASE
      WHEN tuples_total > 0 THEN tuples_done::float8 / tuples_total
      WHEN blocks_total > 0 THEN blocks_done::float8 / blocks_total
      WHEN lockers_total > 0 THEN lockers_done::float8 / lockers_total
    END AS share
  FROM pg_stat_progress_create_index WHERE pid = $1`;

export async function indexProgressOf({ client }: Session, pid: number): Promise<IndexProgress | undefined> {
  const { rows } = await client.query<IndexProgress>(INDEX_PROGRESS, [pid]);
  return rows[0];
}
