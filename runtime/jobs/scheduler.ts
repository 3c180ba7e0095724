/**
 * Runs schedules: for each due time it stores the jobs once, however many servers there are. No server leads. The row of a
 * schedule says up to when its due times have been dealt with. The server that moves it on stores the jobs in the same
 * transaction. All times are by the clock of Postgres.
 */
import type { Logger } from 'pino';
import type * as DueTimes from '../../compiler/definition/due-times.ts';
import { type Schedule, scheduleKey } from '../../compiler/definition/work.ts';
import type { ScheduleRoute } from '../endpoints/application.ts';
import type { Connection, Row, Statement } from '../query/database.ts';
import type { ImageRelease, ReleaseDatabase } from '../query/database-release.ts';

interface SchedulerOptions {
  readonly database: ReleaseDatabase;
  readonly log: Logger;
  /** Missing where what is served is no release. */
  readonly release?: ImageRelease | undefined;
}

/** The longest sleep, in milliseconds: the clock of Postgres may be set, and another release may be withdrawn. */
const LONGEST_SLEEP = 30_000;
const AFTER_ERROR = 5000;

export class Scheduler {
  readonly #options: SchedulerOptions;
  #routes: readonly ScheduleRoute[] = [];
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Runs these schedules from now on. */
  replace(routes: readonly ScheduleRoute[]): void {
    this.#routes = routes;
    this.#sleep(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #sleep(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || this.#routes.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#looking.then(() => this.#lookSafely());
    }, milliseconds).unref();
  }

  async #lookSafely(): Promise<void> {
    const wait = await this.look().catch((error: unknown) => {
      this.#options.log.debug({ err: error }, 'the table of schedules could not be used');
      return AFTER_ERROR;
    });
    this.#sleep(wait);
  }

  /** Stores the jobs that are due. Gives the milliseconds until the next ones are. */
  async look(): Promise<number> {
    const { database, release } = this.#options;
    const newest = release ? ((await database.view())?.release?.position ?? 0) : 0;
    if (release && newest > release.position) return LONGEST_SLEEP;
    // It is loaded only where there are schedules.
    const times = await import('../../compiler/definition/due-times.ts');
    const routes = this.#routes;
    const isMigrated = release === undefined || newest === release.position;
    const { now, done } = await readSchedules(database, routes, release, isMigrated);
    for (const route of routes) {
      const last = done.get(scheduleKey(route.schedule));
      // Another server has just added it: it is read again at the next due time.
      if (last) await this.#place(route, missedTimes(times, route.schedule, last, now));
    }
    const next = routes.map(({ schedule }) => times.nextDue(schedule, now)?.getTime() ?? Number.POSITIVE_INFINITY);
    return Math.min(LONGEST_SLEEP, Math.min(...next) - now.getTime() + 1);
  }

  /** A schedule that fails does not keep the others from their jobs. */
  async #place({ schedule, route }: ScheduleRoute, times: readonly Date[]): Promise<void> {
    const { log } = this.#options;
    const line = { schedule: schedule.name };
    try {
      for (const due of times) {
        const id = `${schedule.name} ${due.toISOString()}`;
        const end = (transaction: Connection) => moveOn(transaction, schedule, due);
        const work = { id, attempt: 1, signal: new AbortController().signal, log, input: {}, depth: 0, end };
        await route.perform(work).catch(unlessPlaced);
      }
    } catch (error) {
      log.warn({ ...line, err: error }, 'the jobs of a schedule could not be stored; this is tried again');
    }
  }
}

/** The age, in milliseconds, up to which a due time that no server has dealt with is made up for. */
const OLDEST = { last: 24 * 60 * 60_000, none: 60_000 } as const;

/** The most due times of one schedule at once. Those behind them follow with the next look. */
const MOST_TIMES = 1000;

function missedTimes({ dueTimes, lastDue }: typeof DueTimes, schedule: Schedule, done: Date, now: Date) {
  if (schedule.catchUp === 'all') return take(dueTimes(schedule, done, now), MOST_TIMES);
  const last = lastDue(schedule, now);
  const oldest = Math.max(done.getTime(), now.getTime() - OLDEST[schedule.catchUp]);
  return last && last.getTime() > oldest ? [last] : [];
}

function take<T>(items: Iterable<T>, most: number): readonly T[] {
  const taken: T[] = [];
  for (const item of items) if (taken.push(item) === most) break;
  return taken;
}

/** Another server has stored the jobs of this due time. */
class AlreadyPlaced extends Error {}

function unlessPlaced(error: unknown): void {
  if (!(error instanceof AlreadyPlaced)) throw error;
}

// ── The table of schedules ──────────────────────────────────────────────────────────────────────────────────────────

/** A new schedule begins when its release was migrated. One that the release no longer has is removed. */
function readStatement(start: string): string {
  return `WITH known AS (
  SELECT unnest($1::text[]) AS name
), gone AS (
  DELETE FROM "kiln_schedules" WHERE $2::boolean AND "name" <> ALL ($1::text[])
), added AS (
  INSERT INTO "kiln_schedules" ("name", "due_at") SELECT known.name, ${start} FROM known
  ON CONFLICT ("name") DO NOTHING RETURNING "name", "due_at"
)
SELECT known.name, extract(epoch FROM coalesce(added."due_at", found."due_at")) * 1000, extract(epoch FROM now()) * 1000
FROM known LEFT JOIN added ON added."name" = known.name LEFT JOIN "kiln_schedules" AS found ON found."name" = known.name`;
}

const READ: Statement = { name: 'kiln_schedules_read', text: readStatement('now()'), isRepeatable: true };
const READ_MIGRATED: Statement = {
  name: 'kiln_schedules_read_migrated',
  text: readStatement('coalesce((SELECT applied_at FROM kiln_releases WHERE position = $3::integer), now())'),
  isRepeatable: true,
};

async function readSchedules(
  connection: Connection,
  routes: readonly ScheduleRoute[],
  release: ImageRelease | undefined,
  isMigrated: boolean,
) {
  const values = [routes.map(({ schedule }) => scheduleKey(schedule)), String(isMigrated)];
  const { rows } = release
    ? await connection.run(READ_MIGRATED, [...values, String(release.position)])
    : await connection.run(READ, values);
  const done = rows.flatMap(([name, last]): readonly [string, Date][] =>
    last === null ? [] : [[String(name), dateFrom(last)]],
  );
  return { now: dateFrom((rows[0] as Row)[2]), done: new Map(done) };
}

function dateFrom(milliseconds: string | null | undefined): Date {
  return new Date(Math.floor(Number(milliseconds)));
}

const MOVE_ON: Statement = {
  name: 'kiln_schedules_move_on',
  text: 'UPDATE "kiln_schedules" SET "due_at" = $2::timestamptz WHERE "name" = $1 AND "due_at" < $2::timestamptz',
  isRepeatable: false,
};

async function moveOn(transaction: Connection, schedule: Schedule, due: Date): Promise<void> {
  const { count } = await transaction.run(MOVE_ON, [scheduleKey(schedule), due.toISOString()]);
  if (count === 0) throw new AlreadyPlaced();
}
