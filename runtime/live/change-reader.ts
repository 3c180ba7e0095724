/**
 * Reads what triggers have stored about changes. Rows become visible when their transactions end, in any order: what is
 * new is what was not visible in the snapshot of the reading before, so nothing is left out and nothing is read twice.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { ApiError } from '../errors/api-error.ts';
import type { ClientOptions } from '../query/connections/driver.ts';
import { listenTo, notifier } from '../query/connections/wake-ups.ts';
import type { Connection, Statement } from '../query/database.ts';

/** A table, and the values by which its changed rows are found; null where any row may have changed. */
export type Change = readonly [table: string, keys: readonly string[] | null];

interface ReaderOptions {
  readonly connection: Connection;
  /** For the connection that listens. */
  readonly client: ClientOptions;
  readonly log: Logger;
  readonly changed: (changes: readonly Change[]) => void;
  /** Changes may have been missed. */
  readonly missed: () => void;
}

/** Times in milliseconds. */
const SHORTEST_PAUSE = 50;
const POLL = 1000;
/** Where no notifications come, because a pooler gives connections to others. */
const POLL_ALONE = 250;
const SWEEP = 10_000;
/** Rows are kept for this long after everybody could see them. */
const KEPT = 60_000;
/** After a longer pause the reader may have missed some. */
const LONGEST_PAUSE = 40_000;
const MOST_TRIES = 3;
/** More changes at once are not told apart. */
const MOST_CHANGES = 10_000;

const XMIN = (snapshot: string) => `pg_snapshot_xmin(${snapshot})::text::bigint`;

/** The row of the transaction 0 tells whether the table is still the one that was read before: a crash empties it. */
const READ: Statement = {
  name: 'kiln_changes_read',
  isRepeatable: true,
  text: `SELECT pg_current_snapshot()::text, ${XMIN('pg_current_snapshot()')}::text,
 (SELECT string_agg("keys"[1], ' ' ORDER BY "id") FROM "kiln_changes" WHERE "xid" = 0),
 (SELECT json_agg(json_build_array("source", "keys"))::text FROM (SELECT "source", "keys" FROM "kiln_changes"
  WHERE "xid" >= greatest(1, ${XMIN('$1::pg_snapshot')}) AND NOT pg_visible_in_snapshot("xid"::text::xid8, $1::pg_snapshot)
  LIMIT ${MOST_CHANGES + 1}) AS "found")`,
};

const MARK: Statement = {
  name: 'kiln_changes_mark',
  isRepeatable: true,
  text: `INSERT INTO "kiln_changes" ("xid", "source", "keys") SELECT 0, '', ARRAY[$1::text] WHERE NOT EXISTS (SELECT FROM "kiln_changes" WHERE "xid" = 0)`,
};

/** One server at a time. A row of a transaction that is still to come is from another database, of which this is a copy. */
const REMOVE: Statement = {
  name: 'kiln_changes_remove',
  isRepeatable: true,
  text: `DELETE FROM "kiln_changes" WHERE (SELECT pg_try_advisory_xact_lock(hashtext('kiln_changes'))) AND "xid" > 0
 AND ("xid" < $1::bigint OR "xid" >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`,
};

