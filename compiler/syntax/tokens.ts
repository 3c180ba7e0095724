/**
 * Text in, words and signs out, each with its place. Any text has a result: unreadable text is a flaw, and reading
 * continues behind it. Only files with mistakes are read this way, to report their mistakes.
 */

import { isKnownAtWord } from './reserved-words.ts';

type TokenKind = 'word' | 'integer' | 'float' | 'text' | 'at-word' | 'sign' | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  /** The column at which its line begins to say something. */
  readonly indent: number;
  readonly startsLine: boolean;
  /** Whether something next to it could not be read, so that a mistake here may only follow from that. */
  readonly besideFlaw: boolean;
}

export type FlawKind =
  | 'unterminated-string'
  | 'unterminated-raw-string'
  | 'unterminated-comment'
  | 'foreign-quotes'
  | 'foreign-comment'
  | 'foreign-attribute'
  | 'foreign-letters'
  | 'unreadable-character';

export interface Flaw {
  readonly kind: FlawKind;
  readonly start: number;
  readonly end: number;
}

export interface Tokens {
  /** The tokens, never empty: the last one is of the kind `end` and has no width. */
  readonly tokens: readonly Token[];
  readonly flaws: readonly Flaw[];
}

export function tokenize(text: string): Tokens {
  return new Scanner(text).scan();
}

/** The signs, longest first. The doubled ones are not of Kiln, but of other languages. */
const SIGNS =
  '=== !== ... <= >= == != <> && || -> => ?? ?. ?: :: ** ++ += -= *= /= := { } ( ) [ ] , . : * / % + - < > = ! & | ? ;'.split(
    ' ',
  );

const CLOSING_QUOTES: Readonly<Record<string, string>> = { "'": "'", '`': '`', '“': '”', '”': '”', '‘': '’', '«': '»' };

