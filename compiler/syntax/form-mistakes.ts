/** What is said where a form does not go on as it should. */
import type { Unfitting } from '../diagnostics/catalogue/syntax.ts';
import type { Edit } from '../diagnostics/words/words.ts';
import { type Outcome, type Step, unfittingAt } from './form-step.ts';
import { JOINING_SIGNS } from './joining-signs.ts';
import { dropsBrace, dropsCloser, needlessSign } from './needless-signs.ts';
import { missingBrace } from './opening-braces.ts';
import type { Reading } from './reading.ts';
import { firstPhrases, firstShapes, firstWords, isBlock, type Shape } from './shapes.ts';
import type { Token } from './tokens.ts';
import { misspeltWord, nearestWord } from './unknown-words.ts';
import { missingValue } from './value-mistakes.ts';

const QUOTED_NAME = /^"([A-Za-z_]\w*)"$/;
const QUOTED_NUMBER = /^"(\d+)"$/;

export function mistaken(reading: Reading, shape: Shape, step: Step): Outcome {
  if (reading.isQuiet()) return 'lost';
  if (dropsSign(reading, shape, step) || mendsWord(reading, step)) return 'again';
  const fitsBehind = reading.fits(step.rest, reading.at + 1);
  if (fitsBehind && (dropsBrace(reading) || dropsCloser(reading))) return 'again';
  if (shape.kind === 'value') return missingValueOf(reading, step);
  if (isBlock(shape) && !firstShapes(step.rest).some(isNumber)) return missingBrace(reading, shape, step);
  if (shape.kind === 'name' && reportedDigit(reading, step)) return 'done';
  const isMissing = reading.fits(step.after) || reading.isAtEnd() || [',', ';', '}'].some((sign) => reading.isAt(sign));
  reportExpected(reading, step, isMissing);
  return goesOn(reading, step, isMissing) ? 'done' : 'lost';
}

/** `type: string` and `set title = "x"`: what other languages put in between. */
function dropsSign(reading: Reading, shape: Shape, step: Step): boolean {
  const { kind, text } = reading.token;
  const isOdd = JOINING_SIGNS.has(text) || (shape.kind !== 'value' && !'{}()[],;-'.includes(text));
  if (kind !== 'sign' || !isOdd || shape.kind === 'choice') return false;
  if (reading.over(shape, reading.at + 1) === undefined && !isListBehind(reading, step)) return false;
  needlessSign(reading);
  return true;
}

/** `type: [string]`. */
function isListBehind(reading: Reading, { rest }: Step): boolean {
  return reading.isAt('[', reading.at + 1) && reading.fits(rest, reading.at + 1);
}

/** Reads a misspelt word as the one that was meant, where the rest then makes sense. */
function mendsWord(reading: Reading, step: Step): boolean {
  const words = firstWords(step.rest);
  const near = misspeltWord(reading, words, () => reading.fits(step.rest));
  if (!near) return false;
  const facts = { ...unfittingAt(reading, step, false), words: firstPhrases(step.rest), near };
  reading.report('expected-word', { ...facts, span: reading.spanOf(reading.token) });
  reading.readAs.set(reading.at, near.name);
  return true;
}

function missingValueOf(reading: Reading, step: Step): Outcome {
  missingValue(reading);
  return reading.fits(step.after) ? 'done' : 'lost';
}

/** A name that begins with a digit, such as `2fa`. */
function reportedDigit(reading: Reading, step: Step): boolean {
  const { token } = reading;
  const next = reading.tokenAt(reading.at + 1);
  const isGlued = token.kind === 'integer' && next.kind === 'word' && reading.touches(reading.at + 1);
  if (!isGlued || !reading.fits(step.after, reading.at + 2)) return false;
  const facts = { name: reading.textFrom(token, next), better: undefined, span: reading.spanOf(token, next) };
  reading.report('bad-name', facts, token, next);
  reading.at += 2;
  return true;
}

function reportExpected(reading: Reading, step: Step, isMissing: boolean): void {
  const token = isMissing ? reading.tokenAt(reading.at - 1) : reading.token;
  const facts = unfittingAt(reading, step, isMissing);
  const shapes = firstShapes(step.rest);
  const kinds = new Set(shapes.map((shape) => shape.kind));
  if (kinds.has('number')) reportNoNumber(reading, facts, token);
  else if (kinds.has('text')) reading.report('expected-text', { ...facts, edits: quotingEdit(reading, facts) }, token);
  else if (kinds.has('name') || kinds.has('path') || kinds.has('record')) {
    reading.report('expected-name', { ...facts, edits: unquotingEdit(reading, facts, QUOTED_NAME) }, token);
  } else if (kinds.has('word')) reportNoWord(reading, step, facts, token);
  else reading.reportUnexpected(`after \`${facts.after}\``, { form: step.form });
}

/** A minus is part of the number that does not fit. */
function reportNoNumber(reading: Reading, facts: Unfitting, token: Token): void {
  const next = reading.tokenAt(reading.at + 1);
  const isNegative = facts.found === '-' && (next.kind === 'integer' || next.kind === 'float');
  const found = isNegative ? reading.textFrom(token, next) : facts.found;
  const edits = unquotingEdit(reading, facts, QUOTED_NUMBER);
  reading.report('expected-number', { ...facts, found, edits }, token, isNegative ? next : token);
}

function reportNoWord(reading: Reading, step: Step, facts: Unfitting, token: Token): void {
  const words = firstWords(step.rest);
  const near = facts.found === undefined ? undefined : nearestWord(facts.found, words);
  const span = reading.spanOf(token);
  reading.report('expected-word', { ...facts, words: firstPhrases(step.rest), near, span }, token);
}

function quotingEdit(reading: Reading, { found }: Unfitting): readonly Edit[] | undefined {
  if (found === undefined || reading.token.kind !== 'word') return undefined;
  return [{ span: reading.spanOf(reading.token), text: `"${reading.token.text}"` }];
}

function unquotingEdit(reading: Reading, { found }: Unfitting, quoted: RegExp): readonly Edit[] | undefined {
  const content = quoted.exec(found ?? '')?.[1];
  return content ? [{ span: reading.spanOf(reading.token), text: content }] : undefined;
}

/** Goes on as if what is missing were there, or over what stands in its place. */
function goesOn(reading: Reading, step: Step, isMissing: boolean): boolean {
  if (isMissing) return reading.fits(step.after);
  if (reading.isAt('-')) reading.at++;
  const { at } = reading;
  reading.skip();
  if (reading.fits(step.after)) return true;
  reading.at = at;
  return false;
}

function isNumber(shape: Shape): boolean {
  return shape.kind === 'number';
}
