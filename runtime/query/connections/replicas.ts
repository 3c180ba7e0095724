/**
 * Reads on replicas. Several times a second it is noted where the WAL of the primary ends, and how much of it each replica
 * has replayed. So it is known without a further round trip whether a replica has what a request must see, and how old
 * its data can be at most: as old as the last position of the primary that it has reached. No clock of another machine
 * is used.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { waitFor } from '../../values/semaphore.ts';
import {
  type Database,
  DatabaseError,
  type DataConnection,
  type ReadNeeds,
  type ReadReplicas,
  type RequestDatabase,
  type Statement,
  withTexts,
} from '../database.ts';
import type { ReleaseDatabase } from '../database-release.ts';
import { digitsFrom } from './wal-position.ts';

interface ReplicaOptions {
  /** The host, for people. */
  readonly name: string;
  readonly database: ReleaseDatabase;
  /** The same, as requests use it. */
  readonly forRequests: Database;
}

/** The pause between two looks, in milliseconds. */
const LOOK_EVERY = 250;
/** A server that takes longer to answer than this is left alone, in milliseconds. */
const LONGEST_LOOK = 1000;
/** The most that a replica may be behind for a request with a position, in milliseconds. */
const MOST_BEHIND = 5000;
/** How many positions of the primary are kept: those of the last 20 minutes, or of more. */
const MOST_SAMPLES = 5000;

const SYSTEM = '(SELECT system_identifier FROM pg_control_system())';

/** The history is that of a server and of a timeline: positions of others mean something else. */
const END: Statement = {
  name: 'kiln_wal_end',
  text: `SELECT pg_current_wal_insert_lsn(),
    ${SYSTEM} || ' ' || ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer`,
  isRepeatable: true,
};

/** The timeline of the last checkpoint may be an old one. Not every role sees the one that is being received. */
const REPLAYED: Statement = {
  name: 'kiln_replayed',
  text: `SELECT CASE WHEN NOT pg_is_in_recovery() THEN 'promoted' WHEN pg_is_wal_replay_paused() THEN 'paused'
      ELSE pg_last_wal_replay_lsn()::text END,
    ${SYSTEM} || ' ' || greatest((SELECT timeline_id FROM pg_control_checkpoint()),
      (SELECT received_tli FROM pg_stat_wal_receiver))`,
  isRepeatable: true,
};

interface Sample {
  readonly end: string;
  /** Before it was asked for, as `performance.now()` has it. */
  at: number;
}

export class Replicas implements ReadReplicas {
  readonly #primary: ReleaseDatabase;
  readonly #replicas: readonly Replica[];
  readonly #stopping = new AbortController();
  readonly #looks: readonly Promise<void>[];
  #history = '';
  #samples: Sample[] = [];
  #next = 0;
  /** How many requests have read where, of those that might have read on a replica. */
  readonly reads = { replica: 0, primary: 0 };

