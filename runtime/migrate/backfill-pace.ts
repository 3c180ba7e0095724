/** Between two batches of a backfill others go first: standbys that have fallen behind, and a database that is busy. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StepPosition } from './events.ts';
import type { Job } from './job.ts';
import { Refusal } from './refusal.ts';
import type { Session } from './session.ts';

/** In milliseconds. */
const BETWEEN_LOOKS = 500;
const LONGEST_REST = 5000;
const BETWEEN_REPORTS = 10_000;

export class Pace {
  readonly #job: Job;
  readonly #place: StepPosition;
  #looked = performance.now();
  #isBusy = false;
  /** How far the furthest standby was behind at first: some always are. */
  #usuallyBehind: number | undefined;

  constructor(job: Job, place: StepPosition) {
    this.#job = job;
    this.#place = place;
  }

  /** After a batch that has taken so many milliseconds. */
  async rest(took: number): Promise<void> {
    if (performance.now() - this.#looked >= BETWEEN_LOOKS) await this.#look();
    // A database that is busy all the time still gets its column, at half the speed.
    if (this.#isBusy) await this.#sleep(Math.min(took, LONGEST_REST));
  }

  async #look(): Promise<void> {
    const { mostBehind, mostActive } = this.#job.batches;
    const start = performance.now();
    let reported = Number.NEGATIVE_INFINITY;
    let load = await loadOf(this.#job.session);
    this.#usuallyBehind ??= load.behind ?? 0;
    for (; isBehind(load, this.#usuallyBehind + mostBehind); load = await loadOf(this.#job.session)) {
      const now = performance.now();
      if (now - start >= this.#job.locks.patience) throw standbyBehind(load);
      if (now - reported >= BETWEEN_REPORTS) {
        reported = now;
        this.#job.report({ kind: 'standby-behind', ...this.#place, standby: load.standby, bytes: load.behind });
      }
      await this.#sleep(BETWEEN_LOOKS);
    }
    this.#isBusy = load.active >= mostActive;
    this.#looked = performance.now();
  }

  #sleep(milliseconds: number): Promise<void> {
    const { signal } = this.#job;
    return sleep(milliseconds, undefined, signal && { signal });
  }
}

interface Load {
  /** Statements of others that run at this moment. */
  readonly active: number;
  /** The standby that is furthest behind, and by how many bytes: null where there is none, or the role may not know. */
  readonly standby: string | null;
  readonly behind: number | null;
}

const LOAD = `
  SELECT standby, behind,
    (SELECT count(*)::integer FROM pg_stat_activity
    WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()) AS active
  FROM (SELECT) AS one LEFT JOIN (
    SELECT application_name AS standby, pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 AS behind
    FROM pg_stat_replication WHERE replay_lsn IS NOT NULL ORDER BY replay_lsn LIMIT 1
  ) AS standbys ON true`;

async function loadOf({ client }: Session): Promise<Load> {
  const { rows } = await client.query<Load>(LOAD);
  return (rows as [Load])[0];
}

type Behind = Load & { readonly standby: string; readonly behind: number };

function isBehind(load: Load, most: number): load is Behind {
  return load.behind !== null && load.behind > most;
}

function standbyBehind({ standby, behind }: Behind): Refusal {
  return new Refusal(
    'blocked',
    `The standby "${standby}" is ${megabytes(behind)} behind and does not catch up, so no more rows are filled.`,
    {
      details: [
        'Look at the standby, or disconnect it while `migrate` runs if it is late on purpose. Then run `migrate` again.',
      ],
    },
  );
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 / 1024)} MB`;
}
