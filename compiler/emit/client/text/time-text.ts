/** When a call is tried again, and when it is given up. */
export const TIME_CODE = String.raw`// ── Time ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Neither POST nor PATCH: they may have been done before the answer was lost. DELETE would find nothing the second time. */
const REPEATABLE: readonly string[] = ['GET', 'PUT'];
const PASSING: readonly number[] = [429, 502, 503, 504];
const LONGEST_WAIT = 30_000;
/** A timer for longer would fire at once. */
const LONGEST_TIMER = 2_147_483_647;

/** In milliseconds; undefined where the call is not tried again. */
function waitBeforeRetry(method: string, { code, status, headers }: ApiError, tries: number): number | undefined {
  if (!REPEATABLE.includes(method) || !(code === 'network' || PASSING.includes(status))) return undefined;
  const wait = retryAfter(headers?.get('retry-after') ?? null);
  if (wait === undefined) return Math.min(200 * 2 ** tries, 5_000) * (0.5 + Math.random() / 2);
  return wait <= LONGEST_WAIT ? wait : undefined;
}

/** Seconds, or a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}

/** What a call is given up by: the signal of the caller, or the time that it may take. */
class GivingUp {
  code: 'timeout' | 'aborted' | undefined;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = () => this.#stop('aborted', this.#caller?.reason);

  constructor(caller: AbortSignal | undefined, timeout: number | undefined) {
    this.#caller = caller;
    if (timeout !== undefined && timeout <= LONGEST_TIMER)
      this.#timer = setTimeout(() => this.#stop('timeout', undefined), timeout);
    if (caller?.aborted) this.#abort();
    else caller?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #stop(code: 'timeout' | 'aborted', reason: unknown): void {
    this.code ??= code;
    this.#controller.abort(reason);
  }

  /** Undefined when the call is given up before the work is done, or even begun. */
  unlessStopped<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const stop = () => resolve(undefined);
      this.signal.addEventListener('abort', stop);
      work()
        .then(resolve, reject)
        .finally(() => this.signal.removeEventListener('abort', stop));
    });
  }

  /** Ends early when the call is given up, which the next attempt finds out. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      if (this.signal.aborted) end();
      else this.signal.addEventListener('abort', end);
    });
  }

  /** An answer that the caller reads as it comes can still be aborted. */
  close(isStillRead: boolean): void {
    clearTimeout(this.#timer);
    if (!isStillRead) this.#caller?.removeEventListener('abort', this.#abort);
  }
}
`;
