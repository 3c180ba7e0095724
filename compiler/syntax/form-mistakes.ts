/** Reports a form that does not continue as it should. */

import type { Facts } from '../diagnostics/catalogue/catalogue.ts';
import type { Unfitting } from '../diagnostics/catalogue/syntax.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { nearWord } from '../diagnostics/words/near-name.ts';
import type { Edit } from '../diagnostics/words/words.ts';
import { dropsBrace, dropsCloser, needlessSign } from './brace-mistakes.ts';
import { misspeltWord } from './misfits.ts';
import type { Reading } from './reading.ts';
import { JOINING_SIGNS } from './reserved-words.ts';
import { firstPhrases, firstShapes, firstWords, isBlock, type ReadForm, type Shape } from './shapes.ts';
import type { Token } from './tokens.ts';
import { missingValue } from './value-mistakes.ts';

/** A form that is being read, and where its first word is. */
export interface Run {
  readonly form: ReadForm;
  readonly first: number;
}

export interface Step extends Run {
  /** The remaining shapes, with all their alternatives. */
  readonly rest: readonly Shape[];
  /** The shapes after the current one. */
  readonly after: readonly Shape[];
}

/**
 * Whether a form can continue: `again` if a mistake was mended, `without-brace` if its block follows without a `{`, and
 * `lost` if the rest of it makes no sense.
 */
export type Outcome = 'done' | 'again' | 'without-brace' | 'lost';

/** A form that several words can begin, with an example that begins as the author did: `update endpoint {}`. */
export function asBegun(reading: Reading, form: ReadForm): ReadForm {
  const word = reading.wordAt(reading.at);
  if (!word || !form.exampleOfOther || form.example.startsWith(`${word} `)) return form;
  return { ...form, example: form.exampleOfOther.replace('…', word) };
}

/** The title of a form, such as “the field `name`” or “the `list endpoint`”. */
export function titleOf(reading: Reading, { form, first }: Run): string {
  const isNamed = form.shapes[0]?.kind === 'word' && isName(form.shapes[1]);
  if (isNamed && first + 1 < reading.at)
    return `the ${form.noun.replace(/^an? /, '')} \`${reading.tokenAt(first + 1).text}\``;
  return `the \`${reading.textFrom(reading.tokenAt(first), reading.tokenAt(reading.at - 1))}\``;
}

/** Whether the shape is a name, or something else that may replace it. */
function isName(shape: Shape | undefined): boolean {
  if (shape?.kind === 'choice')
    return shape.choices.every(([first]) => first?.kind === 'name' || first?.kind === 'caller');
  return shape?.kind === 'name';
}

/** The facts about what stands in place of the next part of a form, or that nothing does. */
function unfittingAt(reading: Reading, { form, first }: Run, isMissing: boolean): Unfitting {
  const after = reading.textFrom(reading.tokenAt(first), reading.tokenAt(reading.at - 1));
  return { after, found: isMissing ? undefined : reading.textFrom(reading.token), form };
}

const QUOTED_NAME = /^"([A-Za-z_]\w*)"$/;
const QUOTED_NUMBER = /^"(\d+)"$/;

export function mistaken(reading: Reading, shape: Shape, step: Step): Outcome {
  if (reading.isQuiet()) return 'lost';
  if (dropsSign(reading, shape, step) || mendsWord(reading, step)) return 'again';
  const fitsBehind = reading.fits(step.rest, reading.at + 1);
  if (fitsBehind && (dropsBrace(reading) || dropsCloser(reading))) return 'again';
  if (shape.kind === 'value') return missingValueOf(reading, step);
  if (isBlock(shape) && !firstShapes(step.rest).some(({ kind }) => kind === 'number'))
    return missingBrace(reading, shape, step);
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

/** Reads a misspelt word as the one that was meant, if the rest then makes sense. */
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
  } else if (kinds.has('value')) reportNoValue(reading, facts, token);
  else if (kinds.has('word')) reportNoWord(reading, step, facts, token);
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

/** The value of an argument is often the member of the same name. */
function reportNoValue(reading: Reading, { after, found }: Unfitting, token: Token): void {
  const { frames, braces, source } = reading;
  const openAt = frames.findLast((frame) => frame.place === 'model')?.openAt ?? reading.at;
  const end = reading.tokenAt(braces.partner.get(openAt) ?? openAt).start;
  const declaration = new RegExp(`\\b(?:field|reference|computed)\\s+${token.text}\\b`);
  const isMember = found === undefined && declaration.test(source.text.slice(reading.tokenAt(openAt).start, end));
  const edits = [{ span: reading.spanBehind(token), text: ` ${token.text}` }];
  const advice = isMember ? { label: `write \`${after} ${token.text}\``, edits } : {};
  reading.report('expected-value', { after, found, ...advice }, token);
}