export class ChangeReader {
  readonly #options: ReaderOptions;
  readonly #server = `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`;
  readonly #notify: () => void;
  readonly #sweep: NodeJS.Timeout;
  #endListening: (() => Promise<void>) | null = null;
  #timer: NodeJS.Timeout | undefined;
  #reading: Promise<void> | null = null;
  #isDue = false;
  #isActive = false;
  #snapshot: string | null = null;
  #mark: string | null = null;
  #readAt = 0;
  /** The oldest transactions that ran, and when that was. */
  #horizons: { readonly xid: string; readonly at: number }[] = [];

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#notify = notifier(options.connection, 'kiln_changes', this.#server);
    this.#sweep = setInterval(() => void this.#remove(), SWEEP).unref();
  }

  /** The time since changes were last read, in milliseconds; null where nobody needs them. */
  get age(): number | null {
    return this.#isActive ? performance.now() - this.#readAt : null;
  }

  /** Resolves when every change from now on will be told. */
  async start(): Promise<void> {
    if (!this.#isActive) {
      this.#isActive = true;
      this.#snapshot = null;
      this.#endListening ??= listenTo(this.#options.client, 'kiln_changes', this.#server, () => this.#wake());
      this.#wake();
    }
    // The first reading may have to mark the table, and the second one begins there.
    for (let tries = 0; this.#isActive && this.#snapshot === null; tries++) {
      if (tries === MOST_TRIES) throw new ApiError('unavailable', { detail: 'Changes cannot be read at the moment.' });
      await (this.#reading ?? this.#read());
    }
  }

  /** Nobody needs changes any more. */
  pause(): void {
    this.#isActive = false;
    clearTimeout(this.#timer);
  }

  /** This server may have changed something. */
  nudge(): void {
    this.#notify();
    this.#wake();
  }

  async stop(): Promise<void> {
    this.pause();
    clearInterval(this.#sweep);
    await this.#endListening?.();
    await this.#reading;
  }

  #wake(): void {
    if (!this.#isActive) return;
    if (this.#reading) this.#isDue = true;
    else this.#schedule(Math.max(0, this.#readAt + SHORTEST_PAUSE - performance.now()));
  }

  #schedule(pause: number): void {
    clearTimeout(this.#timer);
    if (this.#isActive) this.#timer = setTimeout(() => void this.#read(), pause).unref();
  }

  #read(): Promise<void> {
    this.#isDue = false;
    this.#reading ??= this.#readOnce()
      // The next reading goes on where the last one was, unless too much time has passed.
      .catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'changes for live lists could not be read; it is tried again'),
      )
      .finally(() => {
        this.#reading = null;
        const isAlone = this.#options.client.statementTimeout === 0;
        this.#schedule(this.#isDue ? SHORTEST_PAUSE : isAlone ? POLL_ALONE : POLL);
      });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    const { connection, changed, missed } = this.#options;
    const before = performance.now() - this.#readAt < LONGEST_PAUSE ? this.#snapshot : null;
    // Nothing is visible in it that could be read, so a first reading gives nothing.
    const { rows } = await connection.run(READ, [before ?? NONE_NEW]);
    const [snapshot, horizon, mark, found] = rows[0] as readonly [string, string, string | null, string | null];
    if (mark === null) await connection.run(MARK, [randomUUID()]);
    const isGap = before === null || mark === null || mark !== this.#mark;
    const wasRead = this.#readAt > 0;
    this.#snapshot = mark === null ? null : snapshot;
    this.#mark = mark;
    this.#readAt = performance.now();
    this.#horizons.push({ xid: horizon, at: this.#readAt });
    const changes = (isGap ? [] : JSON.parse(found ?? '[]')) as readonly Change[];
    if (isGap ? wasRead : changes.length > MOST_CHANGES) missed();
    else if (changes.length > 0) changed(changes);
  }

  async #remove(): Promise<void> {
    const { connection, log } = this.#options;
    try {
      if (!this.#isActive) await this.#look();
      const old = this.#horizons.findLast(({ at }) => at < performance.now() - KEPT);
      if (!old) return;
      this.#horizons = this.#horizons.filter(({ at }) => at > old.at);
      await connection.run(REMOVE, [old.xid]);
    } catch (error) {
      log.debug({ err: error }, 'could not remove old changes');
    }
  }

  async #look(): Promise<void> {
    const { rows } = await this.#options.connection.run(READ, [NONE_NEW]);
    this.#horizons.push({ xid: String(rows[0]?.[1]), at: performance.now() });
  }
}

/** A snapshot in which every transaction is visible. */
const NONE_NEW = '9000000000000000000:9000000000000000000:';
