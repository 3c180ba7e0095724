/** Finds what could be written next, behind a text that breaks off, while the text is read; see `Reading`. */
import type { PlaceName } from './forms.ts';
import { firstShapes, isOptional, type ReadForm, type Shape } from './shapes.ts';

export interface Expectation {
  /** A form of this place could begin. */
  readonly place?: PlaceName | undefined;
  readonly begun?: BegunForm;
  /** Whether a value could begin, or the existing value could continue with an operator. */
  readonly value?: 'operand' | 'operator';
  /** Whether the place is directly behind the dot of a path. */
  readonly isStep?: boolean;
}

/** A form that has begun, and its place. */
interface BegunForm {
  readonly form: ReadForm;
  readonly place: PlaceName | undefined;
  /** The shapes that may come next. */
  readonly next: readonly Shape[];
  /** The least text that must follow behind that. */
  readonly least: string;
}

/** The text ends before `rest` of a form. */
export function breaksOffBefore(form: ReadForm, place: PlaceName | undefined, rest: readonly Shape[]): Expectation {
  const [first, ...others] = rest;
  const [, ...within] = (first?.kind === 'choice' && first.choices.find((choice) => choice.length > 0)) || [];
  const begun = { form, place, next: firstShapes(rest), least: leastOf([...within, ...others]) };
  return { begun, place: rest.every(isOptional) ? place : undefined };
}

/** The text ends within a path of a form, so only the next step of the path can be written. */
export function breaksOffInPath(form: ReadForm, place: PlaceName | undefined, after: readonly Shape[]): Expectation {
  return { begun: { form, place, next: [], least: leastOf(after) } };
}

const LEAST: Readonly<Record<Exclude<Shape['kind'], 'word' | 'sign' | 'choice'>, string>> = {
  name: 'x',
  shape: 'X',
  caller: '@auth',
  path: 'x',
  record: 'x',
  text: '""',
  number: '1',
  value: 'null',
  parameters: '(x of X)',
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
