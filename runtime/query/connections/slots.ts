/** So many at once, and the others one after the other, in the order in which they came. */
import { WaitingLine } from '../waiting-line.ts';
import { busy, type Patience } from './patience.ts';

export class Slots {
  #free: number;
  readonly #longest: number;
  readonly #line = new WaitingLine<() => void>();
  /** How many wait, by name. */
  readonly #counts = new Map<string, number>();

  /** `longest` is the wait of whoever has no patience of its own, in milliseconds. */
  constructor(count: number, longest: number) {
    this.#free = count;
    this.#longest = longest;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#line.length;
  }

  isAwaited(name: string): boolean {
    return this.#counts.has(name);
  }

  /** The wait is taken from the patience. */
  async during<T>(name: string, work: () => Promise<T>, patience: Patience = { left: this.#longest }): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(name, patience);
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  #turn(name: string, patience: Patience): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = performance.now();
      const end = (): void => {
        this.#uncount(name);
        patience.left -= performance.now() - start;
      };
      const timer = setTimeout(() => {
        this.#line.leave(place);
        end();
        // A timer may fire a moment early.
        patience.left = Math.min(patience.left, 0);
        reject(busy());
      }, patience.left);
      const place = this.#line.join(() => {
        clearTimeout(timer);
        end();
        resolve();
      });
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    });
  }

  #passOn(): void {
    const go = this.#line.next();
    if (go === null) this.#free++;
    else go();
  }

  #uncount(name: string): void {
    const left = (this.#counts.get(name) ?? 0) - 1;
    if (left > 0) this.#counts.set(name, left);
    else this.#counts.delete(name);
  }
}
