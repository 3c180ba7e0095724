/** Work under one key, one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const turn = before ? before.then(work) : work();
    const end = turn.then(nothing, nothing);
    this.#last.set(key, end);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === end) this.#last.delete(key);
    }
  }
}

function nothing(): void {}
