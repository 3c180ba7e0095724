/** Operators between values: those of Kiln, and those of the languages that people come from. */
import { needlessSign } from './brace-mistakes.ts';
import type { Reading } from './reading.ts';
import { OPERATOR_SIGNS, OPERATOR_WORDS } from './reserved-words.ts';

const FOREIGN_OPERATORS: Readonly<Record<string, { readonly instead?: string; readonly help?: string }>> = {
  '=': { instead: 'is' },
  '==': { instead: 'is' },
  '===': { instead: 'is' },
  '!=': { instead: 'is not' },
  '!==': { instead: 'is not' },
  '<>': { instead: 'is not' },
  '&&': { instead: 'and' },
  '&': { instead: 'and' },
  '||': { instead: 'or' },
  '|': { instead: 'or' },
  '->': { instead: '.' },
  '::': { instead: '.' },
  '?.': { instead: '.', help: 'a path through something that is null is null' },
  '??': { help: 'the first value that is not null is written `coalesce(a, b)`' },
  '**': { help: 'a power is written as a product: `x * x`' },
  '=>': { help: 'a rule of your own is a `validator`, and code of your own is a `hook`' },
  '?': { help: 'a choice is written `if(published, "live", "draft")`' },
};

const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  equals: 'is',
  eq: 'is',
  equal: 'is',
  ne: 'is not',
  neq: 'is not',
  isnt: 'is not',
  isnot: 'is not',
};

/** Reads an operator. False if the value ends here. */
export function overOperator(reading: Reading): boolean {
  const { kind, text } = reading.token;
  if (reading.isLeaving || (kind !== 'word' && kind !== 'sign')) return false;
  const word = reading.wordAt(reading.at);
  if (word === 'not') return overNotIn(reading);
  if (word === 'is' && overIsNotIn(reading)) return true;
  if (!OPERATOR_SIGNS.has(text) && !OPERATOR_WORDS.has(word ?? ''))
    return word === undefined ? overForeignOperator(reading) : overForeignWord(reading, word);
  reading.at++;
  return true;
}

function overNotIn(reading: Reading): boolean {
  if (reading.wordAt(reading.at + 1) === 'in') {
    reading.at += 2;
    return true;
  }
  if (reading.wordAt(reading.at + 1) === 'null') {
    reportForeign(reading, 'is not');
    reading.at++;
    return true;
  }
  const form = { noun: 'a comparison with a list', example: 'status not in ["draft", "hidden"]' };
  const facts = { after: 'not', found: undefined, words: ['in'], near: undefined, form };
  reading.report('expected-word', { ...facts, span: reading.spanOf(reading.token) });
  reading.at++;
  reading.quietAt = reading.at;
  return reading.beginsValue();
}

/** `is not in` is a comparison and a search at once. */
function overIsNotIn(reading: Reading): boolean {
  const [not, inside] = [reading.at + 1, reading.at + 2];
  if (reading.wordAt(not) !== 'not' || reading.wordAt(inside) !== 'in' || !reading.beginsValue(inside + 1))
    return false;
  const last = reading.tokenAt(inside);
  const edits = [{ span: reading.spanOf(reading.token, last), text: 'not in' }];
  const facts = { found: reading.textFrom(reading.token, last), instead: 'not in', help: undefined, edits };
  reading.report('foreign-operator', facts, reading.token, last);
  reading.at = inside + 1;
  return true;
}

/** `AND` for `and`, or `equals` for `is`, where no member could begin with that word. */
function overForeignWord(reading: Reading, word: string): boolean {
  const lower = word.toLowerCase();
  const isKnown = OPERATOR_WORDS.has(lower) || lower === 'not';
  const isForeign = Object.hasOwn(FOREIGN_WORDS, lower) && reading.beginsValue(reading.at + 1);
  if (!(isKnown || isForeign) || reading.mayFollow()) return false;
  reportForeign(reading, isForeign ? FOREIGN_WORDS[lower] : lower);
  reading.at++;
  if (lower === 'not' && reading.wordAt(reading.at)?.toLowerCase() === 'in') reading.at++;
  return true;
}

function overForeignOperator(reading: Reading): boolean {
  if (reading.isAt(':') && reading.asked > 0) return goOnBehindColon(reading);
  const foreign = FOREIGN_OPERATORS[reading.token.text];
  if (!foreign || reading.isQuiet()) return false;
  if (reading.isAt('?') && reading.mayFollow(reading.at + 1)) {
    needlessSign(reading);
    return false;
  }
  if (reading.isAt('?')) reading.asked++;
  reportForeign(reading, joinsTexts(reading) ? '+' : foreign.instead, foreign.help);
  reading.at++;
  // The text that other languages write behind it may make no sense here, and is part of the same mistake.
  if (!foreign.instead || !reading.beginsValue()) reading.quietAt = reading.at;
  return reading.beginsValue();
}

/** `||` joins texts in SQL. */
function joinsTexts(reading: Reading): boolean {
  const beside = [reading.tokenAt(reading.at - 1), reading.tokenAt(reading.at + 1)];
  return reading.isAt('||') && beside.some(({ kind }) => kind === 'text');
}

function goOnBehindColon(reading: Reading): boolean {
  reading.asked--;
  reading.at++;
  return true;
}

export function reportForeign(
  reading: Reading,
  instead: string | undefined,
  help?: string,
  token = reading.token,
): void {
  const edits = instead && { edits: [{ span: reading.spanOf(token), text: spaced(reading, instead) }] };
  reading.report('foreign-operator', { found: token.text, instead, help, ...edits }, token);
}

/** A word in place of a sign needs blanks around it. */
function spaced(reading: Reading, word: string): string {
  if (!/\w/.test(word)) return word;
  return `${reading.touches(reading.at) ? ' ' : ''}${word}${reading.touches(reading.at + 1) ? ' ' : ''}`;
}

/** Whether an operator word is in place of a value, as in `a and and b`, and is not meant as a name. */
export function isOperatorWithoutValue(reading: Reading): boolean {
  if (!OPERATOR_WORDS.has(reading.wordAt(reading.at) ?? '')) return false;
  const next = reading.at + 1;
  const { kind } = reading.tokenAt(next);
  if (kind === 'sign' || kind === 'end' || reading.mayFollow(next)) return false;
  const word = reading.wordAt(next) ?? '';
  return !OPERATOR_WORDS.has(word) && word !== 'not';
}
