import { dropsBrace, dropsCloser, needlessSign } from './brace-mistakes.ts';
import { CLOSER } from './braces.ts';
import { HABITS } from './habit-texts.ts';
import { reportedHabit } from './habits.ts';
import { noteName, overNumber, overPath } from './names.ts';
import { isOperatorWithoutValue, overOperator, reportForeign } from './operators.ts';
import type { Reading } from './reading.ts';
import { missingValue, reportAfterValue } from './value-mistakes.ts';

const LITERALS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

// Reads values joined by operators; their precedence does not matter here.

/** Reads a value. False if the rest makes no sense. */
export function overValue(reading: Reading, beforeSelection = false): boolean {
  const { asked } = reading;
  reading.asked = 0;
  let fine = reportedHabit(reading, HABITS['whole-value']) === 'over' || overOperand(reading, beforeSelection);
  while (fine && overOperator(reading)) fine = overOperand(reading, beforeSelection);
  reading.mayGoOn({ value: 'operator' });
  reading.asked = asked;
  return fine && !reading.isLeaving;
}

function overOperand(reading: Reading, beforeSelection: boolean): boolean {
  while (hasPrefix(reading)) reading.at++;
  reading.mayGoOn({ value: 'operand' });
  if (reportedHabit(reading, HABITS.operand) === 'over') return true;
  switch (reading.token.kind) {
    case 'text':
      reading.at++;
      return true;
    case 'integer':
    case 'float':
      overNumber(reading);
      return true;
    case 'at-word':
      return overCalled(reading);
    case 'word':
      return overWord(reading, beforeSelection);
    default:
      return overBracketed(reading);
  }
}

function hasPrefix(reading: Reading): boolean {
  if (reading.isAt('!')) reportForeign(reading, 'not');
  else if (
    !reading.beginsObject() &&
    reading.beginsValue(reading.at + 1) &&
    (dropsBrace(reading) || dropsCloser(reading))
  )
    reading.at--;
  else return reading.wordAt(reading.at) === 'not' || reading.isAt('-');
  return true;
}

function overWord(reading: Reading, beforeSelection: boolean): boolean {
  const word = reading.wordAt(reading.at) as string;
  const next = reading.at + 1;
  if (word === 'hook' && reading.isAt('{', next)) return reading.overHook(beforeSelection);
  if (isOperatorWithoutValue(reading)) return overMissing(reading, beforeSelection);
  if (LITERALS.has(word) && !reading.isAt('.', next)) {
    reading.at++;
    return true;
  }
  return overCalled(reading);
}

function overCalled(reading: Reading): boolean {
  overSteps(reading);
  return reading.isAt('(') ? overList(reading) : true;
}

/** `a and and b` has a word too many; in `a and or b` a value is missing. */
function overMissing(reading: Reading, beforeSelection: boolean): boolean {
  if (reading.token.text !== reading.tokenAt(reading.at - 1).text) return missingValue(reading);
  needlessSign(reading);
  return overOperand(reading, beforeSelection);
}

function overSteps(reading: Reading): void {
  overPath(reading);
  if (reading.isBehindDot) reading.mayGoOn({ value: 'operand' });
}

function overBracketed(reading: Reading): boolean {
  if (reading.isAt('[')) return overList(reading);
  if (reading.beginsObject() || isEmptyObject(reading)) return overObject(reading);
  if (reading.isAt('('))
    return overBrackets(reading, (open) => overValue(reading) && endsBracket(reading, open, false));
  return missingValue(reading);
}

/** Reads values between brackets with commas between them: a list, or the arguments of a call. */
function overList(reading: Reading): boolean {
  const close = CLOSER[reading.token.text] as string;
  return overBrackets(reading, (open) => {
    while (!reading.isAt(close)) {
      if (!overValue(reading)) return false;
      if (!reading.isAt(',')) return endsBracket(reading, open, true);
      reading.at++;
    }
    return true;
  });
}

function isEmptyObject(reading: Reading): boolean {
  return reading.isAt('{') && reading.isAt('}', reading.at + 1);
}

/** `{ name: value, … }`: commas between the members may be left out. */
function overObject(reading: Reading): boolean {
  return overBrackets(reading, (open) => {
    while (!reading.isAt('}')) {
      if (reading.isAtEnd()) return endsBracket(reading, open, true);
      if (!overMember(reading)) return false;
      if (reading.isAt(',')) reading.at++;
    }
    return true;
  });
}

function overMember(reading: Reading): boolean {
  const { kind } = reading.token;
  const isNamed = (kind === 'word' || kind === 'text') && reading.isAt(':', reading.at + 1);
  if (!isNamed) {
    reading.reportUnexpected('into an object', { label: 'its members are `name: value`' });
    return false;
  }
  if (kind === 'word') noteName(reading, reading.at);
  reading.at += 2;
  return overValue(reading);
}

/** Reads the content of brackets, and continues behind them whatever it was. */
function overBrackets(reading: Reading, read: (open: number) => boolean): boolean {
  const open = reading.at;
  const close = CLOSER[reading.token.text] as string;
  if (reading.isTooDeep) {
    reading.passOverDepth();
    return true;
  }
  reading.depth++;
  reading.at++;
  const fine = read(open);
  reading.mayGoOn({});
  reading.depth--;
  if (reading.isLeaving) return false;
  if (fine && reading.isAt(close)) reading.at++;
  return fine || skipBehind(reading, open);
}

function skipBehind(reading: Reading, open: number): boolean {
  const partner = reading.braces.partner.get(open);
  if (partner !== undefined) reading.at = partner + 1;
  return partner !== undefined;
}

function endsBracket(reading: Reading, open: number, inList: boolean): boolean {
  const opener = reading.tokenAt(open);
  const close = CLOSER[opener.text] as string;
  if (reading.isAt(close)) return true;
  if (reading.braces.partner.has(open)) {
    reportAfterValue(reading, inList);
    return false;
  }
  if (!reading.isQuiet()) {
    const edits = [{ span: reading.spanBehind(reading.tokenAt(reading.at - 1)), text: close }];
    reading.report('missing-closing-bracket', { open: opener.text, close, edits }, opener);
  }
  reading.quietAt = reading.at;
  return true;
}