class Scanner {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  readonly #flaws: Flaw[] = [];
  #at = 0;
  #line = 1;
  #lineStart = 0;
  #indent = 0;
  #lastLine = 0;
  #lineEndAt = -1;
  #afterFlaw = false;
  /** The offset up to which a quote is known to have no partner, so that no range is searched repeatedly. */
  readonly #strayUntil = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith('\uFEFF')) this.#at = 1;
  }

  scan(): Tokens {
    while (this.#at < this.#text.length) this.#one();
    this.#add('end', this.#at);
    return { tokens: this.#tokens, flaws: this.#flaws };
  }

  #one(): void {
    const char = this.#text[this.#at] as string;
    if (isSpace(char)) this.#moveTo(this.#at + 1);
    else if (this.#at < (this.#strayUntil.get(char) ?? 0)) this.#unreadable();
    else if (char === '"') this.#quoted();
    else if (char === '@') this.#atWord();
    else if (char in CLOSING_QUOTES) this.#foreignQuotes(char);
    else if (!(this.#comment() || this.#number() || this.#word() || this.#sign())) this.#unreadable();
  }

  // ── Comments ───────────────────────────────────────────────────────────────────────────────────────────────────────

  #comment(): boolean {
    if (this.#text.startsWith('//', this.#at)) this.#moveTo(this.#lineEnd());
    else if (this.#text.startsWith('/*', this.#at)) this.#blockComment();
    else if (this.#text[this.#at] === '#' || this.#beginsDashes())
      this.#passOver('foreign-comment', this.#trimmedLineEnd(), false);
    else return false;
    return true;
  }

  /**
   * Whether `-- a note` begins here: at the beginning of its line, or behind the end of something. Elsewhere it is a
   * minus before a minus.
   */
  #beginsDashes(): boolean {
    if (!this.#text.startsWith('-- ', this.#at)) return false;
    const last = this.#tokens.at(-1);
    return (
      last === undefined || last.line !== this.#line || last.text === '}' || last.text === '{' || last.text === ','
    );
  }

  #blockComment(): void {
    const close = this.#text.indexOf('*/', this.#at + 2);
    if (close >= 0) this.#moveTo(close + 2);
    else this.#passOver('unterminated-comment', this.#text.length);
  }

  // ── Texts ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #quoted(): void {
    const end = this.#closingQuote(this.#at + 1, '"');
    if (this.#text.startsWith('"""', this.#at)) this.#rawText();
    else if (end === undefined) this.#unclosedText();
    else this.#add('text', end);
  }

  #unclosedText(): void {
    const later = this.#laterClosingQuote();
    if (later === undefined) this.#unclosed('unterminated-string');
    else this.#addFlawed('text', 'unterminated-string', later);
  }

  /** A quote before a block was most likely typed by accident, so only the quote itself is passed over. */
  #unclosed(flaw: FlawKind): void {
    const end = this.#endWithoutClosers();
    if (this.#text.slice(this.#at, end).includes('{')) {
      this.#strayUntil.set(this.#text[this.#at] as string, end);
      this.#passOver(flaw, this.#at + 1);
    } else this.#addFlawed('text', flaw, end);
  }

  #rawText(): void {
    const close = this.#text.indexOf('"""', this.#at + 3);
    if (close >= 0) this.#add('text', close + 3);
    else {
      this.#addFlawed('text', 'unterminated-raw-string', this.#text.length);
      this.#afterFlaw = true;
    }
  }

  #closingQuote(from: number, quote: string): number | undefined {
    const lineEnd = this.#lineEnd();
    for (let at = from; at < lineEnd; at++) {
      if (this.#text[at] === quote) return at + 1;
      if (this.#text[at] === '\\' && at + 1 < lineEnd) at++;
    }
    return undefined;
  }

  /** A text that was written over several lines ends at a quote that looks like a closing one. */
  #laterClosingQuote(): number | undefined {
    const quote = this.#text.indexOf('"', this.#lineEnd());
    if (quote < 0 || this.#text.slice(this.#at, quote).split('\n', 22).length > 20) return undefined;
    const looksClosing =
      /[^\s([,:]/.test(this.#text[quote - 1] ?? '') && /^[\s,})\]]?$/.test(this.#text[quote + 1] ?? '');
    return looksClosing ? quote + 1 : undefined;
  }

  /**
   * The end of an unclosed text. Braces at the end of the line were most likely meant to close something, not to be
   * part of the text.
   */
  #endWithoutClosers(): number {
    let end = this.#lineEnd();
    while (end > this.#at + 1 && /[\s,;{})\]]/.test(this.#text[end - 1] as string)) end--;
    return end;
  }

  #foreignQuotes(quote: string): void {
    const end = this.#closingQuote(this.#at + 1, CLOSING_QUOTES[quote] as string);
    if (end === undefined) this.#unclosed('foreign-quotes');
    else this.#addFlawed('text', 'foreign-quotes', end);
  }

  // ── Words, numbers, signs ──────────────────────────────────────────────────────────────────────────────────────────

  #number(): boolean {
    const digits = this.#match(/[0-9]+/y);
    if (digits === undefined) return false;
    const float = this.#match(/[0-9]+\.[0-9]+/y);
    if (float === undefined) this.#add('integer', digits);
    else this.#add('float', float);
    return true;
  }

  #word(): boolean {
    const end = this.#match(/\$?[\p{L}_][\p{L}\p{M}\p{N}_$]*/uy);
    if (end === undefined) return false;
    if (this.#match(/[A-Za-z_][A-Za-z0-9_]*/y) === end) this.#add('word', end);
    else this.#addFlawed('word', 'foreign-letters', end);
    return true;
  }

  #atWord(): void {
    const end = this.#match(/@+[A-Za-z_]\w*/y);
    if (end === undefined) this.#unreadable();
    else if (isKnownAtWord(this.#text.slice(this.#at, end))) this.#add('at-word', end);
    else {
      this.#afterFlaw = true;
      this.#addFlawed('at-word', 'foreign-attribute', end);
    }
  }

  #sign(): boolean {
    const sign = SIGNS.find((candidate) => this.#text.startsWith(candidate, this.#at));
    if (sign) this.#add('sign', this.#at + sign.length);
    return sign !== undefined;
  }

  /** Reads characters without a meaning. Neighbouring ones are one flaw. */
  #unreadable(): void {
    const start = this.#at;
    const last = this.#flaws.at(-1);
    this.#passOver(
      'unreadable-character',
      start + String.fromCodePoint(this.#text.codePointAt(start) as number).length,
    );
    if (last?.kind !== 'unreadable-character' || last.end !== start) return;
    this.#flaws.splice(-2, 2, { ...last, end: this.#at });
  }

  #match(pattern: RegExp): number | undefined {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text) ? pattern.lastIndex : undefined;
  }

  // ── Places ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  #add(kind: TokenKind, end: number): void {
    const startsLine = this.#line !== this.#lastLine;
    if (startsLine) this.#indent = this.#at - this.#lineStart;
    const text = this.#text.slice(this.#at, end);
    const { length } = this.#tokens;
    this.#tokens[length] = {
      kind,
      text,
      start: this.#at,
      end,
      line: this.#line,
      indent: this.#indent,
      startsLine,
      besideFlaw: this.#afterFlaw,
    };
    this.#afterFlaw = false;
    this.#moveTo(end);
    this.#lastLine = this.#line;
  }

  #addFlawed(kind: TokenKind, flaw: FlawKind, end: number): void {
    this.#flaws.push({ kind: flaw, start: this.#at, end });
    this.#add(kind, end);
  }

  #passOver(flaw: FlawKind, end: number, disturbs = true): void {
    this.#flaws.push({ kind: flaw, start: this.#at, end });
    this.#afterFlaw ||= disturbs;
    const last = this.#tokens.at(-1);
    if (disturbs && last?.end === this.#at) this.#tokens.splice(-1, 1, { ...last, besideFlaw: true });
    this.#moveTo(end);
  }

  #moveTo(end: number): void {
    while (this.#lineEnd() < end) {
      this.#line++;
      this.#lineStart = this.#lineEndAt + 1;
      this.#at = this.#lineStart;
    }
    this.#at = end;
  }

  #lineEnd(): number {
    if (this.#lineEndAt < this.#at) {
      const end = this.#text.indexOf('\n', this.#at);
      this.#lineEndAt = end < 0 ? this.#text.length : end;
    }
    return this.#lineEndAt;
  }

  #trimmedLineEnd(): number {
    return this.#at + this.#text.slice(this.#at, this.#lineEnd()).trimEnd().length;
  }
}

/** The white space of the grammar: tab to carriage return, and the blank. */
function isSpace(char: string): boolean {
  return char === ' ' || (char >= '\t' && char <= '\r');
}

export function isSign(token: Token | undefined, text: string): boolean {
  return token?.kind === 'sign' && token.text === text;
}
