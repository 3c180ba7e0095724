/** How many different keys may be wrong in `SPAN_MS`. */
const MOST = 5;
const SPAN_MS = 60_000;

/**
 * Slows down whoever guesses the key of the console: after some wrong ones, none is checked for a minute. It counts for
 * all clients together, so it needs no memory for each of them. A page that sends the same wrong key with each of its
 * requests has guessed once.
 */
export class WrongKeys {
  readonly #digests = new Set<string>();
  #since = 0;
  #closedUntil = 0;

  /** In seconds; 0 where a key may be tried. `now` is in milliseconds. */
  wait(now: number): number {
    return Math.max(0, Math.ceil((this.#closedUntil - now) / 1000));
  }

  add(digest: string, now: number): void {
    if (now - this.#since >= SPAN_MS) {
      this.#digests.clear();
      this.#since = now;
    }
    this.#digests.add(digest);
    if (this.#digests.size < MOST) return;
    this.#digests.clear();
    this.#closedUntil = now + SPAN_MS;
  }
}
