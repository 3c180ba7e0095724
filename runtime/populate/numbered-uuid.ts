/** UUIDs that are computed from a number, so that nobody has to remember them. */
import { hashOf, stirred } from './random.ts';

type UuidAt = (number: number) => string;

/** Version 7: the number counts milliseconds since 1970, so that what is made later sorts later. */
export function timedUuids(seed: string): UuidAt {
  const tail = tailOf(seed);
  return (number) => {
    const time = hex(number, 12);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${tail(number)}`;
  };
}

/** Version 4. Distinct numbers give distinct UUIDs. */
export function scatteredUuids(seed: string): UuidAt {
  const tail = tailOf(seed);
  const mask = hashOf(seed, 7) & 0xffff;
  return (number) => {
    const high = Math.floor(number / 2 ** 32);
    // Stirring is one-to-one on 32 bits, and the rest of the number is kept beside it.
    return `${hex(stirred(number >>> 0), 8)}-${hex((high ^ mask) & 0xffff, 4)}-4${tail(number)}`;
  };
}

/** All behind the version: twelve bits, the variant, and sixty-two bits. */
function tailOf(seed: string): UuidAt {
  const [first, second, third] = [hashOf(seed, 4), hashOf(seed, 5), hashOf(seed, 6)];
  return (number) => {
    const high = Math.floor(number / 2 ** 32);
    const a = stirred(first ^ number ^ Math.imul(high, 0x85ebca6b));
    const b = stirred(second + a);
    const c = stirred(third ^ b);
    return `${hex(a & 0xfff, 3)}-${hex(((a >>> 12) & 0x3fff) | 0x8000, 4)}-${hex(b, 8)}${hex(c & 0xffff, 4)}`;
  };
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}
