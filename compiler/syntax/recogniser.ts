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
import { goToNextMember, misfit, passOver, type Remedy } from './misfits.ts';
import { overName, overNumber, overPath } from './names.ts';
import { type Frame, frameWithoutBrace, Reading } from './reading.ts';
import type { Shape } from './shapes.ts';
import { tokenize } from './tokens.ts';
import { endsValueBlock, reportedListing } from './value-mistakes.ts';
import { ValueReader } from './values.ts';

/**
 * Reads a text by the forms, and knows at each place what would have fitted. It reports nothing itself: the files for
 * each kind of mistake report what does not fit, and decide how to continue.
 */
export class Recogniser {
  readonly #reading: Reading;
  readonly #values: ValueReader;
  /** The results of reading ahead: whether each trial fitted. */
  readonly #trials: Map<string, boolean>;

  constructor(reading: Reading, trials = new Map<string, boolean>()) {
    this.#reading = reading;
    this.#trials = trials;
    this.#values = new ValueReader(reading, (beforeSelection) => this.#hookValue(beforeSelection));
  }

  file(): void {
    const reading = this.#reading;
    for (;;) {
      this.#members('file');
      if (reading.isAtEnd()) return;
      needlessBrace(reading);
    }
  }

  // ── Members ───────────────────────────────────────────────────────────────────────────────────────────────────────

