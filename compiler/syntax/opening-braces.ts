/** Blocks that lack their `{`, or have something else in its place. */

import type { Facts } from '../diagnostics/catalogue/catalogue.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Edit } from '../diagnostics/words/words.ts';
import { type Outcome, type Step, titleOf, unfittingAt } from './form-step.ts';
import { JOINING_SIGNS } from './joining-signs.ts';
import type { Reading } from './reading.ts';
import { firstShapes, type Shape } from './shapes.ts';
import type { Token } from './tokens.ts';

export function missingBrace(reading: Reading, shape: Shape, step: Step): Outcome {
  if (reading.isAt('(') || reading.isAt('[')) return wrongBracket(reading, step);
  const next = reading.at + 1;
  if (shape.kind === 'value-block' && reading.isAt('{', next)) return reportExtra(reading, next, step);
  if (shape.kind === 'value-block' && reportedJoined(reading, step)) return 'without-brace';
  if (beginsContent(reading, shape)) {
    reportOpening(reading, step);
    return 'without-brace';
  }
  const brace = braceOnThisLine(reading);
  if (brace !== undefined) return reportExtra(reading, brace, step);
  const isBare = reading.mayFollow();
  if (isBare) reportBare(reading, shape, step);
  else reportOpening(reading, step);
  return isBare ? 'done' : 'lost';
}

function wrongBracket(reading: Reading, step: Step): Outcome {
  const facts = { title: titleOf(reading, step), found: reading.token.text, form: step.form };
  reading.report('expected-brace', { ...facts, missing: 'opening' });
  reading.skip();
  return 'done';
}

function reportOpening(reading: Reading, step: Step): void {
  const before = reading.tokenAt(reading.at - 1);
  const edits = [{ span: reading.spanBehind(before), text: ' {' }];
  const facts = { title: titleOf(reading, step), found: undefined, form: step.form, edits };
  reading.report('expected-brace', { ...facts, missing: 'opening' }, before);
}

/** Where the `}` is missing too, the fix puts both around what has been read since the first token of the block. */
export function addClosingBrace(reading: Reading, first: number): void {
  const { problems } = reading;
  const before = reading.tokenAt(first - 1);
  const at = problems.findLastIndex(({ code, span }) => code === 'expected-brace' && span.start === before.start);
  const facts = problems[at]?.facts as Facts<'expected-brace'> | undefined;
  if (!facts || facts.missing === 'both' || reading.at <= first) return;
  const last = reading.tokenAt(reading.isAt(',', reading.at - 1) ? reading.at - 2 : reading.at - 1);
  const edits = [...(facts.edits ?? []), { span: reading.spanBehind(last), text: ' }' }];
  const block = `{ ${reading.textFrom(reading.tokenAt(first), last)} }`;
  problems[at] = { ...(problems[at] as Diagnostic), facts: { ...facts, missing: 'both', block, edits } };
}

/** There is no block at all; what must be in it is put in, as far as it is known. */
function reportBare(reading: Reading, shape: Shape, step: Step): void {
  const before = reading.tokenAt(reading.at - 1);
  const block = step.form.block ?? (shape.kind === 'value-block' ? '{ … }' : '{}');
  const edits = block.includes('…') ? undefined : [{ span: reading.spanBehind(before), text: ` ${block}` }];
  const facts = { title: titleOf(reading, step), found: undefined, form: step.form, block, edits };
  reading.report('expected-brace', { ...facts, missing: 'both' }, before);
}

/** `computed total => count(posts)`: a value behind a sign of other languages, rather than in braces. */
function reportedJoined(reading: Reading, step: Step): boolean {
  const sign = reading.token;
  const first = reading.tokenAt(reading.at + 1);
  const isJoined = sign.kind === 'sign' && JOINING_SIGNS.has(sign.text) && reading.beginsValue(reading.at + 1);
  if (!isJoined || first.line !== sign.line || reading.ledger.unopened > 0) return false;
  const title = titleOf(reading, step);
  reading.at++;
  const last = lastOfLine(reading);
  const edits = [
    { span: reading.spanOf(sign), text: '{' },
    { span: reading.spanBehind(last), text: ' }' },
  ];
  const block = `{ ${reading.textFrom(first, last)} }`;
  const facts = { title, found: undefined, block, isContent: true, form: step.form, edits };
  reading.report('expected-brace', { ...facts, missing: 'both' }, sign, last);
  return true;
}

/** The last token of a value that goes on to the end of its line, or of what is around it. */
function lastOfLine(reading: Reading): Token {
  const { at, token: first } = reading;
  while (reading.token.line === first.line && !endsValue(reading)) reading.skip();
  const last = reading.tokenAt(reading.at - 1);
  reading.at = at;
  return last;
}

function endsValue(reading: Reading): boolean {
  return reading.isAtEnd() || ['}', ',', ';'].some((sign) => reading.isAt(sign));
}

/** Whether what the block should hold follows without a brace, and is not the next member around it. */
function beginsContent(reading: Reading, shape: Shape): boolean {
  const isNextMember = reading.mayFollow() && (reading.token.startsLine || reading.token.kind !== 'word');
  if (isNextMember && reading.ledger.unopened <= 0) return false;
  if (shape.kind === 'block') return reading.fitsForm(shape.place);
  return shape.kind === 'value-block' && reading.beginsValue();
}

/** Where the brace is, if there is only something in between, as in `model Post extends Base {`. */
function braceOnThisLine(reading: Reading): number | undefined {
  const { line } = reading.tokenAt(reading.at - 1);
  for (let at = reading.at; at < reading.at + 8; at++) {
    if (reading.isAt('{', at)) return at;
    // Behind a `;` another member begins, and the brace is its own.
    if (reading.tokenAt(at).line !== line || reading.isAt('}', at) || reading.isAt(';', at)) return undefined;
  }
  return undefined;
}

function reportExtra(reading: Reading, brace: number, step: Step): Outcome {
  const last = reading.tokenAt(brace - 1);
  if (reportedUnquoted(reading, brace, step)) return 'again';
  const where = `between ${titleOf(reading, step)} and its \`{\``;
  const edits = INHERITING.has(reading.token.text) ? [removalBefore(reading, brace)] : [];
  const facts = { found: reading.textFrom(reading.token, last), where, label: 'remove this', form: step.form, edits };
  reading.report('unexpected-text', facts, reading.token, last);
  reading.at = brace;
  return 'again';
}

/** Only what is known to mean nothing in Kiln is removed by an edit. */
const INHERITING: ReadonlySet<string> = new Set(['extends', 'implements']);

function removalBefore(reading: Reading, brace: number): Edit {
  return { span: { ...reading.spanOf(reading.token), end: reading.tokenAt(brace).start }, text: '' };
}

/** `POST one publish {`, where a text in quotes may stand. */
function reportedUnquoted(reading: Reading, brace: number, step: Step): boolean {
  const { token } = reading;
  const takesText = firstShapes(step.rest).some((shape) => shape.kind === 'text');
  if (!takesText || token.kind !== 'word' || brace !== reading.at + 1) return false;
  const edits = [{ span: reading.spanOf(token), text: `"${token.text}"` }];
  reading.report('expected-text', { ...unfittingAt(reading, step, false), edits });
  reading.at = brace;
  return true;
}