  constructor(primary: ReleaseDatabase, replicas: readonly ReplicaOptions[], log: Logger) {
    this.#primary = primary;
    this.#replicas = replicas.map((options) => new Replica(options, log));
    const freshness: Freshness = (end, history) => {
      if (this.#samples.length === 0) return null;
      if (history !== this.#history) return 'of another cluster or timeline than the primary';
      return this.#samples.findLast((sample) => sample.end <= end)?.at ?? 'too far behind the primary';
    };
    this.#looks = [
      this.#repeat(() => this.#sample()),
      ...this.#replicas.map((replica) => this.#repeat(() => replica.look(freshness))),
    ];
  }

  reading(primary: RequestDatabase, { position, stale }: ReadNeeds): DataConnection {
    const since = performance.now() - (stale ?? MOST_BEHIND);
    const isNeeded = position !== undefined || stale !== undefined;
    const fitting = isNeeded ? this.#replicas.filter((replica) => replica.has(position ?? '', since)) : [];
    const chosen = fitting[this.#next++ % fitting.length];
    this.reads[chosen ? 'replica' : 'primary']++;
    return chosen ? replicaReads(chosen, chosen.database.forRequest(), primary, chosen.losses) : primary;
  }

  position(hasWritten: boolean): Promise<string | null> {
    return this.#primary.position(hasWritten);
  }

  /** How old the data of each replica can be, in seconds, as far as it is known. */
  lags(): readonly (readonly [name: string, seconds: number])[] {
    return this.#replicas.map(({ name, freshAt }) => [name, (performance.now() - freshAt) / 1000] as const);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#looks);
    await Promise.all(this.#replicas.map(({ database }) => database.close()));
  }

  async #repeat(look: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await look();
      await sleep(LOOK_EVERY, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** While the primary cannot be reached, its last positions still tell what a replica has. */
  async #sample(): Promise<void> {
    const at = performance.now();
    const [lsn, history] = await lookAt(this.#primary, END).catch(() => []);
    if (!lsn || !history) return;
    const end = digitsFrom(lsn);
    if (history !== this.#history) this.#samples = [];
    this.#history = history;
    const last = this.#samples.at(-1);
    if (last?.end === end) last.at = at;
    else this.#samples.push({ end, at });
    if (this.#samples.length > MOST_SAMPLES) this.#samples.shift();
  }
}

async function lookAt(database: Database, statement: Statement): Promise<readonly (string | null)[]> {
  const { rows } = await waitFor(database.run(statement, []), { budget: { left: LONGEST_LOOK } });
  return rows[0] ?? [];
}

/** Up to when nothing is missing, or why that is not known; null where nothing is known of the primary yet. */
type Freshness = (end: string, history: string) => number | string | null;

class Replica {
  readonly name: string;
  readonly database: Database;
  readonly #own: ReleaseDatabase;
  readonly #log: Logger;
  /** How far it has replayed; null while it is left alone. */
  #end: string | null = null;
  /** Those of its connections when it was looked at. */
  losses = 0;
  #reason: string | null = null;
  /** Called where no answer can be expected any more. */
  readonly #waiting = new Set<() => void>();
  /** It has everything that was committed before, as `performance.now()` has it. */
  freshAt = Number.NEGATIVE_INFINITY;

  constructor({ name, database, forRequests }: ReplicaOptions, log: Logger) {
    this.name = name;
    this.#own = database;
    this.database = forRequests;
    this.#log = log.child({ replica: name });
  }

  /** A server that was restarted may have gone back: what was seen before a connection was lost does not count. */
  has(position: string, since: number): boolean {
    const isKnown = this.#end !== null && this.losses === this.#own.losses;
    return isKnown && (this.#end as string) >= position && this.freshAt >= since;
  }

  async look(freshness: Freshness): Promise<void> {
    const { losses } = this.#own;
    try {
      const [lsn, history] = await lookAt(this.#own, REPLAYED);
      if (!lsn?.includes('/')) return this.#leave(lsn ?? 'nothing is replayed yet');
      const end = digitsFrom(lsn);
      const at = freshness(end, history ?? '');
      if (at === null) return;
      if (typeof at === 'string') return this.#leave(at);
      this.freshAt = at;
      this.losses = losses;
      this.#end = end;
      if (this.#reason !== null) this.#log.info('the replica is used again');
      this.#reason = null;
    } catch (error) {
      const { reason } = error instanceof DatabaseError ? error : { reason: null };
      this.#leave(reason ?? 'it does not answer', error);
    }
  }

  #leave(reason: string, error?: unknown): void {
    this.#end = null;
    for (const giveUp of this.#waiting) giveUp();
    if (this.#reason !== reason) this.#log.warn({ reason, err: error }, 'the replica is left alone');
    this.#reason = reason;
  }

  /** Rejects where the replica is left alone meanwhile, or may have gone back since it had lost so many connections. */
  async during<T>(answer: Promise<T>, losses: number): Promise<T> {
    let giveUp = (): void => undefined;
    const left = new Promise<never>((_, reject) => {
      giveUp = () => reject(new Error('the replica is left alone'));
    });
    this.#waiting.add(giveUp);
    try {
      const result = await Promise.race([answer, left]);
      if (losses === this.#own.losses) return result;
      throw new Error('a connection to the replica was lost');
    } finally {
      this.#waiting.delete(giveUp);
    }
  }
}

/**
 * Reads on a replica. What fails there is read on the primary, and so is what comes after it. `losses` are those of the
 * replica when it was chosen.
 */
function replicaReads(replica: Replica, own: DataConnection, primary: DataConnection, losses: number): DataConnection {
  let reads: DataConnection | null = own;
  const fetch: DataConnection['fetch'] = async (statement, values) => {
    if (reads !== null) {
      try {
        return await replica.during(reads.fetch(statement, values), losses);
      } catch (error) {
        // It would take as long again.
        if (error instanceof DatabaseError && error.kind === 'timeout') throw error;
        reads = null;
      }
    }
    return primary.fetch(statement, values);
  };
  return {
    fetch,
    run: async (statement, values) => withTexts(await fetch(statement, values)),
    later() {
      const later = primary.later?.() ?? primary;
      return reads === null ? later : replicaReads(replica, reads.later?.() ?? reads, later, losses);
    },
  };
}
