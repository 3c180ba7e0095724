import type { SourceFile, Span } from '../source/source-file.ts';
import type { Braces } from './braces.ts';
import { isSign, type Token } from './tokens.ts';

/** Stands at a token, and answers what is there. */
export class TokenCursor {
  readonly source: SourceFile;
  readonly braces: Braces;
  at = 0;
  /** Misspelt words, by their index, with the word that was meant. */
  readonly readAs = new Map<number, string>();

  constructor(source: SourceFile, braces: Braces) {
    this.source = source;
    this.braces = braces;
  }

  get token(): Token {
    return this.tokenAt(this.at);
  }

  /** Beyond the ends of the text there is the end of the text. */
  tokenAt(at: number): Token {
    return this.braces.tokens[at] ?? (this.braces.tokens.at(-1) as Token);
  }

  isAt(sign: string, at = this.at): boolean {
    return isSign(this.tokenAt(at), sign);
  }

  /** The last token, and no other, is the end of the text. */
  isAtEnd(): boolean {
    return this.at >= this.braces.tokens.length - 1;
  }

  get isBehindDot(): boolean {
    return this.isAt('.', this.at - 1);
  }

  wordAt(at: number): string | undefined {
    const token = this.tokenAt(at);
    return token.kind === 'word' ? (this.readAs.get(at) ?? token.text) : undefined;
  }

  /** Whether nothing stands between a token and the one before it. */
  touches(at: number): boolean {
    return at > 0 && this.tokenAt(at - 1).end === this.tokenAt(at).start;
  }

  /** Over one word or sign, or over all that is in brackets. */
  skip(): void {
    this.at = (this.braces.partner.get(this.at) ?? this.at) + 1;
  }

  /** What the author wrote, in one line and not too much of it. */
  textFrom(first: Token, last = first): string {
    const text = this.source.text.slice(first.start, Math.min(last.end, first.start + 200)).replace(/\s+/g, ' ');
    return text.length > 40 ? `${text.slice(0, 39)}…` : text;
  }

  spanOf(first: Token, last = first): Span {
    return { file: this.source.path, start: first.start, end: last.end };
  }

  /** Where something could be put in directly behind a token. */
  spanBehind({ end }: Token): Span {
    return { file: this.source.path, start: end, end };
  }
}
