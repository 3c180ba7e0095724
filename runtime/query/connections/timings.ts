/** How long statements take by themselves, and how much is in flight on a connection. */

import type { Statement } from '../database.ts';

/** How many of its last runs a statement is judged by. */
const RUNS = 16;

/**
 * The time in milliseconds from which on a statement is slow if half of its runs take so long, whatever the others
 * took.
 */
const OFTEN_SLOW = 100;

/**
 * The limits of quick statements, in milliseconds. There are two, so that a statement near one of them does not go back
 * and forth: those that wait on one path would be overtaken on the other.
 */
const QUICK = { below: 0.4, until: 0.8 } as const;

/** Clients may choose among any number of statements. One that is forgotten is measured again. */
const MOST = 10_000;

/**
 * The time that Postgres takes for each statement by itself, in milliseconds: the shortest of its last runs. On a busy
 * server every statement takes longer, so a mean would call quick ones slow, and they would wait for the slow ones. One
 * that is quick for some values and slow for many others is slow.
 */
export class Timings {
  readonly #known = new Map<string, RecentRuns>();

  /** The expected time; undefined for a statement that has not been run yet. */
  expected(statement: Statement): number | undefined {
    return this.#known.get(statement.name)?.expected;
  }

  /** Whether it ends so soon that it gains from sharing a round trip with others. */
  isQuick(statement: Statement): boolean {
    return this.#known.get(statement.name)?.isQuick ?? false;
  }

  /** A time of 0 says only that no answer has ever come sooner. */
  record(statement: Statement, time: number): void {
    if (statement.name === '' || time === 0) return;
    const known = this.#known.get(statement.name);
    if (known !== undefined) known.add(time);
    else this.#begin(statement.name, time);
  }

  #begin(name: string, time: number): void {
    const [oldest] = this.#known.size < MOST ? [] : this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(name, new RecentRuns(time));
  }
}

class RecentRuns {
  readonly #times: number[];
  #count = 1;
  expected: number;
  isQuick: boolean;

  constructor(time: number) {
    this.#times = [time];
    this.expected = time;
    this.isQuick = time < QUICK.below;
  }

  add(time: number): void {
    this.#times[this.#count % RUNS] = time;
    this.#count++;
    // Often enough, and at once while little is known: the first run is slower than all others.
    if (this.#count > RUNS && this.#count % 4 !== 0) return;
    const sorted = this.#times.toSorted((one, other) => one - other);
    const [shortest = time, median = time] = [sorted[0], sorted[sorted.length >> 1]];
    this.expected = median >= OFTEN_SLOW ? median : shortest;
    this.isQuick = this.expected < (this.isQuick ? QUICK.until : QUICK.below);
  }
}

// ── Round trip ──────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * How long an answer takes that costs the server nothing, in milliseconds: the shortest that any connection has seen. A
 * connection that is opened on a busy server measures too much, and would take slow statements for quick ones.
 */
export class RoundTrip {
  #shortest: number;
  #losses = 0;

  constructor(shortest = Number.POSITIVE_INFINITY) {
    this.#shortest = shortest;
  }

  get shortest(): number {
    return this.#shortest;
  }

  /**
   * Restarts the measurement. After a lost connection the server may be another one that is further away, so the known
   * time is forgotten.
   */
  restart(time: number, losses: number): void {
    this.#shortest = losses === this.#losses ? Math.min(this.#shortest, time) : time;
    this.#losses = losses;
  }

  learn(time: number): void {
    if (time < this.#shortest) this.#shortest = time;
  }
}

// ── Workload ────────────────────────────────────────────────────────────────────────────────────────────────────────

// The statements in flight on one connection, oldest first. Postgres answers them in order, so each one starts when the
// previous one is done, or when it has arrived. The round trip is not counted. Times are in milliseconds.

interface Job {
  readonly sentAt: number;
  readonly expected: number;
}

/** How much of the mean each new time makes up. */
const WEIGHT = 1 / 16;

export class Workload {
  readonly #jobs: Job[] = [];
  #lastEnd = Number.NEGATIVE_INFINITY;
  #backlog = 0;
  /** The mean time of the last jobs. */
  #meanTime = 0;
  readonly #roundTrip: RoundTrip;

  constructor(roundTrip = new RoundTrip(0)) {
    this.#roundTrip = roundTrip;
  }

  get size(): number {
    return this.#jobs.length;
  }

  /** The time that all of it will take: the expected time of each, or longer if the last ones took longer. */
  get backlog(): number {
    const { length } = this.#jobs;
    return length === 0 ? 0 : Math.max(this.#backlog, this.#meanTime * length);
  }

  /** How long the oldest one has been running. */
  runningFor(now: number): number {
    const [oldest] = this.#jobs;
    return oldest === undefined ? 0 : this.#timeOf(oldest, now);
  }

  add(expected: number, now: number): void {
    if (this.#jobs.length === 0) this.#backlog = 0;
    this.#jobs.push({ sentAt: now, expected });
    this.#backlog += expected;
  }

  /** Ends the oldest job and returns the time that it took by itself: 0 where none has been faster. */
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
