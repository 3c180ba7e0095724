/** Braces, brackets and other signs that are too many. */
import type { Span } from '../source/source-file.ts';
import { OPENER } from './braces.ts';
import type { MemberFrame, Reading } from './reading.ts';

export function needlessSign(reading: Reading): void {
  const before = reading.tokenAt(reading.at - 1);
  const after = reading.at === 0 || before.text === '}' ? undefined : reading.textFrom(before);
  reading.report('needless-sign', { sign: reading.token.text, span: withBlank(reading), after });
  reading.at++;
}

/** Between two blanks, one of them goes along. */
function withBlank({ source: { text, path: file }, token: { start, end } }: Reading): Span {
  return { file, start, end: text[start - 1] === ' ' && text[end] === ' ' ? end + 1 : end };
}

export function needlessBracket(reading: Reading): void {
  const { text } = reading.token;
  const facts = { found: text, open: OPENER[text] as string, span: reading.spanOf(reading.token) };
  reading.report('unexpected-closing-bracket', facts);
  reading.at++;
}

export function needlessBrace(reading: Reading, token = reading.token): void {
  reading.report('unexpected-closing-brace', { span: reading.spanOf(token) }, token);
  reading.ledger.unopened--;
  if (token === reading.token) reading.at++;
}

/** A `{` too many, which is why a `}` seems to be missing further on. */
export function dropsBrace(reading: Reading): boolean {
  const first = reading.token;
  while (reading.isAt('{') && reading.ledger.explainBy({ openAt: reading.at }, reading.frames)) reading.at++;
  if (reading.token === first) return false;
  const last = reading.tokenAt(reading.at - 1);
  const edits = [{ span: reading.spanOf(first, last), text: '' }];
  const facts = { found: reading.textFrom(first, last), where: 'here', label: 'remove this', edits };
  reading.report('unexpected-text', facts, first, last);
  return true;
}

/** A `}` too many in the middle of a line, with more of the same to come behind it. */
export function dropsCloser(reading: Reading): boolean {
  const { ledger, braces } = reading;
  if (!reading.isAt('}') || ledger.unopened <= 0 || reading.tokenAt(reading.at + 1).startsLine) return false;
  if (!braces.unevenLines.has(reading.token.line)) return false;
  ledger.settleCloser(reading.token);
  needlessBrace(reading);
  return true;
}

/** The block that was closed on this line by a `}` too many, and goes on behind it. */
export function blockToReopen(reading: Reading): MemberFrame | undefined {
  const { lastClosed, ledger } = reading;
  const place = lastClosed?.frame.place;
  if (!lastClosed || !place || ledger.unopened <= 0 || reading.token.startsLine) return undefined;
  const behind = lastClosed.closer + (reading.isAt(',', lastClosed.closer + 1) ? 2 : 1);
  if (reading.at !== behind || !reading.fitsForm(place)) return undefined;
  ledger.settleCloser(reading.token);
  needlessBrace(reading, reading.tokenAt(lastClosed.closer));
  return { ...lastClosed.frame, place };
}

/** The `}` that belongs to a brace that was forgotten, if there is one. */
export function swallowCloser(reading: Reading): boolean {
  const { ledger } = reading;
  if (!reading.isAt('}') || ledger.unopened <= 0) return false;
  ledger.settleCloser(reading.token);
  ledger.unopened--;
  reading.at++;
  return true;
}
