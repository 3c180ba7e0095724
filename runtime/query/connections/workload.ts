/**
 * The statements in flight on one connection, oldest first. Postgres answers them in order, so each one starts when the
 * one before it is done, or when it has arrived. The way there and back is not counted. Times are in milliseconds.
 */
import { Queue } from '../queue.ts';

interface Job {
  readonly sentAt: number;
  readonly expected: number;
}

export class Workload {
  readonly #jobs = new Queue<Job>();
  #lastEnd = Number.NEGATIVE_INFINITY;
  #backlog = 0;
  #roundTrip: number;

  /** `roundTrip` is how long an answer takes that costs the server nothing. */
  constructor(roundTrip = 0) {
    this.#roundTrip = roundTrip;
  }

  get size(): number {
    return this.#jobs.length;
  }

  /** How long all of it is expected to take. */
  get backlog(): number {
    return this.#jobs.length === 0 ? 0 : this.#backlog;
  }

  /** How long the oldest one has been running. */
  runningFor(now: number): number {
    const { first: oldest } = this.#jobs;
    return oldest === undefined ? 0 : this.#timeOf(oldest, now);
  }

  add(expected: number, now: number): void {
    if (this.#jobs.length === 0) this.#backlog = 0;
    this.#jobs.push({ sentAt: now, expected });
    this.#backlog += expected;
  }

  /** Ends the oldest one and gives the time that it took by itself. */
  finish(now: number): number {
    const job = this.#jobs.shift();
    if (job === undefined) return 0;
    this.#backlog -= job.expected;
    this.#roundTrip = Math.min(this.#roundTrip, now - job.sentAt);
    const time = this.#timeOf(job, now);
    this.#lastEnd = now;
    return time;
  }

  #timeOf(job: Job, now: number): number {
    return Math.max(0, now - Math.max(this.#lastEnd, job.sentAt + this.#roundTrip));
  }
}
