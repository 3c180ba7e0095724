import type { Statement } from '../database.ts';

/** What a new measurement weighs against those before it: a few quick runs make a slow first one forgotten. */
const WEIGHT = 1 / 4;

/** Clients may choose among any number of statements. One that is forgotten is measured again. */
const MOST = 10_000;

/** For each statement a moving estimate of how long Postgres takes for it, in milliseconds. */
export class Timings {
  readonly #expected = new Map<string, number>();

  /** Undefined for a statement that has not been run yet. */
  expected(statement: Statement): number | undefined {
    return this.#expected.get(statement.name);
  }

  record(statement: Statement, time: number): void {
    if (statement.name === '') return;
    const known = this.#expected.get(statement.name);
    if (known === undefined) this.#makeRoom();
    const before = known ?? time;
    this.#expected.set(statement.name, before + (time - before) * WEIGHT);
  }

  #makeRoom(): void {
    const [oldest] = this.#expected.size < MOST ? [] : this.#expected.keys();
    if (oldest !== undefined) this.#expected.delete(oldest);
  }
}
