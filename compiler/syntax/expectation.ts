/**
 * What could be written next, behind a text that breaks off: the forms of the block that is open there, the rest of a form
 * that has begun, or the rest of a value. What does not fit before is passed over, for there may be an answer all the same.
 */
import { bracesAsWritten, CLOSER } from './braces.ts';
import type { PlaceName } from './forms.ts';
import { Reading } from './reading.ts';
import { firstShapes, isOptional, type ReadForm, type Shape } from './shapes.ts';
import { tokenize } from './tokens.ts';

export interface Expectation {
  /** A form of this place could begin. */
  readonly place: PlaceName | undefined;
  readonly begun: BegunForm | undefined;
  /** A value could begin, or the value that is there could go on with an operator. */
  readonly value: 'operand' | 'operator' | undefined;
  /** Directly behind the dot of a path. */
  readonly isStep: boolean;
}

/** A form that has begun, and where it stands. */
interface BegunForm {
  readonly form: ReadForm;
  readonly place: PlaceName;
  /** What may come next. */
  readonly next: readonly Shape[];
  /** The least that must follow behind that. */
  readonly least: string;
}

/** The text is that of a declaration, from its beginning. */
export function expectedBehind(text: string): Expectation {
  const { tokens } = tokenize(text);
  return new Foresight(new Reading({ path: '', text }, bracesAsWritten(tokens))).look();
}

type Way = 'done' | 'lost' | 'end';

const OPERATOR_SIGNS: ReadonlySet<string> = new Set('< <= > >= + - * / %'.split(' '));
const OPERATOR_WORDS: ReadonlySet<string> = new Set('or and is in'.split(' '));

class Foresight {
  readonly #reading: Reading;
  #place: Expectation['place'];
  #begun: Expectation['begun'];
  #value: Expectation['value'];

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  look(): Expectation {
    const reading = this.#reading;
    while (this.#members('file') !== 'end') reading.at++;
    const isStep = reading.isAt('.', reading.at - 1);
    return { place: this.#place, begun: this.#begun, value: this.#value, isStep };
  }

  /** Up to the `}` of the block, or to the end of the text. */
  #members(place: PlaceName): Way {
    const reading = this.#reading;
    while (!reading.isAtEnd()) {
      if (reading.isAt('}')) return 'done';
      const form = reading.isAt(',') ? undefined : reading.formAt(place);
      if (!form) reading.skip();
      else if (this.#form(form, place) === 'end') return 'end';
    }
    this.#place = place;
    return 'end';
  }

  #form(form: ReadForm, place: PlaceName): Way {
    const reading = this.#reading;
    let rest = form.shapes;
    while (rest.length > 0) {
      if (reading.isAtEnd()) return this.#breaksOff(form, place, rest);
      const [shape, ...after] = reading.resolved(rest);
      rest = after;
      if (!shape || shape.kind === 'choice') continue;
      const way = this.#shape(shape);
      if (way === 'end' && (shape.kind === 'path' || shape.kind === 'record'))
        this.#begun = unfinished(form, place, rest);
      if (way !== 'done') return way;
      this.#value = reading.isAtEnd() ? this.#value : undefined;
    }
    return 'done';
  }

  #breaksOff(form: ReadForm, place: PlaceName, rest: readonly Shape[]): Way {
    this.#begun = { form, place, next: firstShapes(rest), least: leastOf(rest.slice(1)) };
    if (rest.every(isOptional)) this.#place = place;
    return 'end';
  }

