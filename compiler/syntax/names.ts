/** Names and paths, and the numbers that run into them. */
import type { Facts } from '../diagnostics/catalogue/catalogue.ts';
import type { Reading } from './reading.ts';
import { isUnknownAtWord, meantByAtWord, RESERVED } from './reserved-words.ts';
import type { Shape } from './shapes.ts';
import type { Token } from './tokens.ts';

/** Reads a name, behind which `after` should follow. */
export function overName(reading: Reading, after: readonly Shape[]): void {
  const end = hyphenatedEnd(reading);
  if (end === undefined || reading.fits(after, reading.at + 1)) noteName(reading, reading.at++);
  else reportHyphens(reading, end);
}

/** The end of a name such as `first-name`, which would be a subtraction elsewhere. */
function hyphenatedEnd(reading: Reading): number | undefined {
  let end = reading.at + 1;
  while (reading.isAt('-', end) && reading.touches(end) && reading.touches(end + 1) && reading.wordAt(end + 1))
    end += 2;
  return end > reading.at + 1 ? end : undefined;
}

function reportHyphens(reading: Reading, end: number): void {
  const last = reading.tokenAt(end - 1);
  const name = reading.textFrom(reading.token, last);
  const facts = { name, better: name.replaceAll('-', '_'), span: reading.spanOf(reading.token, last) };
  reading.report('bad-name', facts, reading.token, last);
  reading.at = end;
}

/** Reads a path, which may begin with a word with an `@`. */
export function overPath(reading: Reading): void {
  if (reading.token.kind === 'at-word') noteAtWord(reading);
  else noteName(reading, reading.at);
  reading.at++;
  while (reading.isAt('.')) {
    const isNamed = reading.tokenAt(reading.at + 1).kind === 'word';
    if (isNamed) noteName(reading, reading.at + 1);
    else reportMissingStep(reading);
    reading.at += isNamed ? 2 : 1;
  }
}

function noteAtWord(reading: Reading): void {
  const { text: word } = reading.token;
  const span = reading.spanOf(reading.token);
  if (isUnknownAtWord(word)) reading.note('unknown-at-word', { word, near: meantByAtWord(word), span });
}

function reportMissingStep(reading: Reading): void {
  const form = { noun: 'a path', example: 'post.author.name' };
  reading.report('expected-name', { after: '.', found: undefined, form });
  reading.quietAt = reading.at + 1;
}

/** Reports a reserved word that is used as a name. */
export function noteName(reading: Reading, at: number): void {
  const token = reading.tokenAt(at);
  if (RESERVED.has(token.text)) reading.note('reserved-word', { word: token.text }, token);
}

/** Reads a number. The grammar takes `10first` for a number and a word. */
export function overNumber(reading: Reading): void {
  const number = reading.token;
  reading.at++;
  if (reading.token.kind !== 'word' || !reading.touches(reading.at)) return;
  reading.note('bad-number', gluedNumber(reading, number), number, reading.token);
  reading.quietAt = reading.at;
}

/** A number together with the text directly behind it. */
export function gluedNumber(reading: Reading, number: Token): Facts<'bad-number'> {
  return { number: reading.textFrom(number, reading.token), span: reading.spanOf(number, reading.token) };
}
