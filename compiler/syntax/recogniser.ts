import {
  leavesForOwner,
  leaveTo,
  needlessBrace,
  ownerOf,
  reportAssumedCloser,
  swallowCloser,
} from './brace-mistakes.ts';
import { bracesAsWritten } from './braces.ts';
import { breaksOffBefore, breaksOffInPath, type Expectation } from './expectation.ts';
import { addClosingBrace, asBegun, mistaken, type Outcome, type Run, type Step, titleOf } from './form-mistakes.ts';
import type { PlaceName } from './forms.ts';
import { HABITS } from './habit-texts.ts';
import { reportedHabit } from './habits.ts';
import { beginsMemberAround, goToNextMember, misfit, passOver, type Remedy } from './misfits.ts';
import { overName, overNumber, overPath } from './names.ts';
import { type Frame, frameWithoutBrace, Reading } from './reading.ts';
import type { Shape } from './shapes.ts';
import { tokenize } from './tokens.ts';
import { endsValueBlock, reportedListing } from './value-mistakes.ts';
import { overValue } from './values.ts';

/**
 * Reads a text by the forms, and knows at each place what would have fitted. It reports nothing itself: the files for
 * each kind of mistake report what does not fit, and decide how to continue.
 */
export function recognise(reading: Reading): void {
  withHooks(reading);
  for (;;) {
    overMembers(reading, 'file');
    if (reading.isAtEnd()) return;
    needlessBrace(reading);
  }
}

// ── Members ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function overMembers(reading: Reading, place: PlaceName): void {
  const level = reading.frames.length;
  while (!endsBlock(reading)) {
    const before = reading.at;
    const mended = reading.readAs.size;
    overMember(reading, place);
    if (reading.leaving !== undefined && reading.leaving < level) return;
    if (!reading.isLeaving && place !== 'file' && reading.isAt(',')) reading.at++;
    reading.leaving = undefined;
    // The reader must always move on, even after a mistake of its own.
    if (reading.at === before && reading.readAs.size === mended) reading.at++;
  }
  reading.mayGoOn({ place });
}

function endsBlock(reading: Reading): boolean {
  for (;;) {
    if (reading.ledger.isVoid(reading.token)) reading.at++;
    else if (reading.ledger.isNeedless(reading.token)) needlessBrace(reading);
    else return reading.isAt('}') || reading.isAtEnd();
  }
}

function overMember(reading: Reading, place: PlaceName): void {
  const first = reading.token;
  if (reportedHabit(reading, HABITS[place]) === 'over') return;
  const form = reading.formAt(place);
  if (!form) applyRemedy(reading, misfit(reading, place), place);
  else if (!overForm(reading, { form: asBegun(reading, form), first: reading.at }))
    goToNextMember(reading, place, first);
}

function applyRemedy(reading: Reading, remedy: Remedy, place: PlaceName): void {
  if (remedy.kind === 'pass-over') passOver(reading, place);
  if (remedy.kind === 'reopen') inFrame(reading, remedy.frame, () => overMembers(reading, remedy.frame.place));
  if (remedy.kind === 'read-as') overMembersOf(reading, remedy.places, place);
}

/** Reads members of other places, as long as they do not fit at their own. */
function overMembersOf(reading: Reading, places: readonly PlaceName[], place: PlaceName): void {
  let fitting = places[0];
  while (fitting && !reading.isLeaving) {
    reading.frames.push(frameWithoutBrace(fitting));
    overMember(reading, fitting);
    if (reading.isAt(',')) reading.at++;
    reading.frames.pop();
    fitting = reading.fitsForm(place) ? undefined : places.find((name) => reading.fitsForm(name));
  }
  if (!reading.isLeaving) swallowCloser(reading);
}

// ── Forms ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function overForm(reading: Reading, run: Run): boolean {
  let rest = run.form.shapes;
  while (rest.length > 0) {
    if (reading.isAtEnd()) reading.mayGoOn(breaksOffBefore(run.form, reading.place, rest));
    const [shape, ...after] = reading.resolved(rest);
    if (!shape) return true;
    const outcome = overShape(reading, shape, { ...run, rest, after });
    if (outcome === 'lost') return false;
    if (outcome === 'done') rest = after;
  }
  return true;
}

function overShape(reading: Reading, shape: Shape, step: Step): Outcome {
  if (shape.kind === 'choice') return 'lost';
  const end = reading.over(shape, reading.at);
  if (end === undefined) {
    const outcome = mistaken(reading, shape, step);
    return outcome === 'without-brace' ? overContent(reading, shape) : outcome;
  }
  switch (shape.kind) {
    case 'block':
      return overBlock(reading, shape.place, titleOf(reading, step));
    case 'value-block':
      return overValueBlock(reading, titleOf(reading, step));
    case 'empty-block':
      return overEmptyBlock(reading, step);
    case 'value':
      return overValue(reading, reading.place === 'selection') ? 'done' : 'lost';
    case 'path':
    case 'record':
      overPath(reading);
      if (reading.isBehindDot) reading.mayGoOn(breaksOffInPath(step.form, reading.place, step.after));
      return 'done';
    case 'number':
      overNumber(reading);
      return 'done';
    case 'name':
      overName(reading, step.after);
      return 'done';
    default:
      reading.at = end;
      return 'done';
  }
}

