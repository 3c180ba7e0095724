/** So many at once, and the others one after the other, in the order in which they came. */
import { type Patience, patiently } from './patience.ts';

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

  async #turn(name: string, patience: Patience): Promise<void> {
    let go = (): void => undefined;
    const turn = new Promise<void>((resolve) => {
      go = resolve;
    });
    this.#waiting.set(go, name);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    try {
      await patiently(turn, patience);
    } catch (error) {
      // A turn that came in the same moment goes to the next one.
      if (!this.#leave(go, name)) this.#passOn();
      throw error;
    }
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

  /** Whether it was still waiting. */
  #leave(go: () => void, name: string): boolean {
    if (!this.#waiting.delete(go)) return false;
    const left = (this.#counts.get(name) ?? 0) - 1;
    if (left > 0) this.#counts.set(name, left);
    else this.#counts.delete(name);
    return true;
  }
}
