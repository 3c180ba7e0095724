import type { Statement } from '../database.ts';

/** What a new measurement weighs against those before it: a few quick runs make a slow first one forgotten. */
const WEIGHT = 1 / 4;

/** For each statement a moving estimate of how long Postgres takes for it, in milliseconds. */
export class Timings {
  readonly #expected = new Map<string, number>();

  /** Undefined for a statement that has not been run yet. */
  expected(statement: Statement): number | undefined {
    return this.#expected.get(statement.name);
  }

  record(statement: Statement, time: number): void {
    if (statement.name === '') return;
    const before = this.#expected.get(statement.name) ?? time;
    this.#expected.set(statement.name, before + (time - before) * WEIGHT);
  }
}
