/** The turn did not come in time. */
export class TurnMissed extends Error {
  constructor() {
    super('the turn did not come in time');
    this.name = 'TurnMissed';
  }
}

/** Work under one key, one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Throws `TurnMissed` where the work cannot begin within `wait` milliseconds; then it does not begin later either. */
  async take<T>(key: string, work: () => Promise<T>, wait: number): Promise<T> {
    const before = this.#last.get(key);
    const turn = before ? within(before, wait).then(work) : work();
    // Whoever has missed the turn leaves the queue, and those behind still wait for those before.
    const end = Promise.allSettled([before, turn]).then(nothing);
    this.#last.set(key, end);
    void end.then(() => {
      if (this.#last.get(key) === end) this.#last.delete(key);
    });
    return turn;
  }
}

function within(turn: Promise<void>, wait: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TurnMissed()), wait);
    void turn.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function nothing(): void {}
