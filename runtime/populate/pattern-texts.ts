/**
 * The texts of a regular expression, numbered: each number below `size` has one. Repetitions without an end stop
 * early, and what looks around or back is not understood.
 */

export interface NumberedTexts {
  readonly size: number;
  at(index: number): string;
}

/** Numbers stay exact below it. Of more texts than that, the first ones have numbers. */
const MOST = 2 ** 48;
const FURTHER_REPEATS = 6;

/** Null where there is something in the pattern that is not understood. */
export function textsOfPattern(pattern: string): NumberedTexts | null {
  try {
    const reader = new PatternReader(pattern);
    const texts = reader.alternatives();
    return reader.isAtEnd && texts.size > 0 ? texts : null;
  } catch {
    return null;
  }
}

const only = (text: string): NumberedTexts => ({ size: 1, at: () => text });

function ofCharacters(characters: readonly string[]): NumberedTexts {
  return { size: characters.length, at: (index) => characters[index] as string };
}

function sequence(parts: readonly NumberedTexts[]): NumberedTexts {
  const size = parts.reduce((product, part) => Math.min(product * part.size, MOST), 1);
  return {
    size,
    at(index) {
      let text = '';
      let rest = index;
      for (const part of parts) {
        text += part.at(rest % part.size);
        rest = Math.floor(rest / part.size);
      }
      return text;
    },
  };
}

function oneOf(parts: readonly NumberedTexts[]): NumberedTexts {
  const size = parts.reduce((sum, part) => Math.min(sum + part.size, MOST), 0);
  return {
    size,
    at(index) {
      let rest = index;
      for (const part of parts) {
        if (rest < part.size) return part.at(rest);
        rest -= part.size;
      }
      throw new RangeError('no such text');
    },
  };
}

/** As many repeats as can be numbered; the fewest must be among them. */
function repeated(part: NumberedTexts, fewest: number, most: number): NumberedTexts {
  const counts: NumberedTexts[] = [];
  for (let count = fewest; count <= most; count++) {
    const size = part.size ** count;
    if (counts.length > 0 && size > 2 ** 24) break;
    counts.push(cutOff(part, count));
  }
  return oneOf(counts);
}

/** A long row of the same, of which only so many places vary as can be numbered. */
function cutOff(part: NumberedTexts, count: number): NumberedTexts {
  const varying = part.size <= 1 ? count : Math.min(count, Math.floor(24 / Math.log2(part.size)) || 1);
  const fixed = part.at(0).repeat(count - varying);
  return sequence([only(fixed), ...Array.from({ length: varying }, () => part)]);
}

const DIGITS = [...'0123456789'];
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const WORD = [...LETTERS, ...LETTERS.map((letter) => letter.toUpperCase()), ...DIGITS, '_'];
const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  d: DIGITS,
  w: WORD,
  s: [' '],
  D: PRINTABLE.filter((character) => !DIGITS.includes(character)),
  W: PRINTABLE.filter((character) => !WORD.includes(character)),
  S: PRINTABLE.filter((character) => character !== ' '),
};

class PatternReader {
  readonly #characters: readonly string[];
  #position = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
  }

  get isAtEnd(): boolean {
    return this.#position === this.#characters.length;
  }

  alternatives(): NumberedTexts {
    const parts = [this.#row()];
    while (this.#takes('|')) parts.push(this.#row());
    return oneOf(parts);
  }

  #row(): NumberedTexts {
    const parts: NumberedTexts[] = [];
    while (!this.isAtEnd && this.#peek !== '|' && this.#peek !== ')') parts.push(this.#repeated(this.#atom()));
    return sequence(parts);
  }

  get #peek(): string {
    return this.#characters[this.#position] ?? '';
  }

  #next(): string {
    const character = this.#characters[this.#position++];
    if (character === undefined) throw new SyntaxError('the pattern ends early');
    return character;
  }

  #takes(text: string): boolean {
    const isNext = this.#peek === text;
    if (isNext) this.#position++;
    return isNext;
  }

  #atom(): NumberedTexts {
    const character = this.#next();
    if (character === '^' || character === '$') return only('');
    if (character === '.') return ofCharacters(LETTERS);
    if (character === '(') return this.#group();
    if (character === '[') return ofCharacters(this.#set());
    return character === '\\' ? ofCharacters(this.#escaped()) : only(character);
  }

  #group(): NumberedTexts {
    if (this.#takes('?') && !this.#takes(':')) throw new SyntaxError('only plain groups are understood');
    const texts = this.alternatives();
    if (!this.#takes(')')) throw new SyntaxError('a group without an end');
    return texts;
  }

  #escaped(): readonly string[] {
    const character = this.#next();
    const known = CLASSES[character];
    if (known) return known;
    if (/[a-zA-Z0-9]/.test(character)) throw new SyntaxError('not understood');
    return [character];
  }

  #set(): readonly string[] {
    const isNegated = this.#takes('^');
    const found: string[] = [];
    while (!this.#takes(']')) found.push(...this.#range());
    return isNegated ? PRINTABLE.filter((character) => !found.includes(character)) : [...new Set(found)];
  }

  #range(): readonly string[] {
    const first = this.#inSet();
    const [from] = first;
    if (first.length > 1 || from === undefined || this.#peek !== '-' || this.#characters[this.#position + 1] === ']')
      return first;
    this.#position++;
    const [to = from] = this.#inSet();
    const start = from.codePointAt(0) ?? 0;
    const length = Math.min((to.codePointAt(0) ?? 0) - start + 1, 128);
    return Array.from({ length }, (_, index) => String.fromCodePoint(start + index));
  }

  #inSet(): readonly string[] {
    const character = this.#next();
    return character === '\\' ? this.#escaped() : [character];
  }

  #repeated(part: NumberedTexts): NumberedTexts {
    const [fewest, most] = this.#counts() ?? [1, 1];
    // Lazy or not, the texts are the same.
    this.#takes('?');
    return fewest === 1 && most === 1 ? part : repeated(part, fewest, most);
  }

  #counts(): readonly [number, number] | null {
    if (this.#takes('?')) return [0, 1];
    if (this.#takes('*')) return [0, FURTHER_REPEATS];
    if (this.#takes('+')) return [1, 1 + FURTHER_REPEATS];
    return this.#takes('{') ? this.#written() : null;
  }

  #written(): readonly [number, number] {
    let text = '';
    while (!this.#takes('}')) text += this.#next();
    const [fewest = '', most = fewest] = text.split(',');
    return [Number(fewest), most === '' ? Number(fewest) + FURTHER_REPEATS : Number(most)];
  }
}
