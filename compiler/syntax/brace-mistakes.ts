/** Blocks that lack their `}`, and braces, brackets and other signs that are too many. */
import type { Edit } from '../diagnostics/words/words.ts';
import type { Span } from '../source/source-file.ts';
import { OPENER } from './braces.ts';
import type { PlaceName } from './forms.ts';
import type { Frame, MemberFrame, Reading } from './reading.ts';
import { firstWords, formsOf } from './shapes.ts';
import type { Token } from './tokens.ts';

/** Reports a `}` that was put in. Several of them in one place are one mistake. */
export function reportAssumedCloser(reading: Reading): void {
  const { assumed } = reading.braces;
  if (assumed.has(reading.tokenAt(reading.at - 1))) return;
  let end = reading.at;
  while (assumed.has(reading.tokenAt(end))) end++;
  reportUnclosed(reading, reading.frames.length - (end - reading.at), end);
}

/** Goes back to the block at `level`, because a `}` is missing in each block inside it. */
export function leaveTo(reading: Reading, level: number): void {
  const { frames, ledger } = reading;
  const count = frames.slice(level).filter((frame) => frame.open).length;
  if (ledger.exceedsExplained(count)) reportUnclosed(reading, level, reading.at);
  for (let left = count; left > 0; left--) ledger.withdrawCloser(frames);
  ledger.unclosed -= count;
  reading.leaving = level;
}

export function leavesForOwner(reading: Reading): boolean {
  const level = ownerOf(reading, reading.at);
  if (level !== undefined) leaveTo(reading, level);
  return level !== undefined;
}

/** `unique` is a member of a field, but `unique {` one of the model around it. */
export function leavesBeforeBrace(reading: Reading): boolean {
  const level = reading.isAt('{') && reading.at > 0 ? ownerOf(reading, reading.at - 1) : undefined;
  if (level === undefined) return false;
  reading.at--;
  leaveTo(reading, level);
  return true;
}

/** The outer block, by its level, to which this word belongs because the blocks inside it should have ended before. */
export function ownerOf(reading: Reading, at: number): number | undefined {
  const { frames, ledger } = reading;
  const token = reading.tokenAt(at);
  const innermost = frames.findLast((frame) => frame.open)?.open;
  if (token.kind !== 'word' || !innermost) return undefined;
  const standsFurtherOut = token.startsLine && token.indent <= innermost.indent;
  if (!standsFurtherOut && !ledger.lacksCloser(frames)) return undefined;
  for (let level = frames.length - 1; level >= 0; level--) {
    const place = reading.placeAt(level);
    if (place && looksLikeMember(reading, place, at)) return level;
  }
  return undefined;
}

/** Whether the text looks like a member. One word is enough only at the beginning of a line or before a `}`. */
function looksLikeMember(reading: Reading, place: PlaceName, at: number): boolean {
  const enough = at + (reading.tokenAt(at).startsLine || reading.isAt('}', at + 1) ? 1 : 2);
  return formsOf(place).some((form) => {
    const reach = reading.reach(form.shapes, at);
    return firstWords(form.shapes).length > 0 && reach.fits && reach.at >= enough;
  });
}

function reportUnclosed(reading: Reading, level: number, before: number): void {
  if (reading.isQuiet(before)) return;
  const blocks = reading.frames.slice(level).flatMap((frame) => openBlock(reading, frame));
  const block = blocks.pop();
  if (!block) return;
  const next = reading.tokenAt(before);
  const noticedAt = next.text === '' ? undefined : { found: reading.textFrom(next), span: reading.spanOf(next) };
  const edits = [closingEdit(reading, block.open, reading.tokenAt(before - 1))];
  reading.report('missing-closing-brace', { block, around: blocks.reverse(), noticedAt, edits }, block.open);
}

function openBlock(reading: Reading, { open, title }: Frame) {
  return open ? [{ open, title, span: reading.spanOf(open) }] : [];
}

function closingEdit(reading: Reading, open: Token, last: Token): Edit {
  const text = open.line === last.line ? ' }' : `\n${' '.repeat(open.indent)}}`;
  return { span: reading.spanBehind(last), text };
}

// ── Needless signs ───────────────────────────────────────────────────────────────────────────────────────────────────

// Braces, brackets and other signs that are too many.

export function needlessSign(reading: Reading): void {
  const before = reading.tokenAt(reading.at - 1);
  const after = reading.at === 0 || before.text === '}' ? undefined : reading.textFrom(before);
  reading.report('needless-sign', { sign: reading.token.text, span: withBlank(reading), after });
  reading.at++;
}

/** The span of a token. Between two blanks, it includes one of them. */
function withBlank({ source: { text, path: file }, token: { start, end } }: Reading): Span {
  return { file, start, end: text[start - 1] === ' ' && text[end] === ' ' ? end + 1 : end };
}

export function needlessBracket(reading: Reading): void {
  const { text } = reading.token;
  reading.report('unexpected-closing-bracket', { found: text, open: OPENER[text] as string });
  reading.at++;
}

export function needlessBrace(reading: Reading, token = reading.token): void {
  reading.report('unexpected-closing-brace', {}, token);
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

/** A `}` too many in the middle of a line, with more of the same behind it. */
export function dropsCloser(reading: Reading): boolean {
  const { ledger, braces } = reading;
  if (!reading.isAt('}') || ledger.unopened <= 0 || reading.tokenAt(reading.at + 1).startsLine) return false;
  if (!braces.unevenLines.has(reading.token.line)) return false;
  ledger.settleCloser(reading.token);
  needlessBrace(reading);
  return true;
}

/** The block that a `}` too many has closed on this line, and that continues behind it. */
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
