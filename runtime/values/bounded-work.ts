/**
 * Work of which only so much runs at once. More waits in turn, for a limited time. Work that finds the queue full, or
 * has waited for too long, is refused.
 */

export class QueueFull extends Error {
  constructor() {
    super('too much work is waiting');
    this.name = 'QueueFull';
  }
}

interface Bounds {
  readonly atOnce: number;
  readonly waiting: number;
  /** In milliseconds. */
  readonly longestWait: number;
}

export class BoundedWork {
  readonly #bounds: Bounds;
  /** What starts each one that waits, the oldest first. */
  readonly #queue = new Set<() => void>();
  #running = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  get isFull(): boolean {
    return this.#running >= this.#bounds.atOnce && this.#queue.size >= this.#bounds.waiting;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFull) throw new QueueFull();
    if (this.#running >= this.#bounds.atOnce) await this.#turn();
    else this.#running++;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  /** Whoever has waited too long leaves the queue: the work of a busy machine takes longer than anybody planned. */
  #turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#queue.delete(start);
        reject(new QueueFull());
      }, this.#bounds.longestWait);
      this.#queue.add(start);
    });
  }

  /** The place of work that has ended goes to the work that has waited longest. */
  #next(): void {
    const [start] = this.#queue;
    if (start === undefined) {
      this.#running--;
      return;
    }
    this.#queue.delete(start);
    start();
  }
}
