/** Texts for fields, from their names and what their validators ask for. */
import { type Candidate, choicesOf, type FreeNumbers, type Open } from './candidates.ts';
import type { Constraints } from './constraints.ts';
import { scatteredUuids } from './numbered-uuid.ts';
import { type NumberedTexts, textsOfPattern } from './pattern-texts.ts';
import type { Random } from './random.ts';
import type { Shape, ShapeName, Shapes } from './shapes.ts';

/** What is tried where neither the name nor the validators led to a text that is accepted. */
const FALLBACKS: readonly ShapeName[] = [
  'words',
  'lowerWords',
  'slug',
  'compact',
  'code',
  'upper',
  'digits',
  'paragraph',
  'email',
  'url',
];

interface TextSources {
  readonly shapes: Shapes;
  readonly random: Random;
  /** Tells the UUIDs of one column from those of another. */
  readonly seed: string;
}

export function texts(name: ShapeName, constraints: Constraints, sources: TextSources): readonly Candidate[] {
  const { choices, form, pattern } = constraints;
  if (choices) return [choicesOf(choices)];
  if (form === 'uuid') return [uuids(sources)];
  const first = form ? SHAPES_OF_FORMS[form](name) : name;
  const shaped = [...new Set([first, ...FALLBACKS])].map((shape) => fitting(sources.shapes[shape], constraints));
  const matching = pattern === undefined ? null : textsOfPattern(pattern);
  const [best, ...others] = shaped;
  return [...(best ? [best] : []), ...(matching ? [ofPattern(matching, sources.random)] : []), ...others];
}

const COMPACT: readonly ShapeName[] = ['compact', 'userName', 'token', 'upper', 'digits', 'currency', 'countryCode'];

const SHAPES_OF_FORMS: Readonly<Record<'email' | 'url' | 'alphanumeric', (name: ShapeName) => ShapeName>> = {
  email: () => 'email',
  url: (name) => (name === 'image' ? 'image' : 'url'),
  alphanumeric: (name) => (COMPACT.includes(name) ? name : 'compact'),
};

export function uuids({ random, seed }: Pick<TextSources, 'random' | 'seed'>): Open {
  const at = scatteredUuids(seed);
  return { kind: 'open', any: () => at(random.below(2 ** 48)), numbered: at, free: NO_MATTER };
}

/** No row that is there has one of these but by chance. */
const NO_MATTER: FreeNumbers = { sql: () => 'NULL', after: () => 1 };

/** The last number in each text says which numbers are taken. */
const LAST_NUMBER: FreeNumbers = {
  sql: (column) => `max(substring(${column} FROM '(\\d{1,15})\\D*$')::bigint)`,
  after: (found) => found + 1,
};

function fitting(shape: Shape, { shortest = 0, longest = Number.POSITIVE_INFINITY }: Constraints): Open {
  const text = (number: number | null) => fitted(shape, number, shortest, longest);
  return { kind: 'open', any: () => text(null), numbered: text, free: LAST_NUMBER };
}

function fitted(shape: Shape, number: number | null, shortest: number, longest: number): string {
  let words = shape.word();
  let text = shape.build(words, number);
  while (text.length < shortest) {
    words += shape.glue + shape.word();
    text = shape.build(words, number);
  }
  if (text.length <= longest) return text;
  const cut = words.slice(0, Math.max(0, words.length - (text.length - longest))).replace(/[^\p{L}\p{N}]+$/u, '');
  const shorter = shape.build(cut, number);
  // What fell away with the last word is made up with single letters.
  return shorter.length < shortest ? shape.build(cut + 'x'.repeat(shortest - shorter.length), number) : shorter;
}

/** Steps through all texts in an order that looks like none. */
function ofPattern({ size, at }: NumberedTexts, random: Random): Open {
  const step = stepThrough(size);
  return {
    kind: 'open',
    any: () => at(random.below(size)),
    numbered: (number) => at(Number((BigInt(number) * BigInt(step)) % BigInt(size))),
    free: null,
  };
}

/** Near the golden section, and without a common divisor. */
export function stepThrough(size: number): number {
  let step = Math.max(1, Math.floor(size * 0.618));
  while (commonDivisor(step, size) !== 1) step--;
  return step;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}
