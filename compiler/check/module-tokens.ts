/** The tokens of a module without white space and comments, and a cursor over them. */
import jsTokens, { type Token as JsToken } from 'js-tokens';

export interface Token {
  readonly type: JsToken['type'];
  readonly value: string;
  /** How many brackets are open around it; a bracket is as deep as what is outside of it. */
  readonly depth: number;
  readonly startsLine: boolean;
}

export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  let startsLine = true;
  for (const token of jsTokens(text)) {
    const { type, value } = token;
    if (isTrivia(token)) {
      startsLine ||= /[\n\r\u2028\u2029]/.test(value);
      continue;
    }
    if (closes(token)) depth = Math.max(0, depth - 1);
    tokens.push({ type, value, depth, startsLine });
    if (opens(token)) depth += 1;
    startsLine = false;
  }
  return tokens;
}

function isTrivia({ type }: JsToken): boolean {
  return type.endsWith('Comment') || type === 'WhiteSpace' || type === 'LineTerminatorSequence';
}

function opens({ type, value }: JsToken): boolean {
  if (type === 'TemplateHead' || type === 'TemplateMiddle') return true;
  return type === 'Punctuator' && ['(', '[', '{'].includes(value);
}

function closes({ type, value }: JsToken): boolean {
  if (type === 'TemplateMiddle' || type === 'TemplateTail') return true;
  return type === 'Punctuator' && [')', ']', '}'].includes(value);
}

export function isName(token: Token | undefined): token is Token & { readonly type: 'IdentifierName' } {
  return token?.type === 'IdentifierName';
}

export function isWord(token: Token | undefined, word: string): boolean {
  return isName(token) && token.value === word;
}

/** A name as it is exported, which may also be a text: `export { a as "b c" }`. */
export function nameFrom(token: Token | undefined): string | undefined {
  if (isName(token)) return token.value;
  return token?.type === 'StringLiteral' ? token.value.slice(1, -1) : undefined;
}

export class Tokens {
  readonly #tokens: readonly Token[];
  #at: number;

  constructor(tokens: readonly Token[], at: number) {
    this.#tokens = tokens;
    this.#at = at;
  }

  get current(): Token | undefined {
    return this.#tokens[this.#at];
  }

  get following(): Token | undefined {
    return this.#tokens[this.#at + 1];
  }

  get previous(): Token | undefined {
    return this.#tokens[this.#at - 1];
  }

  next(): Token | undefined {
    const { current } = this;
    this.#at += 1;
    return current;
  }

  /** Whether a word or a sign is here. A text that looks like it is not. */
  at(value: string): boolean {
    const { current } = this;
    return current?.value === value && current.type !== 'StringLiteral';
  }

  isBefore(value: string): boolean {
    return this.following?.value === value;
  }

  takes(value: string): boolean {
    const isHere = this.at(value);
    if (isHere) this.#at += 1;
    return isHere;
  }

  /** From an opening bracket to behind the one that closes it. */
  skipBrackets(): void {
    const depth = this.next()?.depth ?? 0;
    while (this.current && this.current.depth > depth) this.next();
    this.next();
  }

  /** The same cursor, for a look ahead. */
  copy(): Tokens {
    return new Tokens(this.#tokens, this.#at);
  }
}
