/** What is said of something that begins no member of its place. */
import { leavesBeforeBrace, leavesForOwner } from './closing-braces.ts';
import { type PlaceName, places } from './forms.ts';
import { blockToReopen, dropsBrace, needlessBracket, needlessSign } from './needless-signs.ts';
import { reportForeign } from './operators.ts';
import type { Reading } from './reading.ts';
import type { Remedy } from './recovery.ts';
import { formsOf, type ReadForm } from './shapes.ts';
import { isSign, type Token } from './tokens.ts';
import { unknownWord } from './unknown-words.ts';
import { reportAfterValue, reportedGlued } from './value-mistakes.ts';

export function misfit(reading: Reading, place: PlaceName): Remedy {
  if (reading.isQuiet()) return { kind: 'pass-over' };
  if (reading.isAt(';') || reading.isAt(',')) needlessSign(reading);
  else if (reading.isAt(')') || reading.isAt(']')) needlessBracket(reading);
  else return misplacedBrace(reading) ?? unfittingText(reading, place);
  return { kind: 'go-on' };
}

function misplacedBrace(reading: Reading): Remedy | undefined {
  const frame = blockToReopen(reading);
  if (frame) return { kind: 'reopen', frame };
  const isMended = leavesForOwner(reading) || leavesBeforeBrace(reading) || dropsBrace(reading);
  return isMended ? { kind: 'go-on' } : undefined;
}

function unfittingText(reading: Reading, place: PlaceName): Remedy {
  const isReported = reportedGlued(reading);
  if (!isReported && reading.token.kind === 'word') return unknownWord(reading, place, reading.token.text);
  if (!isReported && reading.isAt('?')) return needlessQuestion(reading);
  if (!isReported) reportUnfitting(reading, place);
  return { kind: 'pass-over' };
}

/** What other languages write behind it is part of the same mistake. */
function needlessQuestion(reading: Reading): Remedy {
  needlessSign(reading);
  reading.quietAt = reading.at;
  return { kind: 'go-on' };
}

function reportUnfitting(reading: Reading, place: PlaceName): void {
  const before = reading.tokenAt(reading.at - 1);
  if (place === 'selection' && reading.isAt('=')) reportForeign(reading, ':');
  else if (reading.at > 0 && reading.beginsValue() && endsValue(before)) reportAfterValue(reading, false);
  else reading.reportUnexpected(`into ${places[place].noun}`, onlyFormOf(place));
}

function endsValue(token: Token): boolean {
  return token.kind !== 'sign' || isSign(token, ')') || isSign(token, ']');
}

/** Where a place holds little else, one form shows what belongs there. */
function onlyFormOf(place: PlaceName): { form?: ReadForm } {
  const [form, ...others] = formsOf(place);
  return form && others.length < 2 ? { form } : {};
}
