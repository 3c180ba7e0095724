/** So many at once, and the others one after the other, in the order in which they came. */
import { type Patience, patiently } from './patience.ts';

export class Slots {
  #free: number;
  readonly #longest: number;
  /** In order. */
  readonly #waiting = new Set<() => void>();

  /** `longest` is the wait of whoever has no patience of its own, in milliseconds. */
  constructor(count: number, longest: number) {
    this.#free = count;
    this.#longest = longest;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** The wait is taken from the patience. */
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
    let go = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      go = resolve;
    });
    this.#waiting.add(go);
    try {
      await patiently(turn, patience);
    } catch (error) {
      // A turn that came in the same moment goes to the next one.
      if (!this.#waiting.delete(go)) this.#passOn();
      throw error;
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
