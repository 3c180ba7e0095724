/** Where a text stops being JSON, in words: V8 names the place only for some mistakes, and shows the text for others. */

const SPACE = /[ \t\n\r]*/y;
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;

/** Looking is slower than parsing, so that it is not worth it for a large text. */
const LONGEST_TEXT = 65536;

class Mistake extends Error {
  readonly at: number;
  readonly expected: string;

  constructor(at: number, expected: string) {
    super(expected);
    this.at = at;
    this.expected = expected;
  }
}

/** ` at line 2, column 7: a value was expected.`; null where the text is JSON, too long, or nested too deeply. */
export function jsonMistake(text: string): string | null {
  if (text.length > LONGEST_TEXT) return null;
  try {
    new Scanner(text).document();
    return null;
  } catch (error) {
    return error instanceof Mistake ? inWords(text, error) : null;
  }
}

function inWords(text: string, { at, expected }: Mistake): string {
  const before = text.slice(0, at).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;
  const found = at >= text.length ? 'the body ended' : 'there is something else';
  return ` at line ${before.length}, column ${column}: ${expected} was expected, but ${found}.`;
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value();
    if (this.#at < this.#text.length) throw new Mistake(this.#at, 'the end of the body');
  }

  #value(): void {
    this.#skip(SPACE);
    if (this.#takes('{')) this.#members();
    else if (this.#takes('[')) this.#items();
    else if (!this.#skip(STRING) && !this.#skip(NUMBER) && !this.#skip(WORD)) this.#refuseHere('a value');
    this.#skip(SPACE);
  }

  #members(): void {
    this.#skip(SPACE);
    if (this.#takes('}')) return;
    do this.#member();
    while (this.#takes(','));
    if (!this.#takes('}')) this.#refuse('`,` or `}`');
  }

  #member(): void {
    this.#skip(SPACE);
    if (!this.#skip(STRING)) this.#refuseHere('a key in double quotes');
    this.#skip(SPACE);
    if (!this.#takes(':')) this.#refuse('`:`');
    this.#value();
  }

  #items(): void {
    this.#skip(SPACE);
    if (this.#takes(']')) return;
    do this.#value();
    while (this.#takes(','));
    if (!this.#takes(']')) this.#refuse('`,` or `]`');
  }

  #takes(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }

  /** Where a string would have been right and one begins, it is the string that is wrong. */
  #refuseHere(expected: string): never {
    const isString = this.#text[this.#at] === '"';
    this.#refuse(isString ? 'a string that ends, has valid escapes and no control characters' : expected);
  }

  #refuse(expected: string): never {
    throw new Mistake(this.#at, expected);
  }
}
