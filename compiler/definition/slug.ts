/**
 * The separators of the words of a slug. The server and Postgres must agree on every character, so these are ranges of
 * code points and not classes of characters, which depend on a version of Unicode.
 */
const SEPARATORS: readonly (readonly [first: number, last: number])[] = [
  // ASCII and Latin-1, but for letters and digits.
  [0x00, 0x2f],
  [0x3a, 0x60],
  [0x7b, 0xbf],
  [0xd7, 0xd7],
  [0xf7, 0xf7],
  // The punctuation of scripts.
  [0x2c2, 0x2df],
  [0x37e, 0x37e],
  [0x387, 0x387],
  [0x55a, 0x55f],
  [0x589, 0x58a],
  [0x5be, 0x5be],
  [0x5f3, 0x5f4],
  [0x609, 0x60d],
  [0x61b, 0x61f],
  [0x66a, 0x66d],
  [0x6d4, 0x6d4],
  [0x964, 0x965],
  [0x1360, 0x1368],
  [0x1680, 0x1680],
  [0x17d4, 0x17d6],
  // Spaces, dashes, quotes, symbols, arrows and drawings.
  [0x2000, 0x2bff],
  [0x2e00, 0x2e7f],
  [0x3000, 0x3004],
  [0x3008, 0x3020],
  [0x3030, 0x3030],
  [0x303d, 0x303d],
  [0x30a0, 0x30a0],
  [0x30fb, 0x30fb],
  [0xe000, 0xf8ff],
  [0xfe00, 0xfe6f],
  [0xfeff, 0xfeff],
  [0xfff0, 0xffff],
  [0x1f000, 0x1faff],
  [0xe0000, 0x10ffff],
];

/** Accents, which follow their letters in a decomposed text. */
const ACCENTS = [[0x300, 0x36f]] as const;

type Escape = (codePoint: number) => string;

/** Both as sets of a regular expression, in the dialect in which `print` writes characters. */
export function slugSets(print: Escape): { readonly accents: string; readonly separators: string } {
  return { accents: setOf(ACCENTS, print), separators: setOf(SEPARATORS, print) };
}

function setOf(ranges: readonly (readonly [number, number])[], print: Escape): string {
  return `[${ranges.map(([first, last]) => `${print(first)}-${print(last)}`).join('')}]`;
}
