/** How many different keys of one address may be wrong in `SPAN_MS`. */
const MOST = 5;
const SPAN_MS = 60_000;
/** Of those that have sent wrong keys, the oldest are forgotten. */
const MOST_ADDRESSES = 1000;

interface Guesses {
  readonly digests: Set<string>;
  readonly since: number;
  closedUntil: number;
}

/**
 * Slows down whoever guesses the key of the console: after some wrong ones of an address, none of it is checked for a
 * minute. Others are not affected. A page that sends the same wrong key with each of its requests has guessed once.
 */
export class WrongKeys {
  readonly #guesses = new Map<string, Guesses>();

  /** In seconds; 0 where a key may be tried. `now` is in milliseconds. */
  wait(address: string, now: number): number {
    const { closedUntil = 0 } = this.#guesses.get(address) ?? {};
    return Math.max(0, Math.ceil((closedUntil - now) / 1000));
  }

  add(address: string, digest: string, now: number): void {
    const guesses = this.#of(address, now);
    guesses.digests.add(digest);
    if (guesses.digests.size < MOST) return;
    guesses.digests.clear();
    guesses.closedUntil = now + SPAN_MS;
  }

  #of(address: string, now: number): Guesses {
    const before = this.#guesses.get(address);
    if (before && now - before.since < SPAN_MS) return before;
    this.#guesses.delete(address);
    const [oldest] = this.#guesses.size < MOST_ADDRESSES ? [] : this.#guesses.keys();
    if (oldest !== undefined) this.#guesses.delete(oldest);
    const guesses = { digests: new Set<string>(), since: now, closedUntil: 0 };
    this.#guesses.set(address, guesses);
    return guesses;
  }
}
