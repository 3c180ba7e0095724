/** A cache with a limited number of values; the least recently used one is removed. */
export class RecentlyUsed<Value> {
  readonly #most: number;
  readonly #removed: (key: string) => void;
  /** The values, from the least recently used to the last one. */
  readonly #values = new Map<string, Value>();

  constructor(most: number, removed: (key: string) => void = () => {}) {
    this.#most = most;
    this.#removed = removed;
  }

  /** The value of the key, which is made where there is none. */
  getOrMake(key: string, make: () => Value): Value {
    const value = this.#values.get(key) ?? make();
    this.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#most) return;
    const [oldest] = this.#values.keys();
    if (oldest === undefined) return;
    this.#values.delete(oldest);
    this.#removed(oldest);
  }
}
