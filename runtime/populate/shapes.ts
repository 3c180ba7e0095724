/** Texts that look like what a field's name says: words of Faker, drawn once, and how a number makes each of them another. */
import type { Faker } from '@faker-js/faker';
import { pick, type Random } from './random.ts';

/** How a text is put together, so that it can be made longer or shorter without losing its form. */
export interface Shape {
  readonly word: () => string;
  /** Between words, where one is not enough. */
  readonly glue: string;
  /** The number is null where the text need not be the only one of its kind. */
  readonly build: (words: string, number: number | null) => string;
}

export type ShapeName = keyof ReturnType<typeof shapesFrom>;
export type Shapes = Readonly<Record<ShapeName, Shape>>;

const DRAWN = 256;

export function shapesFrom(faker: Faker, random: Random) {
  const words = (draw: () => string) => {
    let drawn: readonly string[] | null = null;
    return () => {
      drawn ??= Array.from({ length: DRAWN }, draw);
      return pick(drawn, random);
    };
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

/** As long as the digits would be. */
function digitsOf(digits: string, number: number | null): string {
  return number === null ? digits : String(number).padStart(digits.length, '0');
}

function emailOf(name: string, number: number | null): string {
  return `${joinedBy('.')(name, number)}@example.com`;
}

function emailName(faker: Faker): string {
  const name = `${faker.person.firstName()}.${faker.person.lastName()}`;
  return name.toLowerCase().replace(/[^a-z.]/g, '');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
