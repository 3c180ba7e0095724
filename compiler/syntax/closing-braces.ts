/** Blocks that lack their `}`. */
import type { Edit } from '../diagnostics/words/words.ts';
import type { PlaceName } from './forms.ts';
import type { Frame, Reading } from './reading.ts';
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

/** Goes back to the block at `level`, for a `}` is missing in each block inside it. */
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

/** One word is not enough to tell a member by, unless it stands for itself. */
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
