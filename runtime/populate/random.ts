import { dayOf } from '../values/moment.ts';

/** Numbers that look random and follow from a seed alone, on every machine. */
export interface Random {
  /** A number of at least 0 and below 1. */
  next(): number;
  /** A whole number of at least 0 and below `limit`, which is a whole number above 0. */
  below(limit: number): number;
}

/** sfc32: small, fast, and good enough for made-up rows. Not for secrets. */
export function randomFrom(seed: string): Random {
  let [a, b, c, d] = [hashOf(seed, 1), hashOf(seed, 2), hashOf(seed, 3), 1];
  const bits = () => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) bits();
  const next = () => (bits() * 2 ** 21 + (bits() >>> 11)) / 2 ** 53;
  return { next, below: (limit) => Math.floor((limit <= 2 ** 20 ? bits() / 2 ** 32 : next()) * limit) };
}

export function pick<T>(items: readonly T[], random: Random): T {
  return items[random.below(items.length)] as T;
}

/** FNV-1a over the units of the text, then stirred. */
function hashOf(text: string, salt: number): number {
  let hash = 0x811c9dc5 ^ salt;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return stirred(hash + Math.imul(salt, 0x9e3779b1));
}

/** Every bit of the result depends on every bit of the number. */
function stirred(number: number): number {
  let hash = number | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

// ── Numbered UUIDs ───────────────────────────────────────────────────────────────────────────────────────────────────

// UUIDs that are computed from a number, so that nobody has to remember them.

type UuidAt = (number: number) => string;

/** Version 7: the number counts milliseconds since 1970, so that what is made later sorts later. */
export function timedUuids(seed: string): UuidAt {
  const scattered = scatteredUuids(seed);
  return (number) => {
    const time = hex(number, 12);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${scattered(number).slice(15)}`;
  };
}

/** Version 4. Stirring is one-to-one on 32 bits, so numbers below 2^32 give distinct UUIDs, and others almost surely. */
export function scatteredUuids(seed: string): UuidAt {
  const salts = [4, 5, 6, 7].map((salt) => hashOf(seed, salt));
  return (number) => {
    const high = stirred(Math.floor(number / 2 ** 32));
    const [a = '', b = '', c = '', d = ''] = salts.map((salt) => hex(stirred(salt ^ high ^ number), 8));
    return `${a}-${b.slice(4)}-4${b.slice(1, 4)}-8${c.slice(5)}-${c.slice(1, 5)}${d}`;
  };
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}

// ── Clock ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// The time at which a populator runs, as far as its rows can tell: the beginning of a day, so that the same seed gives
// the same rows on all of it. `now()`, the dates of Faker and generated moments are all relative to it. Ids are not:
// they are relative to a fixed moment.

export const REFERENCE_TIME = Date.UTC(2026, 0, 1);

/** The beginning of a day, in milliseconds. Undefined where the text is not a day. */
export function beginningOf(day: string): number | undefined {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && dayOf(new Date(time)) === day ? time : undefined;
}

export const SECOND = 1000;
export const DAY = 86_400 * SECOND;
export const YEAR = 365 * DAY;
/** The last moment that the language knows. */
export const END_OF_TIME = Date.UTC(9999, 11, 31);
