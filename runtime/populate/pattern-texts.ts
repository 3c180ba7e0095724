/**
 * The texts of a regular expression, numbered: each number below `size` has one. Repetitions without an end stop
 * early.
 */
import { type CharacterItem, type CharacterSet, type Pattern, readPattern } from '../../compiler/definition/pattern.ts';

export interface NumberedTexts {
  readonly size: number;
  at(index: number): string;
}

/** The limit below which numbers stay exact. If there are more texts, only the first ones have numbers. */
const MOST = 2 ** 48;
const FURTHER_REPEATS = 6;

/** Makes the texts of a pattern; null where there are none. */
export function textsOfPattern(source: string): NumberedTexts | null {
  const read = readPattern(source);
  if ('problem' in read) return null;
  const texts = textsOf(read.pattern);
  return texts.size > 0 ? texts : null;
}

function textsOf(pattern: Pattern): NumberedTexts {
  switch (pattern.kind) {
    case 'set':
      return ofCharacters(charactersOf(pattern.set));
    case 'assertion':
      return only('');
    case 'sequence':
      return sequence(pattern.parts.map(textsOf));
    case 'choice':
      return oneOf(pattern.parts.map(textsOf));
    case 'repeat':
      return repeated(textsOf(pattern.part), pattern.least, pattern.most ?? pattern.least + FURTHER_REPEATS);
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

/** Repeats a part, as often as can be numbered; the lowest count is always included. */
function repeated(part: NumberedTexts, fewest: number, most: number): NumberedTexts {
  const counts: NumberedTexts[] = [];
  for (let count = fewest; count <= most; count++) {
    const size = part.size ** count;
    if (counts.length > 0 && size > 2 ** 24) break;
    counts.push(cutOff(part, count));
  }
  return oneOf(counts);
}

/** Repeats a part many times, where only as many places vary as can be numbered. */
function cutOff(part: NumberedTexts, count: number): NumberedTexts {
  const varying = part.size <= 1 ? count : Math.min(count, Math.floor(24 / Math.log2(part.size)) || 1);
  const fixed = part.at(0).repeat(count - varying);
  return sequence([only(fixed), ...Array.from({ length: varying }, () => part)]);
}

const DIGITS = [...'0123456789'];
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const WORD = [...LETTERS, ...LETTERS.map((letter) => letter.toUpperCase()), ...DIGITS, '_'];
const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
/** The samples for properties of Unicode: most properties match some of them. */
const SAMPLES = [...PRINTABLE, ...'äéßçñøÀÉÖλπΩжяЖЯאبあア漢字한글٣५€→☺😀'];
const CLASSES: Readonly<Record<'d' | 'D' | 's' | 'S' | 'w' | 'W', readonly string[]>> = {
  d: DIGITS,
  w: WORD,
  s: [' '],
  D: PRINTABLE.filter((character) => !DIGITS.includes(character)),
  W: PRINTABLE.filter((character) => !WORD.includes(character)),
  S: PRINTABLE.filter((character) => character !== ' '),
};

function charactersOf({ isNegated, items }: CharacterSet): readonly string[] {
  const found = items.flatMap(charactersOfItem);
  return isNegated ? PRINTABLE.filter((character) => !found.includes(character)) : [...new Set(found)];
}

/** The number of characters that are used of a long range: its first ones. */
const MOST_OF_RANGE = 128;

function charactersOfItem(item: CharacterItem): readonly string[] {
  switch (item.kind) {
    case 'range': {
      const length = Math.min(item.to - item.from + 1, MOST_OF_RANGE);
      return Array.from({ length }, (_, index) => String.fromCodePoint(item.from + index));
    }
    case 'any':
      return LETTERS;
    case 'class':
      return CLASSES[item.letter];
    case 'property':
      return SAMPLES.filter((character) => new RegExp(item.text, 'u').test(character));
  }
}