  #shape(shape: Exclude<Shape, { kind: 'choice' }>): Way {
    const reading = this.#reading;
    if (shape.kind === 'value') return this.#overValue();
    const end = reading.over(shape, reading.at);
    if (end === undefined) return 'lost';
    reading.at = end;
    switch (shape.kind) {
      case 'block':
        return this.#closed(this.#members(shape.place));
      case 'value-block':
        return this.#closed(this.#overValue());
      case 'empty-block':
        return this.#closed(reading.isAtEnd() ? 'end' : 'done');
      case 'path':
      case 'record':
        return reading.isAtEnd() && reading.isAt('.', end - 1) ? 'end' : 'done';
      default:
        return 'done';
    }
  }

  #closed(way: Way): Way {
    const reading = this.#reading;
    if (way === 'end' || reading.isAtEnd()) return 'end';
    while (!reading.isAt('}') && !reading.isAtEnd()) reading.skip();
    reading.at++;
    return 'done';
  }

  // ── Values ────────────────────────────────────────────────────────────────────────────────────────────────────────

  #overValue(): Way {
    for (;;) {
      const way = this.#operand();
      if (way !== 'done') return way;
      if (this.#reading.isAtEnd()) this.#value = 'operator';
      if (!this.#overOperator()) return 'done';
    }
  }

  #overOperator(): boolean {
    const reading = this.#reading;
    const word = reading.wordAt(reading.at);
    const isNotIn = word === 'not' && reading.wordAt(reading.at + 1) === 'in';
    const isOperator = reading.token.kind === 'sign' && OPERATOR_SIGNS.has(reading.token.text);
    if (isNotIn) reading.at += 2;
    else if (isOperator || (word && OPERATOR_WORDS.has(word))) reading.at++;
    else return false;
    return true;
  }

  #operand(): Way {
    const reading = this.#reading;
    while (reading.wordAt(reading.at) === 'not' || reading.isAt('-')) reading.at++;
    if (reading.isAtEnd()) {
      this.#value = 'operand';
      return 'end';
    }
    switch (reading.token.kind) {
      case 'word':
        return this.#word();
      case 'sign':
        return reading.isAt('(') || reading.isAt('[') ? this.#list() : 'lost';
      case 'at-word':
        return this.#steps();
      default:
        reading.at++;
        return 'done';
    }
  }

  #word(): Way {
    const reading = this.#reading;
    if (reading.wordAt(reading.at) === 'hook' && reading.isAt('{', reading.at + 1)) {
      reading.at += 2;
      return this.#closed(this.#members('hook'));
    }
    const way = this.#steps();
    return way === 'done' && reading.isAt('(') ? this.#list() : way;
  }

  #steps(): Way {
    const reading = this.#reading;
    reading.at++;
    while (reading.isAt('.')) {
      reading.at++;
      if (reading.isAtEnd()) {
        this.#value = 'operand';
        return 'end';
      }
      if (reading.token.kind === 'word') reading.at++;
    }
    return 'done';
  }

  #list(): Way {
    const reading = this.#reading;
    const closer = CLOSER[reading.token.text] as string;
    reading.at++;
    while (!reading.isAt(closer)) {
      const way = this.#overValue();
      if (way !== 'done') return way;
      if (reading.isAtEnd()) return 'end';
      if (reading.isAt(',')) reading.at++;
      else if (!reading.isAt(closer)) return 'lost';
    }
    reading.at++;
    return 'done';
  }
}

/** A form that breaks off within a path, of which only the next step is to be written. */
function unfinished(form: ReadForm, place: PlaceName, rest: readonly Shape[]): BegunForm {
  return { form, place, next: [], least: leastOf(rest) };
}

const LEAST: Readonly<Record<Exclude<Shape['kind'], 'word' | 'sign' | 'choice'>, string>> = {
  name: 'x',
  path: 'x',
  record: 'x',
  text: '""',
  number: '1',
  value: 'null',
  'value-block': '{ null }',
  'empty-block': '{}',
  block: '{}',
};

/** The shortest text that has these shapes. */
function leastOf(shapes: readonly Shape[]): string {
  const parts = shapes.map((shape) => {
    if (shape.kind === 'choice') return isOptional(shape) ? '' : leastOf(shape.choices[0] ?? []);
    return 'text' in shape ? shape.text : LEAST[shape.kind];
  });
  return parts.filter((part) => part !== '').join(' ');
}
