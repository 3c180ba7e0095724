import type { Statement } from '../database.ts';

/** A statement is judged by its last runs: by at least so many of them, and at most twice as many. */
const RUNS = 16;

/** Clients may choose among any number of statements. One that is forgotten is measured again. */
const MOST = 10_000;

/**
 * For each statement how long Postgres takes for it by itself, in milliseconds: the shortest of its last runs. On a busy
 * server every statement takes longer, so a mean would call quick ones slow, and they would wait for the slow ones.
 */
export class Timings {
  readonly #known = new Map<string, RecentRuns>();

  /** Undefined for a statement that has not been run yet. */
  expected(statement: Statement): number | undefined {
    return this.#known.get(statement.name)?.shortest;
  }

  record(statement: Statement, time: number): void {
    if (statement.name === '') return;
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
  #count = 1;
  #shortest: number;
  #shortestBefore = Number.POSITIVE_INFINITY;

  constructor(time: number) {
    this.#shortest = time;
  }

  get shortest(): number {
    return Math.min(this.#shortest, this.#shortestBefore);
  }

  add(time: number): void {
    if (this.#count === RUNS) {
      this.#shortestBefore = this.#shortest;
      this.#shortest = time;
      this.#count = 1;
      return;
    }
    this.#shortest = Math.min(this.#shortest, time);
    this.#count++;
  }
}
