/** Texts for fields, from their names and what their validators ask for. */

import type { Faker } from '@faker-js/faker';
import { once } from '../../compiler/definition/memo.ts';
import type { Candidate, FreeNumbers, Open } from './candidates.ts';
import type { Constraints } from './constraints.ts';
import { type NumberedTexts, textsOfPattern } from './pattern-texts.ts';
import { pick, type Random, scatteredUuids } from './random.ts';

/** The shapes to try where neither the name nor the validators led to an accepted text. */
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
  const { form, pattern } = constraints;
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
  // Single letters replace what was cut off with the last word.
  return shorter.length < shortest ? shape.build(cut + 'x'.repeat(shortest - shorter.length), number) : shorter;
}

/** Steps through all texts in an order that looks random. */
function ofPattern({ size, at }: NumberedTexts, random: Random): Open {
  const step = stepThrough(size);
  return {
    kind: 'open',
    any: () => at(random.below(size)),
    numbered: (number) => at(Number((BigInt(number) * BigInt(step)) % BigInt(size))),
    free: null,
  };
}

/** A step near the golden section that has no common divisor with the size. */
export function stepThrough(size: number): number {
  let step = Math.max(1, Math.floor(size * 0.618));
  while (commonDivisor(step, size) !== 1) step--;
  return step;
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

// ── Shapes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// Texts that look like what a field's name says: words of Faker, drawn once, and how a number makes each of them
// another.

/** How a text is put together, so that it can be made longer or shorter without losing its form. */
export interface Shape {
  readonly word: () => string;
  /** The text between words, where one is not enough. */
  readonly glue: string;
  /** The number is null where the text need not be the only one of its kind. */
  readonly build: (words: string, number: number | null) => string;
}

export type ShapeName = keyof ReturnType<typeof shapesFrom>;
export type Shapes = Readonly<Record<ShapeName, Shape>>;

const DRAWN = 256;

export function shapesFrom(faker: Faker, random: Random) {
  const words = (draw: () => string) => {
    const drawn = once(() => Array.from({ length: DRAWN }, draw));
    return () => pick(drawn(), random);
  };
  const text = (draw: () => string) => shape(words(draw), ' ', spaced);
  const dashed = (draw: () => string) => shape(words(draw), '-', joinedBy('-'));
  const tight = (draw: () => string) => shape(words(draw), '', joinedBy(''));
  const dotted = (draw: () => string, build = joinedBy('.')) => shape(words(draw), '.', build);
  const slug = () => faker.helpers.slugify(faker.lorem.words(2)).toLowerCase();
  const letters = (count: number) => faker.string.alpha({ length: count, casing: 'upper' });
  return {
    person: text(() => faker.person.fullName()),
    firstName: text(() => faker.person.firstName()),
    lastName: text(() => faker.person.lastName()),
    jobTitle: text(() => faker.person.jobTitle()),
    company: text(() => faker.company.name()),
    product: text(() => faker.commerce.productName()),
    department: text(() => faker.commerce.department()),
    color: text(() => faker.color.human()),
    city: text(() => faker.location.city()),
    country: text(() => faker.location.country()),
    countryCode: tight(() => faker.location.countryCode()),
    street: text(() => faker.location.streetAddress()),
    region: text(() => faker.location.state()),
    postcode: dashed(() => faker.location.zipCode()),
    phone: text(() => faker.phone.number({ style: 'international' })),
    currency: tight(() => faker.finance.currencyCode()),
    language: tight(() => faker.helpers.arrayElement(['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'])),
    timeZone: text(() => faker.location.timeZone()),
    title: text(() => capitalised(faker.lorem.words({ min: 3, max: 6 }))),
    sentence: text(() => faker.lorem.sentence()),
    paragraph: text(() => faker.lorem.paragraph()),
    words: text(() => capitalised(faker.lorem.words(2))),
    lowerWords: text(() => faker.lorem.words(2)),
    slug: dashed(slug),
    userName: tight(() =>
      faker.internet
        .username()
        .toLowerCase()
        .replace(/[^a-z]/g, ''),
    ),
    compact: tight(() => faker.lorem.word()),
    upper: tight(() => letters(4)),
    code: dashed(() => letters(3)),
    digits: shape(
      words(() => faker.string.numeric({ length: 6, allowLeadingZeros: false })),
      '',
      digitsOf,
    ),
    token: tight(() => faker.string.alphanumeric(24)),
    ip: text(() => faker.internet.ipv4()),
    userAgent: text(() => faker.internet.userAgent()),
    version: dotted(() => faker.system.semver()),
    email: dotted(() => emailName(faker), emailOf),
    domain: shape(words(slug), '-', (name, number) => `${joinedBy('-')(name, number)}.example`),
    url: shape(words(slug), '-', (path, number) => `https://example.com/${joinedBy('-')(path, number)}`),
    image: shape(words(slug), '-', (path, number) => `https://example.com/images/${joinedBy('-')(path, number)}.jpg`),
    file: shape(words(slug), '-', (name, number) => `${joinedBy('-')(name, number)}.pdf`),
  };
}

function shape(word: () => string, glue: string, build: Shape['build']): Shape {
  return { word, glue, build };
}

const spaced = joinedBy(' ');

function joinedBy(glue: string): Shape['build'] {
  return (words, number) => (number === null ? words : words === '' ? String(number) : `${words}${glue}${number}`);
}

/** Pads a number to the length of the digits. */
function digitsOf(digits: string, number: number | null): string {
  return number === null ? digits : String(number).padStart(digits.length, '0');
}

function emailOf(name: string, number: number | null): string {
  return `${joinedBy('.')(name, number)}@example.com`;
}

function emailName(faker: Faker): string {
  return `${faker.person.firstName()}.${faker.person.lastName()}`.toLowerCase().replace(/[^a-z.]/g, '');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
