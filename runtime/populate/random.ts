/** Numbers that look random and follow from a seed alone, on every machine. */

export interface Random {
  /** At least 0 and below 1. */
  next(): number;
  /** At least 0 and below `limit`, which is a whole number above 0. */
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
export function hashOf(text: string, salt: number): number {
  let hash = 0x811c9dc5 ^ salt;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return stirred(hash + Math.imul(salt, 0x9e3779b1));
}

/** Every bit of the result depends on every bit of the number. */
export function stirred(number: number): number {
  let hash = number | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return (hash ^ (hash >>> 16)) >>> 0;
}
