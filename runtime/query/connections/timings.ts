import type { Statement } from '../database.ts';

/** How many of its last runs a statement is judged by. */
const RUNS = 16;

/** In milliseconds: a statement that takes so long in half of its runs is slow, whatever the others took. */
const OFTEN_SLOW = 100;

/**
 * In milliseconds. There are two limits, so that a statement near one of them does not go back and forth: those that wait
 * on one way would be overtaken on the other.
 */
const QUICK = { below: 0.4, until: 0.8 } as const;

/** Clients may choose among any number of statements. One that is forgotten is measured again. */
const MOST = 10_000;

/**
 * For each statement how long Postgres takes for it by itself, in milliseconds: the shortest of its last runs. On a busy
 * server every statement takes longer, so a mean would call quick ones slow, and they would wait for the slow ones. One
 * that is quick for some values and slow for many others is slow.
 */
export class Timings {
  readonly #known = new Map<string, RecentRuns>();

  /** Undefined for a statement that has not been run yet. */
  expected(statement: Statement): number | undefined {
    return this.#known.get(statement.name)?.expected;
  }

  /** Whether it ends so soon that it gains from sharing a round trip with others. */
  isQuick(statement: Statement): boolean {
    return this.#known.get(statement.name)?.isQuick ?? false;
  }

  /** Whether it was run so seldom that its time may still fall: the first runs are slower than all others. */
  isNew(statement: Statement): boolean {
    return (this.#known.get(statement.name)?.count ?? 0) < RUNS;
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

  get count(): number {
    return this.#count;
  }

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
