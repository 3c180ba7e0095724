/**
 * A transaction holds a connection and locks that others wait for, and hashing a password takes long. So a transaction
 * that comes to a password is rolled back; the password is hashed; then the work is run again and finds the result.
 */
import { fitsHash, hashOf } from '../expressions/passwords.ts';
import type { Hashing } from '../expressions/scope.ts';

/** Ends the transaction. `hash` is to be awaited before the next one. */
export class HashingDue extends Error {
  readonly hash: () => Promise<unknown>;

  constructor(hash: () => Promise<unknown>) {
    super('a password must be hashed before the transaction');
    this.name = 'HashingDue';
    this.hash = hash;
  }
}

/** The limit of repeated transactions. After that, passwords are hashed inside the transaction. */
const MOST_REPEATS = 10;
/**
 * The limit of comparisons of one password: the hash may change each time, and each time may take seconds on a busy
 * machine.
 */
const MOST_COMPARED = 2;

/** The hashes of one request, over all its transactions. */
export class HashingBetween implements Hashing {
  readonly #hashes = new Map<object, { readonly password: string; readonly hash: string }>();
  readonly #done = new Map<string, { readonly result: unknown }>();
  /** How often each password was compared. */
  readonly #compared = new Map<string, number>();
  #repeats = 0;
  #mayRepeat = true;

  async hash(call: object, password: string): Promise<string> {
    const known = this.#hashes.get(call);
    if (known?.password === password) return known.hash;
    // Another one each time, as a random one: nothing is won by another transaction.
    if (known !== undefined) return hashOf(password);
    return this.#between(
      () => hashOf(password),
      (hash) => this.#hashes.set(call, { password, hash }),
    );
  }

  async fits(password: string, hash: string): Promise<boolean> {
    const key = `fits ${JSON.stringify([password, hash])}`;
    const compared = this.#compared.get(password) ?? 0;
    const isKnown = this.#done.has(key);
    if (!isKnown && compared >= MOST_COMPARED) return fitsHash(password, hash);
    if (!isKnown) this.#compared.set(password, compared + 1);
    return this.between(key, () => fitsHash(password, hash));
  }

  async between<T>(key: string, work: () => Promise<T>, isAlways = false): Promise<T> {
    const known = this.#done.get(key);
    if (known) return known.result as T;
    const remember = (result: T) => void this.#done.set(key, { result });
    if (isAlways) throw new HashingDue(async () => remember(await work()));
    return this.#between(work, remember);
  }

  hookHasRun(): void {
    this.#mayRepeat = false;
  }

  /** What is hashed inside the transaction is remembered too: a hash that is needed twice takes its time once. */
  async #between<T>(work: () => Promise<T>, remember: (result: T) => void): Promise<T> {
    const remembered = async () => {
      const result = await work();
      remember(result);
      return result;
    };
    if (!this.#mayRepeat || this.#repeats === MOST_REPEATS) return remembered();
    this.#repeats++;
    throw new HashingDue(remembered);
  }
}