// ── Blocks ───────────────────────────────────────────────────────────────────────────────────────────────────────────

function overBlock(reading: Reading, place: PlaceName, title: string): Outcome {
  return inBraces(reading, { place, title }, () => overMembers(reading, place));
}

function overValueBlock(reading: Reading, title: string): Outcome {
  return inBraces(reading, { place: undefined, title }, ({ open, openAt }) => {
    if (reading.isAt('}')) reading.report('empty-block', { title }, open, reading.token);
    else if (!overConditions(reading, title) || !endsValueBlock(reading)) skipToEndOf(reading, openAt);
  });
}

/** Reads conditions, which `and` joins, where other languages list them. */
function overConditions(reading: Reading, title: string): boolean {
  let isSound = overValue(reading);
  while (isSound && reportedListing(reading, title)) isSound = overValue(reading);
  return isSound;
}

function overEmptyBlock(reading: Reading, step: Step): Outcome {
  const title = titleOf(reading, step);
  return inBraces(reading, { place: undefined, title }, ({ openAt }) => {
    if (reading.isAt('}') || reading.isAtEnd()) return;
    reading.reportUnexpected(`into ${title}`, { label: 'leave its braces empty', form: step.form });
    skipToEndOf(reading, openAt);
  });
}

function inBraces(reading: Reading, block: Pick<Frame, 'place' | 'title'>, read: (frame: Frame) => void): Outcome {
  if (reading.isTooDeep) {
    reading.passOverDepth();
    return 'done';
  }
  const frame: Frame = { ...block, open: reading.token, openAt: reading.at };
  reading.at++;
  return inFrame(reading, frame, read);
}

function inFrame(reading: Reading, frame: Frame, read: (frame: Frame) => void): Outcome {
  reading.depth++;
  reading.frames.push(frame);
  read(frame);
  const outcome = closeFrame(reading, frame);
  reading.frames.pop();
  reading.depth--;
  return outcome;
}

function closeFrame(reading: Reading, frame: Frame): Outcome {
  reading.mayGoOn({});
  if (!reading.isLeaving && reading.isAtEnd()) leaveTo(reading, 0);
  if (reading.isLeaving) return 'lost';
  if (reading.braces.assumed.has(reading.token)) reportAssumedCloser(reading);
  else reading.lastClosed = { frame, closer: reading.at };
  reading.at++;
  return 'done';
}

function skipToEndOf(reading: Reading, open: number): void {
  const partner = reading.braces.partner.get(open);
  if (reading.isLeaving) return;
  if (partner !== undefined && partner >= reading.at) reading.at = partner;
  else while (!reading.isAt('}') && !reading.isAtEnd() && ownerOf(reading, reading.at) === undefined) reading.skip();
  leavesForOwner(reading);
}

function overContent(reading: Reading, shape: Shape): Outcome {
  const place = shape.kind === 'block' ? shape.place : undefined;
  const first = reading.at;
  reading.frames.push(frameWithoutBrace(place));
  if (place) overMembersWithoutBrace(reading, place);
  else overValue(reading);
  reading.frames.pop();
  if (reading.isLeaving) return 'lost';
  if (!swallowCloser(reading)) addClosingBrace(reading, first);
  return 'done';
}

function overMembersWithoutBrace(reading: Reading, place: PlaceName): void {
  const first = reading.at;
  const around = reading.placeAt(reading.frames.length - 1);
  while (!reading.isLeaving && reading.fitsForm(place)) {
    if (reading.ledger.unopened <= 0 && reading.token.startsLine) return;
    if (around && reading.at > first && beginsMemberAround(reading, place, around)) return;
    overMember(reading, place);
    if (reading.isAt(',')) reading.at++;
  }
}

// ── Hooks as values ──────────────────────────────────────────────────────────────────────────────────────────────────

function withHooks(reading: Reading): Reading {
  reading.overHook = (beforeSelection) => overHookValue(reading, beforeSelection);
  return reading;
}

/** Reads `hook { … }`. Before a selection it may be a hook, or a member called `hook` with a selection. */
function overHookValue(reading: Reading, beforeSelection: boolean): boolean {
  reading.at++;
  if (beforeSelection && !wouldFit(reading, 'hook') && wouldFit(reading, 'selection')) return true;
  return overBlock(reading, 'hook', 'the `hook`') === 'done';
}

/** Reads a block ahead. The result is memoized, because there may be more to try inside it. */
function wouldFit(reading: Reading, place: PlaceName): boolean {
  const key = `${place} ${reading.at}`;
  const known = reading.trials.get(key);
  if (known !== undefined) return known;
  const trial = reading.trial();
  const fits = overBlock(withHooks(trial), place, '') === 'done' && !trial.hasMistakes;
  reading.trials.set(key, fits);
  return fits;
}

// ── Completion ───────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Finds what could be written next, behind a text that breaks off: the forms of the open block, the rest of a form that
 * has begun, or the rest of a value. The text is that of a declaration, from its beginning; it may have mistakes.
 */
export function expectedBehind(text: string): Expectation {
  // A block that is open at the end is not missing a brace.
  const braces = { ...bracesAsWritten(tokenize(text).tokens), unclosed: 0 };
  const reading = new Reading({ path: '', text }, braces);
  reading.looksForHabits = false;
  recognise(reading);
  return { ...reading.expected, isStep: reading.isBehindDot };
}
