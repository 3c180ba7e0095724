/** So many at once, and the others one after the other, in the order in which they came. */
import { DatabaseError } from '../database.ts';
import type { Patience } from './pool.ts';

export class Slots {
  #free: number;
  readonly #longest: number;
  /** In order; those who have left are skipped. */
  readonly #waiting = new Set<() => void>();

  /** `longest` is the wait of whoever has no patience of its own, in milliseconds. */
  constructor(count: number, longest: number) {
    this.#free = count;
    this.#longest = longest;
  }

  /** The wait is taken from the patience. Whoever waits for too long is told that the database is busy. */
  async during<T>(work: () => Promise<T>, patience: Patience = { left: this.#longest }): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(patience);
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  async #turn(patience: Patience): Promise<void> {
    const start = performance.now();
    try {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => {
          this.#waiting.delete(go);
          reject(new DatabaseError('busy', {}, new Error('slow statements of others did not end in time')));
        }, patience.left);
        const go = (): void => {
          clearTimeout(timer);
          resolve();
        };
        this.#waiting.add(go);
      });
    } finally {
      patience.left -= performance.now() - start;
    }
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
