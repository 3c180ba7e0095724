/** Work that may run only so often at once. What comes beyond waits in turn, and what finds the queue full is refused. */

export class QueueFull extends Error {
  constructor() {
    super('too much work is waiting');
    this.name = 'QueueFull';
  }
}

export interface Bounds {
  readonly atOnce: number;
  readonly waiting: number;
}

export class BoundedWork {
  readonly #bounds: Bounds;
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get isFull(): boolean {
    return this.#running >= this.#bounds.atOnce && this.#queue.length >= this.#bounds.waiting;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFull) throw new QueueFull();
    if (this.#running >= this.#bounds.atOnce) await new Promise<void>((resolve) => this.#queue.push(resolve));
    else this.#running++;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** The place of what has ended goes to what has waited longest. The queue is short, so that `shift` is cheap. */
  #next(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#running--;
  }
}
