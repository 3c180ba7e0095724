/** So many at once, and the others one after the other, in the order in which they came. */
import { busy, type Patience } from './patience.ts';

export class Slots {
  #free: number;
  readonly #longest: number;
  /** In order, with the names of their work. */
  readonly #waiting = new Map<() => void, string>();
  /** How many wait, by name. */
  readonly #counts = new Map<string, number>();

  /** `longest` is the wait of whoever has no patience of its own, in milliseconds. */
  constructor(count: number, longest: number) {
    this.#free = count;
    this.#longest = longest;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
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
      const timer = setTimeout(() => {
        this.#leave(go, name);
        patience.left -= performance.now() - start;
        reject(busy());
      }, patience.left);
      const go = (): void => {
        clearTimeout(timer);
        patience.left -= performance.now() - start;
        resolve();
      };
      this.#waiting.set(go, name);
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    });
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    const [go, name] = next;
    this.#leave(go, name);
    go();
  }

  #leave(go: () => void, name: string): void {
    this.#waiting.delete(go);
    const left = (this.#counts.get(name) ?? 0) - 1;
    if (left > 0) this.#counts.set(name, left);
    else this.#counts.delete(name);
  }
}