  #members(place: PlaceName): void {
    const reading = this.#reading;
    const level = reading.frames.length;
    while (!this.#endsBlock()) {
      const before = reading.at;
      const mended = reading.readAs.size;
      this.#member(place);
      if (reading.leaving !== undefined && reading.leaving < level) return;
      if (!reading.isLeaving && place !== 'file' && reading.isAt(',')) reading.at++;
      reading.leaving = undefined;
      // The reader must always move on, even after a mistake of its own.
      if (reading.at === before && reading.readAs.size === mended) reading.at++;
    }
    reading.mayGoOn({ place });
  }

  #endsBlock(): boolean {
    const reading = this.#reading;
    for (;;) {
      if (reading.ledger.isVoid(reading.token)) reading.at++;
      else if (reading.ledger.isNeedless(reading.token)) needlessBrace(reading);
      else return reading.isAt('}') || reading.isAtEnd();
    }
  }

  #member(place: PlaceName): void {
    const reading = this.#reading;
    const first = reading.token;
    if (reportedHabit(reading, HABITS[place]) === 'over') return;
    const form = reading.formAt(place);
    if (!form) this.#remedy(misfit(reading, place), place);
    else if (!this.#form({ form: asBegun(reading, form), first: reading.at })) goToNextMember(reading, place, first);
  }

  #remedy(remedy: Remedy, place: PlaceName): void {
    if (remedy.kind === 'pass-over') passOver(this.#reading, place);
    if (remedy.kind === 'reopen') this.#inFrame(remedy.frame, () => this.#members(remedy.frame.place));
    if (remedy.kind === 'read-as') this.#membersOf(remedy.places, place);
  }

  /** Reads members of other places, as long as they do not fit at their own. */
  #membersOf(places: readonly PlaceName[], place: PlaceName): void {
    const reading = this.#reading;
    let fitting = places[0];
    while (fitting && !reading.isLeaving) {
      reading.frames.push(frameWithoutBrace(fitting));
      this.#member(fitting);
      if (reading.isAt(',')) reading.at++;
      reading.frames.pop();
      fitting = reading.fitsForm(place) ? undefined : places.find((name) => reading.fitsForm(name));
    }
    if (!reading.isLeaving) swallowCloser(reading);
  }

  // ── Forms ─────────────────────────────────────────────────────────────────────────────────────────────────────────

  #form(run: Run): boolean {
    const reading = this.#reading;
    let rest = run.form.shapes;
    while (rest.length > 0) {
      if (reading.isAtEnd()) reading.mayGoOn(breaksOffBefore(run.form, reading.place, rest));
      const [shape, ...after] = reading.resolved(rest);
      if (!shape) return true;
      const outcome = this.#shape(shape, { ...run, rest, after });
      if (outcome === 'lost') return false;
      if (outcome === 'done') rest = after;
    }
    return true;
  }

  #shape(shape: Shape, step: Step): Outcome {
    const reading = this.#reading;
    if (shape.kind === 'choice') return 'lost';
    const end = reading.over(shape, reading.at);
    if (end === undefined) {
      const outcome = mistaken(reading, shape, step);
      return outcome === 'without-brace' ? this.#withoutBrace(shape) : outcome;
    }
    switch (shape.kind) {
      case 'block':
        return this.#block(shape.place, titleOf(reading, step));
      case 'value-block':
        return this.#valueBlock(titleOf(reading, step));
      case 'empty-block':
        return this.#emptyBlock(step);
      case 'value':
        return this.#values.overValue(reading.place === 'selection') ? 'done' : 'lost';
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

  // ── Blocks ────────────────────────────────────────────────────────────────────────────────────────────────────────

  #block(place: PlaceName, title: string): Outcome {
    return this.#inBraces({ place, title }, () => this.#members(place));
  }

  #valueBlock(title: string): Outcome {
    const reading = this.#reading;
    return this.#inBraces({ place: undefined, title }, ({ open, openAt }) => {
      if (reading.isAt('}')) reading.report('empty-block', { title }, open, reading.token);
      else if (!this.#overConditions(title) || !endsValueBlock(reading)) this.#skipToEndOf(openAt);
    });
  }

  /** Reads conditions, which `and` joins, where other languages list them. */
  #overConditions(title: string): boolean {
    let isSound = this.#values.overValue();
    while (isSound && reportedListing(this.#reading, title)) isSound = this.#values.overValue();
    return isSound;
  }

  #emptyBlock(step: Step): Outcome {
    const reading = this.#reading;
    const title = titleOf(reading, step);
    return this.#inBraces({ place: undefined, title }, ({ openAt }) => {
      if (reading.isAt('}') || reading.isAtEnd()) return;
      reading.reportUnexpected(`into ${title}`, { label: 'leave its braces empty', form: step.form });
      this.#skipToEndOf(openAt);
    });
  }

  #inBraces(block: Pick<Frame, 'place' | 'title'>, read: (frame: Frame) => void): Outcome {
    const reading = this.#reading;
    if (reading.isTooDeep) {
      reading.passOverDepth();
      return 'done';
    }
    const frame: Frame = { ...block, open: reading.token, openAt: reading.at };
    reading.at++;
    return this.#inFrame(frame, read);
  }

  #inFrame(frame: Frame, read: (frame: Frame) => void): Outcome {
    const reading = this.#reading;
    reading.depth++;
    reading.frames.push(frame);
    read(frame);
    const outcome = this.#close(frame);
    reading.frames.pop();
    reading.depth--;
    return outcome;
  }

  #close(frame: Frame): Outcome {
    const reading = this.#reading;
    reading.mayGoOn({});
    if (!reading.isLeaving && reading.isAtEnd()) leaveTo(reading, 0);
    if (reading.isLeaving) return 'lost';
    if (reading.braces.assumed.has(reading.token)) reportAssumedCloser(reading);
    else reading.lastClosed = { frame, closer: reading.at };
    reading.at++;
    return 'done';
  }

  #skipToEndOf(open: number): void {
    const reading = this.#reading;
    const partner = reading.braces.partner.get(open);
    if (reading.isLeaving) return;
    if (partner !== undefined && partner >= reading.at) reading.at = partner;
    else while (!reading.isAt('}') && !reading.isAtEnd() && ownerOf(reading, reading.at) === undefined) reading.skip();
    leavesForOwner(reading);
  }

  #withoutBrace(shape: Shape): Outcome {
    const reading = this.#reading;
    const place = shape.kind === 'block' ? shape.place : undefined;
    const first = reading.at;
    reading.frames.push(frameWithoutBrace(place));
    if (place) this.#membersWithoutBrace(place);
    else this.#values.overValue();
    reading.frames.pop();
    if (reading.isLeaving) return 'lost';
    if (!swallowCloser(reading)) addClosingBrace(reading, first);
    return 'done';
  }

  #membersWithoutBrace(place: PlaceName): void {
    const reading = this.#reading;
    while (!reading.isLeaving && reading.fitsForm(place)) {
      if (reading.ledger.unopened <= 0 && reading.token.startsLine) return;
      this.#member(place);
      if (reading.isAt(',')) reading.at++;
    }
  }

  // ── Hooks as values ───────────────────────────────────────────────────────────────────────────────────────────────

  /** Reads `hook { … }`. Before a selection it may be a hook, or a member called `hook` with a selection. */
  #hookValue(beforeSelection: boolean): boolean {
    this.#reading.at++;
    if (beforeSelection && !this.#wouldFit('hook') && this.#wouldFit('selection')) return true;
    return this.#block('hook', 'the `hook`') === 'done';
  }

  /** Reads a block ahead. The result is memoized, because there may be more to try inside it. */
  #wouldFit(place: PlaceName): boolean {
    const key = `${place} ${this.#reading.at}`;
    const known = this.#trials.get(key);
    if (known !== undefined) return known;
    const trial = this.#reading.trial();
    const fits = new Recogniser(trial, this.#trials).#block(place, '') === 'done' && !trial.hasMistakes;
    this.#trials.set(key, fits);
    return fits;
  }
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
  new Recogniser(reading).file();
  return { ...reading.expected, isStep: reading.isBehindDot };
}
