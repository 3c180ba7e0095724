/** Segments of paths as names of JavaScript. */

/** What JavaScript calls or looks for by itself, such as `then` when a value is awaited. */
const HELD: ReadonlySet<string> = new Set([
  'then',
  'constructor',
  'prototype',
  'toJSON',
  'toString',
  'toLocaleString',
  'valueOf',
]);

/** `lowStock` from `low-stock` and from `low_stock`, `_2024` from `2024`, `then_` from `then`. */
export function memberName(segment: string): string {
  const words = memberWords(segment);
  const name = words.slice(0, 1).toLowerCase() + words.slice(1);
  if (HELD.has(name)) return `${name}_`;
  return /^\p{ID_Start}/u.test(name) ? name : `_${name}`;
}

/** `LowStock` from `low-stock`. Letters of every script may stand in a name. */
export function memberWords(segment: string): string {
  const words = decodeURIComponent(segment)
    .split(/[^\p{ID_Continue}]+|_+/u)
    .filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
