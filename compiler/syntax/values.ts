import { dropsBrace, dropsCloser, needlessSign } from './brace-mistakes.ts';
import { CLOSER } from './braces.ts';
import { HABITS } from './habit-texts.ts';
import { reportedHabit } from './habits.ts';
import { noteName, overNumber, overPath } from './names.ts';
import { isOperatorWithoutValue, overOperator, reportForeign } from './operators.ts';
import type { Reading } from './reading.ts';
import { missingValue, reportAfterValue } from './value-mistakes.ts';

const LITERALS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** Reads the block of a `hook` that is a value. False if the rest of the value makes no sense. */
export type OverHook = (beforeSelection: boolean) => boolean;

/** Reads values joined by operators; their precedence does not matter here. */
export class ValueReader {
  readonly #reading: Reading;
  readonly #overHook: OverHook;

  /** `overHook` is passed in, because it reads values too. */
  constructor(reading: Reading, overHook: OverHook) {
    this.#reading = reading;
    this.#overHook = overHook;
  }

  /** Reads a value. False if the rest makes no sense. */
  overValue(beforeSelection = false): boolean {
    const reading = this.#reading;
    const { asked } = reading;
    reading.asked = 0;
    let fine = reportedHabit(reading, HABITS['whole-value']) === 'over' || this.#operand(beforeSelection);
    while (fine && overOperator(reading)) fine = this.#operand(beforeSelection);
    reading.mayGoOn({ value: 'operator' });
    reading.asked = asked;
    return fine && !reading.isLeaving;
  }

  #operand(beforeSelection: boolean): boolean {
    const reading = this.#reading;
    while (this.#prefix()) reading.at++;
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
        return this.#called();
      case 'word':
        return this.#word(beforeSelection);
      default:
        return this.#bracketed();
    }
  }

  #prefix(): boolean {
    const reading = this.#reading;
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

  #word(beforeSelection: boolean): boolean {
    const reading = this.#reading;
    const word = reading.wordAt(reading.at) as string;
    const next = reading.at + 1;
    if (word === 'hook' && reading.isAt('{', next)) return this.#overHook(beforeSelection);
    if (isOperatorWithoutValue(reading)) return this.#withoutValue(beforeSelection);
    if (LITERALS.has(word) && !reading.isAt('.', next)) {
      reading.at++;
      return true;
    }
    return this.#called();
  }

  #called(): boolean {
    this.#path();
    return this.#reading.isAt('(') ? this.#list() : true;
  }

  /** `a and and b` has a word too many; in `a and or b` a value is missing. */
  #withoutValue(beforeSelection: boolean): boolean {
    const reading = this.#reading;
    if (reading.token.text !== reading.tokenAt(reading.at - 1).text) return missingValue(reading);
    needlessSign(reading);
    return this.#operand(beforeSelection);
  }

  #path(): void {
    overPath(this.#reading);
    if (this.#reading.isBehindDot) this.#reading.mayGoOn({ value: 'operand' });
  }

  #bracketed(): boolean {
    const reading = this.#reading;
    if (reading.isAt('[')) return this.#list();
    if (reading.beginsObject() || this.#isEmptyObject()) return this.#object();
    if (reading.isAt('(')) return this.#within((open) => this.overValue() && this.#endsBracket(open, false));
    return missingValue(reading);
  }

  /** Reads values between brackets with commas between them: a list, or the arguments of a call. */
  #list(): boolean {
    const reading = this.#reading;
    const close = CLOSER[reading.token.text] as string;
    return this.#within((open) => {
      while (!reading.isAt(close)) {
        if (!this.overValue()) return false;
        if (!reading.isAt(',')) return this.#endsBracket(open, true);
        reading.at++;
      }
      return true;
    });
  }

  #isEmptyObject(): boolean {
    return this.#reading.isAt('{') && this.#reading.isAt('}', this.#reading.at + 1);
  }

  /** `{ name: value, … }`: commas between the members may be left out. */
  #object(): boolean {
    const reading = this.#reading;
    return this.#within((open) => {
      while (!reading.isAt('}')) {
        if (reading.isAtEnd()) return this.#endsBracket(open, true);
        if (!this.#member()) return false;
        if (reading.isAt(',')) reading.at++;
      }
      return true;
    });
  }

  #member(): boolean {
    const reading = this.#reading;
    const { kind } = reading.token;
    const isNamed = (kind === 'word' || kind === 'text') && reading.isAt(':', reading.at + 1);
    if (!isNamed) {
      reading.reportUnexpected('into an object', { label: 'its members are `name: value`' });
      return false;
    }
    if (kind === 'word') noteName(reading, reading.at);
    reading.at += 2;
    return this.overValue();
  }

  /** Reads the content of brackets, and continues behind them whatever it was. */
  #within(read: (open: number) => boolean): boolean {
    const reading = this.#reading;
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
    return fine || this.#skipBehind(open);
  }

  #skipBehind(open: number): boolean {
    const partner = this.#reading.braces.partner.get(open);
    if (partner !== undefined) this.#reading.at = partner + 1;
    return partner !== undefined;
  }

  #endsBracket(open: number, inList: boolean): boolean {
    const reading = this.#reading;
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
}
