/** Reads the notation of the forms: the parts of a form in their order, and the forms that a word begins. */
import { memoized } from '../definition/memo.ts';
import { type Form, type Place, type PlaceName, places } from './forms.ts';

export type Shape =
  | { readonly kind: 'word' | 'sign'; readonly text: string }
  | {
      readonly kind:
        | 'name'
        | 'caller'
        | 'shape'
        | 'path'
        | 'record'
        | 'text'
        | 'number'
        | 'value'
        | 'parameters'
        | 'value-block'
        | 'empty-block';
    }
  | { readonly kind: 'block'; readonly place: PlaceName }
  | { readonly kind: 'choice'; readonly choices: readonly (readonly Shape[])[] };

export interface ReadForm extends Form {
  readonly shapes: readonly Shape[];
}

const NAME: Shape = { kind: 'name' };

const sign = (text: string): Shape => ({ kind: 'sign', text });
const SIZED: readonly Shape[] = [NAME, sign('('), { kind: 'number' }, sign(','), { kind: 'number' }, sign(')')];

const AND: Shape = { kind: 'word', text: 'and' };
/** As many names as there are days in a week. */
const UNITS = Array.from({ length: 6 }).reduce<readonly Shape[]>(
  (more) => [NAME, { kind: 'choice', choices: [[AND, ...more], []] }],
  [NAME],
);

const PLACEHOLDERS: Readonly<Record<string, Shape>> = {
  NAME,
  TYPE: { kind: 'choice', choices: [[NAME], SIZED, [sign('['), NAME, sign(']')], [sign('['), ...SIZED, sign(']')]] },
  SHAPE: { kind: 'shape' },
  '@auth': { kind: 'caller' },
  PATH: { kind: 'path' },
  RECORD: { kind: 'record' },
  STRING: { kind: 'text' },
  INTEGER: { kind: 'number' },
  EXPRESSION: { kind: 'value' },
  PARAMETERS: { kind: 'parameters' },
  UNITS: { kind: 'choice', choices: [UNITS] },
};

function shapesFrom(notation: string): readonly Shape[] {
  const parts = notation.match(/@?[\w-]+|\.{3}|\S/g) ?? [];
  const [shapes] = alternatives();
  if (parts.length > 0) throw new Error(`form: \`${notation}\` goes on after its end`);
  return shapes as readonly Shape[];

  function alternatives(): Shape[][] {
    const found = [sequence()];
    while (parts[0] === '|') {
      parts.shift();
      found.push(sequence());
    }
    return found;
  }

  function sequence(): Shape[] {
    const shapes: Shape[] = [];
    while (parts[0] && !'|])'.includes(parts[0])) shapes.push(shapeFrom(parts.shift() as string));
    return shapes;
  }

  function shapeFrom(part: string): Shape {
    if (part === '(') return { kind: 'choice', choices: closed(alternatives(), ')') };
    if (part === '[') return { kind: 'choice', choices: [...closed(alternatives(), ']'), []] };
    if (part === '{') return blockFrom();
    return PLACEHOLDERS[part] ?? { kind: /\w/.test(part) ? 'word' : 'sign', text: part };
  }

  function blockFrom(): Shape {
    const place = parts.shift();
    if (place === '}') return { kind: 'empty-block' };
    if (place === 'EXPRESSION') return closed({ kind: 'value-block' }, '}');
    if (!place || !(place in places)) throw new Error(`form: \`${notation}\` names no place`);
    return closed({ kind: 'block', place: place as PlaceName }, '}');
  }

  function closed<T>(read: T, sign: string): T {
    if (parts.shift() !== sign) throw new Error(`form: \`${notation}\` lacks its \`${sign}\``);
    return read;
  }
}

const readForms = new Map<string, readonly ReadForm[]>(
  Object.entries(places).map(([name, place]: [string, Place]) => [name, place.forms.map(readForm)]),
);

function readForm(form: Form): ReadForm {
  return { ...form, shapes: shapesFrom(form.shape) };
}

export function formsOf(place: PlaceName): readonly ReadForm[] {
  return readForms.get(place) ?? [];
}

/** The shapes that may come next. */
export function firstShapes(shapes: readonly Shape[]): readonly Shape[] {
  const [first, ...rest] = shapes;
  if (first?.kind !== 'choice') return first ? [first] : [];
  return first.choices.flatMap((choice) => firstShapes(choice.length > 0 ? choice : rest));
}

/** The next shapes that are words: an editor can offer them. */
export function firstWords(shapes: readonly Shape[]): readonly string[] {
  return firstShapes(shapes).flatMap((shape) => (shape.kind === 'word' ? [shape.text] : []));
}

/** The same as the author would write them: `set null` rather than `set`. */
export function firstPhrases(shapes: readonly Shape[]): readonly string[] {
  const [first, ...rest] = shapes;
  if (first?.kind === 'choice')
    return first.choices.flatMap((choice) => firstPhrases(choice.length > 0 ? choice : rest));
  const end = shapes.findIndex((shape) => shape.kind !== 'word');
  const words = shapes.slice(0, end < 0 ? undefined : end).flatMap((shape) => ('text' in shape ? [shape.text] : []));
  return words.length > 0 ? [words.join(' ')] : [];
}

const wordsOf = memoized((forms: readonly ReadForm[]) => forms.flatMap(({ shapes }) => firstWords(shapes)));

/** The words with which the forms of a place begin. */
export function wordsFor(place: PlaceName): readonly string[] {
  return wordsOf(formsOf(place));
}

/** The places in which a form begins with this word. */
export function placesOf(word: string): readonly PlaceName[] {
  return (Object.keys(places) as PlaceName[]).filter((name) => wordsFor(name).includes(word));
}

export function isBlock(shape: Shape): boolean {
  return shape.kind === 'block' || shape.kind === 'value-block' || shape.kind === 'empty-block';
}

export function isOptional(shape: Shape): boolean {
  return shape.kind === 'choice' && shape.choices.some((choice) => choice.length === 0);
}
