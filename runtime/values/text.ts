/** Strings as Postgres sees them: sequences of code points, not of UTF-16 units. */
import { LONGEST_FOR_SLUG } from '../../compiler/definition/contract/validators.ts';
import { slugSets } from '../../compiler/definition/slug.ts';

export function compareTexts(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all the other units, yet some of those have larger numbers. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

export function lengthOf(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) if (isLowSurrogate(text.charCodeAt(index))) length--;
  return length;
}

/** Whether a text is longer, in characters. Most texts need not be counted. */
export function isLongerThan(most: number, text: string): boolean {
  return text.length > most && (text.length > 2 * most || lengthOf(text) > most);
}

/** The first characters, at most `most`. */
function startOfText(most: number, text: string): string {
  if (text.length <= most) return text;
  return Array.from(text.slice(0, 2 * most))
    .slice(0, most)
    .join('');
}

/** The part of `count` characters from the one at `from` on; the first one is 1. */
export function partOfText(text: string, from: number, count: number): string {
  const start = Math.max(from, 1) - 1;
  return Array.from(text)
    .slice(start, start + Math.max(count, 0))
    .join('');
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/** Whether Postgres can store the text and UTF-8 can say it. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

const { accents, separators } = slugSets((codePoint) => `\\u{${codePoint.toString(16)}}`);
const ACCENTS = new RegExp(accents, 'gu');
const SEPARATORS = new RegExp(`${separators}+`, 'gu');

/** Words in lower case, without accents, joined by `-`. `compiler/definition/sql/call-sql.ts` says the same in SQL. */
export function slugOf(text: string): string {
  const letters = startOfText(LONGEST_FOR_SLUG, text).normalize('NFKD').toLowerCase().replace(ACCENTS, '');
  return letters.replace(SEPARATORS, '-').replace(/^-|-$/g, '').normalize('NFC');
}
