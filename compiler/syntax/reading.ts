import type { Code, Facts } from '../diagnostics/catalogue/catalogue.ts';
import type { Written } from '../diagnostics/catalogue/syntax.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Edit } from '../diagnostics/words/words.ts';
import type { SourceFile } from '../source/source-file.ts';
import type { Braces } from './braces.ts';
import { type DeclaredNames, declaredNames } from './declared-names.ts';
import type { Expectation } from './expectation.ts';
import { FormMatcher } from './form-matcher.ts';
import type { PlaceName } from './forms.ts';
import { MAX_DEPTH } from './syntax-node.ts';
import type { Token } from './tokens.ts';

/** A block that is being read. */
export interface Frame {
  /** The place; undefined if the block holds a value. */
  readonly place: PlaceName | undefined;
  /** The brace; undefined if the author forgot it. */
  readonly open: Token | undefined;
  readonly openAt: number;
  readonly title: string;
}

/** A block that holds members. */
export interface MemberFrame extends Frame {
  readonly place: PlaceName;
}

export function frameWithoutBrace(place: PlaceName | undefined): Frame {
  return { place, open: undefined, openAt: -1, title: '' };
}

/** The state of reading a text: its position, the open blocks, and the problems so far. */
export class Reading extends FormMatcher {
  readonly problems: Diagnostic[] = [];
  readonly frames: Frame[] = [];
  readonly ledger: BraceLedger;
  depth = 0;
  /** Whether anything does not fit, reported or not. */
  hasMistakes = false;
  /** The number of blocks that stay open while those inside them are left, because a `}` is missing. */
  leaving: number | undefined;
  /** A token at which nothing is reported, because a mistake there follows from an earlier one. */
  quietAt = -1;
  /** The number of `? :` of other languages that wait for their `:`. */
  asked = 0;
  /** Ranges of text in which nothing else is reported, because a habit of another language explains all of it. */
  readonly explained: { readonly start: number; readonly end: number }[] = [];
  /** Whether habits of other languages are looked for. They are not while somebody is still writing. */
  looksForHabits = true;
  #declared: DeclaredNames | undefined;
  /** The results of reading ahead: whether each trial fitted. */
  trials = new Map<string, boolean>();
  /** Reads the block of a `hook` that is a value. False if the rest of the value makes no sense. Blocks hold values, too. */
  overHook = (_beforeSelection: boolean): boolean => false;
  lastClosed: { readonly frame: Frame; readonly closer: number } | undefined;
  /** The expectation behind the text, once its end has been reached. */
  expected: Expectation = {};
  #isEndExplained = false;
  readonly #reported = new Set<number>();

  constructor(source: SourceFile, braces: Braces) {
    super(source, braces);
    this.ledger = new BraceLedger(braces);
  }

  /** A copy at the same position, to try something without consequences. */
  trial(): Reading {
    const trial = new Reading(this.source, this.braces);
    trial.at = this.at;
    trial.depth = this.depth;
    trial.looksForHabits = this.looksForHabits;
    trial.frames.push(...this.frames);
    trial.trials = this.trials;
    return trial;
  }

  /** The models and enums of this file. */
  get declared(): DeclaredNames {
    this.#declared ??= declaredNames(this.source.text);
    return this.#declared;
  }

  override get place(): PlaceName | undefined {
    return this.placeAt(this.frames.length);
  }

  placeAt(level: number): PlaceName | undefined {
    return level === 0 ? 'file' : this.frames[level - 1]?.place;
  }

  get isLeaving(): boolean {
    return this.leaving !== undefined;
  }

  get isTooDeep(): boolean {
    return this.depth >= MAX_DEPTH;
  }

  /** Skips text that is nested too deeply, without reading it. */
  passOverDepth(): void {
    this.report('nested-too-deeply', { limit: MAX_DEPTH });
    if (this.braces.partner.has(this.at)) this.skip();
    else this.at = this.braces.tokens.length - 1;
    this.quietAt = this.at;
  }

  /** Whether a mistake here follows from something that has been reported. */
  isQuiet(at = this.at): boolean {
    const isQuiet = at === this.quietAt || this.tokenAt(at).besideFlaw;
    this.hasMistakes ||= isQuiet;
    return isQuiet;
  }

  /**
   * Notes what could follow, if the text ends here. The innermost reader reaches the end first, and knows best. Only
   * behind a value may the outer ones add to it.
   */
  mayGoOn(expected: Expectation): void {
    if (!this.isAtEnd() || this.#isEndExplained) return;
    this.expected = { ...this.expected, ...expected };
    this.#isEndExplained = expected.value !== 'operator';
  }

  report<C extends Code>(code: C, facts: Facts<C>, first = this.token, last = first): void {
    this.hasMistakes = true;
    this.note(code, facts, first, last);
  }

  /**
   * Reports a problem that the grammar accepts, so it is no reason to read the text in another way. At most one problem
   * begins at one place: a second one could only follow from the first.
   */
  note<C extends Code>(code: C, facts: Facts<C>, first = this.token, last = first): void {
    if (this.#reported.has(first.start)) return;
    this.#reported.add(first.start);
    this.problems.push({ code, span: this.spanOf(first, last), facts });
  }

  reportUnexpected(where: string, more: { label?: string; form?: Written; edits?: readonly Edit[] } = {}): void {
    if (this.isQuiet() || this.isAtEnd()) return;
    this.report('unexpected-text', { found: this.textFrom(this.token), where, ...more });
  }
}

// ── Brace ledger ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** A block, by the index of its `{`. */
interface Opened {
  readonly openAt: number;
}

/** The braces that are missing or too many, while mistakes explain them one after the other. */
class BraceLedger {
  /** The number of `{` without their `}` that has not been reported. */
  unclosed: number;
  /** The number of `}` without their `{` that has not been reported. */
  unopened: number;
  /** The number of missing `}` that a `{` too many explains. */
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

  /** Takes a `{` too many as the reason why a `}` seems to be missing, if one does. */
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
