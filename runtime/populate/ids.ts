/** The ids of one table: computed from a number, so that nothing has to remember the rows that were made. */
import type { Value } from '../values/value.ts';
import type { Choices } from './candidates.ts';

export class Ids {
  readonly #existing: readonly Value[];
  readonly #at: (index: number) => Value;
  #made = 0;
  #settled = 0;

  constructor(existing: readonly Value[], at: (index: number) => Value) {
    this.#existing = existing;
    this.#at = at;
  }

  get made(): number {
    return this.#made;
  }

  /** Of the record that is made now. */
  get next(): Value {
    return this.#at(this.#made);
  }

  advance(): void {
    this.#made++;
  }

  /** What is made until now is sent before all that follows. */
  settle(): void {
    this.#settled = this.#made;
  }

  /** The records that a reference may lead to, those that were there first. */
  choices(isSettled: boolean): Choices {
    const existing = this.#existing;
    return {
      kind: 'choices',
      size: () => existing.length + (isSettled ? this.#settled : this.#made),
      at: (index) => (index < existing.length ? (existing[index] as Value) : this.#at(index - existing.length)),
    };
  }
}
