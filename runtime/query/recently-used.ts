/** As many values as are allowed; to make room, the one that was not used for longest is removed. */
export class RecentlyUsed<Value> {
  readonly #most: number;
  readonly #removed: (key: string) => void;
  /** From the one that was not used for longest to the last. */
  readonly #values = new Map<string, Value>();

  constructor(most: number, removed: (key: string) => void = () => {}) {
    this.#most = most;
    this.#removed = removed;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
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
