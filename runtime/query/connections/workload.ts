/**
 * The statements in flight on one connection, oldest first. Postgres answers them in order, so each one starts when the
 * one before it is done, or when it has arrived. The way there and back is not counted. Times are in milliseconds.
 */
import { Queue } from '../queue.ts';
import { RoundTrip } from './round-trip.ts';

interface Job {
  readonly sentAt: number;
  readonly expected: number;
}

/** How much of the mean each new time makes up. */
const WEIGHT = 1 / 16;

export class Workload {
  readonly #jobs = new Queue<Job>();
  #lastEnd = Number.NEGATIVE_INFINITY;
  #backlog = 0;
  /** Of the last jobs. */
  #meanTime = 0;
  readonly #roundTrip: RoundTrip;

  constructor(roundTrip = new RoundTrip(0)) {
    this.#roundTrip = roundTrip;
  }

  get size(): number {
    return this.#jobs.length;
  }

  /** How long all of it will take: as long as is expected of each, or longer if the last ones took longer. */
  get backlog(): number {
    const { length } = this.#jobs;
    return length === 0 ? 0 : Math.max(this.#backlog, this.#meanTime * length);
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

  /** Ends the oldest one and gives the time that it took by itself: 0 where none has been back sooner. */
  finish(now: number): number {
    const job = this.#jobs.shift();
    if (job === undefined) return 0;
    this.#backlog -= job.expected;
    this.#roundTrip.learn(now - job.sentAt);
    const time = this.#timeOf(job, now);
    this.#lastEnd = now;
    this.#meanTime += (time - this.#meanTime) * WEIGHT;
    return time;
  }

  #timeOf(job: Job, now: number): number {
    return Math.max(0, now - Math.max(this.#lastEnd, job.sentAt + this.#roundTrip.shortest));
  }
}
