import type { Braces } from './braces.ts';
import type { Token } from './tokens.ts';

/** A block, by the place of its `{`. */
interface Opened {
  readonly openAt: number;
}

/** What is known of the braces that are missing or too many, while one after the other is explained by a mistake. */
export class BraceLedger {
  /** How many `{` lack their `}`, as far as that has not been reported. */
  unclosed: number;
  /** How many `}` lack their `{`, as far as that has not been reported. */
  unopened: number;
  /** How many missing `}` are explained by a `{` that is too many. */
  #explained = 0;
  readonly #braces: Braces;
  readonly #needless: Set<Token>;
  /** Braces that were put in, but are not missing after all. */
  readonly #void = new Set<Token>();

  constructor(braces: Braces) {
    this.#braces = braces;
    this.#needless = new Set(braces.needless);
    this.unclosed = braces.unclosed;
    this.unopened = braces.unopened;
  }

  isNeedless(token: Token): boolean {
    return this.#needless.has(token);
  }

  isVoid(token: Token): boolean {
    return this.#void.has(token);
  }

  /** Whether more `}` are missing than a `{` too many accounts for. */
  exceedsExplained(missing: number): boolean {
    return missing > this.#explained;
  }

  /** Whether a `}` is known to be missing in one of these blocks. */
  lacksCloser(blocks: readonly Opened[]): boolean {
    return this.exceedsExplained(this.unclosed) || this.#assumedCloser(blocks) !== undefined;
  }

  /** The innermost `}` that was put in for one of these blocks is not missing after all. */
  withdrawCloser(blocks: readonly Opened[]): boolean {
    const closer = this.#assumedCloser(blocks);
    if (closer) this.#void.add(closer);
    return closer !== undefined;
  }

  /** Takes a `{` too many for the reason why a `}` seems to be missing, if one does. */
  explainBy(brace: Opened, blocks: readonly Opened[]): boolean {
    if (this.withdrawCloser([brace])) return true;
    if (!this.lacksCloser(blocks)) return false;
    if (!this.withdrawCloser(blocks)) this.#explained++;
    return true;
  }

  /** One `}` too many has been found, so the next one that seemed to be it is none. */
  settleCloser(found: Token): void {
    if (this.#needless.delete(found)) return;
    const next = [...this.#needless].find((token) => token.start >= found.start);
    if (next) this.#needless.delete(next);
  }

  #assumedCloser(blocks: readonly Opened[]): Token | undefined {
    for (let level = blocks.length - 1; level >= 0; level--) {
      const closer = this.#assumedCloserOf(blocks[level] as Opened);
      if (closer) return closer;
    }
    return undefined;
  }

  #assumedCloserOf({ openAt }: Opened): Token | undefined {
    const { tokens, partner, assumed } = this.#braces;
    const closer = tokens[partner.get(openAt) ?? -1];
    return closer && assumed.has(closer) && !this.#void.has(closer) ? closer : undefined;
  }
}
