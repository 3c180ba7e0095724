/** Reports a value that is missing, or continues after its end. */
import { leavesForOwner, needlessBracket, needlessSign } from './brace-mistakes.ts';
import { gluedNumber } from './names.ts';
import { reportForeign } from './operators.ts';
import type { Reading } from './reading.ts';
import type { Token } from './tokens.ts';

/** Reports a missing value. True if reading can continue as if there were one. */
export function missingValue(reading: Reading): boolean {
  const { token } = reading;
  if (reading.isQuiet() || (reading.isAtEnd() && reading.frames.length > 0)) return false;
  const before = reading.tokenAt(reading.at - 1);
  if (isWrongValue(token)) {
    const next = reading.tokenAt(reading.at + 1);
    const label = token.text === '.' && next.kind === 'integer' ? `write \`0.${next.text}\`` : undefined;
    reading.report('expected-value', { after: undefined, found: token.text, label });
  } else reading.report('expected-value', { after: reading.textFrom(before), found: undefined }, before);
  return token.kind === 'word';
}

/** Whether something else was written in place of a value. */
function isWrongValue(token: Token): boolean {
  return token.kind === 'sign' && !'})],;'.includes(token.text);
}

const CONDITIONS = /^the `(validate|filter|authorize|assert)`$/;

/** `minLength(1), maxLength(20)` and `minLength(1) maxLength(20)`: conditions that are listed rather than joined. */
export function reportedListing(reading: Reading, title: string): boolean {
  if (!CONDITIONS.test(title) || reading.isQuiet()) return false;
  if (reading.isAt(',') && reading.beginsValue(reading.at + 1)) {
    const edits = [{ span: reading.spanOf(reading.token), text: ' and' }];
    reading.report('foreign-operator', { found: ',', instead: 'and', help: undefined, edits });
    reading.at++;
    return true;
  }
  const isCall =
    reading.token.kind === 'word' && reading.isAt('(', reading.at + 1) && reading.isAt(')', reading.at - 1);
  if (!isCall) return false;
  const before = reading.tokenAt(reading.at - 1);
  const edits = [{ span: reading.spanBehind(before), text: ' and' }];
  const facts = { found: reading.textFrom(reading.token), after: reading.textFrom(before), inList: false, edits };
  reading.report('missing-operator', facts);
  return true;
}

/** Whether the block of one value ends here, as it should. Text behind the value is reported. */
export function endsValueBlock(reading: Reading): boolean {
  while (reading.isAt(';') || reading.isAt(',')) {
    needlessSign(reading);
    reading.quietAt = reading.at;
  }
  if (reading.isAt('}') || reading.isAtEnd()) return true;
  if (!leavesForOwner(reading)) reportAfterValue(reading, false);
  return false;
}

export function reportAfterValue(reading: Reading, inList: boolean): void {
  const before = reading.tokenAt(reading.at - 1);
  if (reading.isQuiet() || reportedGlued(reading)) return;
  if (reading.isAt(')') || reading.isAt(']')) needlessBracket(reading);
  else if (before.kind === 'word' && isShoutedNot(before.text)) reportForeign(reading, 'not', undefined, before);
  else if (reading.beginsValue()) {
    const facts = { found: reading.textFrom(reading.token), after: reading.textFrom(before), inList };
    reading.report('missing-operator', facts);
  } else reading.reportUnexpected(`after \`${reading.textFrom(before)}\``);
}

function isShoutedNot(word: string): boolean {
  return word !== 'not' && word.toLowerCase() === 'not';
}

/** Reports text that directly follows a value, and makes no sense apart from it. */
export function reportedGlued(reading: Reading): boolean {
  if (!reading.touches(reading.at)) return false;
  const before = reading.tokenAt(reading.at - 1);
  // The quotes of a line are one short, and that has been reported at the last of them.
  if (before.kind === 'text' && isUnclosedText(reading.tokenAt(reading.at + 1))) return true;
  const isNumber = before.kind === 'integer' || before.kind === 'float';
  return isNumber && (reading.token.kind === 'word' || reading.isAt('.')) && reportNumber(reading, before);
}

function isUnclosedText(token: Token): boolean {
  return token.kind === 'text' && (token.text.length < 2 || !token.text.endsWith('"'));
}

/** `1_000`, `1e5`, `0x1F`. */
function reportNumber(reading: Reading, before: Token): boolean {
  reading.report('bad-number', gluedNumber(reading, before), before, reading.token);
  return true;
}