function reportNoWord(reading: Reading, step: Step, facts: Unfitting, token: Token): void {
  const words = firstWords(step.rest);
  const near = facts.found === undefined ? undefined : nearWord(facts.found, words);
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

/** Continues as if the missing part were there, or skips what stands in its place. */
function goesOn(reading: Reading, step: Step, isMissing: boolean): boolean {
  if (isMissing) return reading.fits(step.after);
  if (reading.isAt('-')) reading.at++;
  const { at } = reading;
  reading.skip();
  if (reading.fits(step.after)) return true;
  reading.at = at;
  return false;
}

// ── Opening braces ───────────────────────────────────────────────────────────────────────────────────────────────────

// Blocks that lack their `{`, or have something else in its place.

function missingBrace(reading: Reading, shape: Shape, step: Step): Outcome {
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
  reportBrace(reading, step, { found: reading.token.text, missing: 'opening' });
  reading.skip();
  return 'done';
}

function reportOpening(reading: Reading, step: Step): void {
  const before = reading.tokenAt(reading.at - 1);
  const edits = [{ span: reading.spanBehind(before), text: ' {' }];
  reportBrace(reading, step, { missing: 'opening', edits }, before);
}

type BraceFacts = Partial<Facts<'expected-brace'>> & Pick<Facts<'expected-brace'>, 'missing'>;

function reportBrace(reading: Reading, step: Step, facts: BraceFacts, first?: Token, last?: Token): void {
  const form = { title: titleOf(reading, step), found: undefined, form: step.form };
  reading.report('expected-brace', { ...form, ...facts }, first, last);
}

/**
 * Extends the fix if the `}` is missing too: it puts both braces around what has been read since the first token of the
 * block.
 */
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

/** Reports a missing block. The fix inserts its required content, as far as it is known. */
function reportBare(reading: Reading, shape: Shape, step: Step): void {
  const before = reading.tokenAt(reading.at - 1);
  const block = step.form.block ?? (shape.kind === 'value-block' ? '{ … }' : '{}');
  const edits = block.includes('…') ? undefined : [{ span: reading.spanBehind(before), text: ` ${block}` }];
  reportBrace(reading, step, { missing: 'both', block, edits }, before);
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

/** The last token of a value that continues to the end of its line, or of what is around it. */
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

/** Whether the content of the block follows without a brace, and is not the next member around it. */
function beginsContent(reading: Reading, shape: Shape): boolean {
  const isNextMember = reading.mayFollow() && (reading.token.startsLine || reading.token.kind !== 'word');
  if (isNextMember && reading.ledger.unopened <= 0) return false;
  if (shape.kind === 'block') return reading.fitsForm(shape.place);
  return shape.kind === 'value-block' && reading.beginsValue();
}

/** The index of the brace, if only a few words stand in between, as in `model Post extends Base {`. */
function braceOnThisLine(reading: Reading): number | undefined {
  const { line } = reading.tokenAt(reading.at - 1);
  for (let at = reading.at; at < reading.at + 8; at++) {
    if (reading.isAt('{', at)) return at;
    // A `;` ends the member, so a brace behind it belongs to another one.
    if (reading.tokenAt(at).line !== line || reading.isAt('}', at) || reading.isAt(';', at)) return undefined;
  }
  return undefined;
}

function reportExtra(reading: Reading, brace: number, step: Step): Outcome {
  const last = reading.tokenAt(brace - 1);
  if (reportedUnquoted(reading, brace, step) || reportedBehindAlias(reading, brace, step)) return 'again';
  const where = `between ${titleOf(reading, step)} and its \`{\``;
  const removed = { ...reading.spanOf(reading.token), end: reading.tokenAt(brace).start };
  const edits = INHERITING.has(reading.token.text) ? [{ span: removed, text: '' }] : [];
  const facts = { found: reading.textFrom(reading.token, last), where, label: 'remove this', form: step.form, edits };
  reading.report('unexpected-text', facts, reading.token, last);
  reading.at = brace;
  return 'again';
}

/** Words that an edit removes, because they mean nothing in Kiln. */
const INHERITING: ReadonlySet<string> = new Set(['extends', 'implements']);

/** `create Item as one or update by { slug } {`: what to do with a record that is there comes before the alias. */
function reportedBehindAlias(reading: Reading, brace: number, { form }: Step): boolean {
  const { at, token: first } = reading;
  const isBehind = form.noun === 'a create' && reading.wordAt(at) === 'or' && reading.wordAt(at - 2) === 'as';
  const end = reading.wordAt(brace - 1) === 'by' ? reading.braces.partner.get(brace) : brace - 1;
  if (!isBehind || end === undefined) return false;
  const [last, as] = [reading.tokenAt(end), reading.tokenAt(at - 2)];
  const alias = reading.textFrom(as, reading.tokenAt(at - 1));
  const text = `${reading.source.text.slice(first.start, last.end)} ${alias}`;
  const facts = { found: reading.textFrom(first, last), where: `after \`${alias}\`` };
  const advice = { label: `write it before \`${alias}\``, edits: [{ span: reading.spanOf(as, last), text }] };
  reading.report('unexpected-text', { ...facts, ...advice }, first, last);
  reading.at = end + 1;
  return true;
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
