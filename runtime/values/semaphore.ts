/** Limits how much is done at once. What exceeds the limit waits in turn, for a limited time or as long as it takes. */

/** Others did not finish in time, or too many wait already. */
export class WaitTimeout extends Error {
  override readonly name = 'WaitTimeout';

  constructor() {
    super('others did not finish in time');
  }
}

/** How long somebody, as one request, may still wait for others. The waits are taken from it. */
export interface WaitBudget {
  /** The time that is left, in milliseconds. */
  left: number;
}

interface Waiting<T> {
  readonly budget?: WaitBudget | undefined;
  /** Its reason is thrown when it fires first. */
  readonly signal?: AbortSignal | undefined;
  /** Takes back what came too late: the place in a queue cannot be left. */
  readonly giveBack?: (value: T) => void;
}

/** Waits for something that others have. Throws `WaitTimeout` when the budget is used up. */
export async function waitFor<T>(event: Promise<T>, { budget, signal, giveBack }: Waiting<T>): Promise<T> {
  if (budget === undefined && signal === undefined) return event;
  const start = performance.now();
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  let abort = (): void => undefined;
  try {
    return await new Promise((resolve, reject) => {
      const giveUp = (reason: unknown): void => {
        isLate = true;
        reject(reason);
      };
      abort = () => giveUp(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      if (signal?.aborted) abort();
      timer = budget && setTimeout(() => giveUp(new WaitTimeout()), budget.left);
      event.then((value) => (isLate ? giveBack?.(value) : resolve(value)), reject);
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    // A timer may fire a moment early.
    if (budget) budget.left = isLate ? 0 : budget.left - (performance.now() - start);
  }
}

/** Lets so many work at once, and the others one after the other, in the order in which they came. */
export class Semaphore {
  #free: number;
  #waiting = 0;
  readonly #mostWaiting: number;
  readonly #turns: (() => void)[] = [];

  constructor(count: number, mostWaiting = Number.POSITIVE_INFINITY) {
    this.#free = count;
    this.#mostWaiting = mostWaiting;
  }

  /** The number of waiting callers. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Whether another one would be refused at once. */
  get isFull(): boolean {
    return this.#free === 0 && this.#waiting >= this.#mostWaiting;
  }

  async during<T>(work: () => Promise<T>, budget?: WaitBudget): Promise<T> {
    await this.acquire(budget);
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  async acquire(budget?: WaitBudget, signal?: AbortSignal): Promise<void> {
    if (this.isFull) throw new WaitTimeout();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const turn = new Promise<void>((resolve) => this.#turns.push(resolve));
    this.#waiting++;
    try {
      await waitFor(turn, { budget, signal, giveBack: () => this.release() });
    } finally {
      this.#waiting--;
    }
  }

  release(): void {
    const begin = this.#turns.shift();
    if (begin === undefined) this.#free++;
    else begin();
  }
}
