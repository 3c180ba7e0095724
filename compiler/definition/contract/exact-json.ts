/**
 * JSON with numbers that a double cannot hold: `1e400`, or an integer of twenty digits. `JSON.parse` would silently
 * make infinity or another number of them. Here all of them become infinity, which no JSON has, so that code that must
 * preserve numbers can detect them.
 */

/** The text with `1e999` in place of each such number; null where there is none. */
export function withoutInexactNumbers(json: string): string | null {
  if (!MAY_BE_INEXACT.test(json)) return null;
  let exact = '';
  let done = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const number = numberAt(json, at);
      if (!isExact(number)) {
        exact += `${json.slice(done, at)}1e999`;
        done = at + number.length;
      }
      at += Math.max(1, number.length) - 1;
    }
  }
  return done === 0 ? null : exact + json.slice(done);
}

/** A double has at least fifteen digits. */
const MAY_BE_INEXACT = /[\d.]{17}|\d{16}|\d[eE]/;

const [QUOTE, BACKSLASH, MINUS, ZERO, NINE] = ['"', '\\', '-', '0', '9'].map((each) => each.charCodeAt(0)) as [
  number,
  number,
  number,
  number,
  number,
];

/** Whether `JSON.parse` changes a number of the text. */
export function hasInexactNumbers(json: string): boolean {
  return withoutInexactNumbers(json) !== null;
}

function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function numberAt(json: string, at: number): string {
  NUMBER.lastIndex = at;
  return NUMBER.exec(json)?.[0] ?? '';
}

function isExact(number: string): boolean {
  return number.length < 16 && !/e/i.test(number) ? true : digitsOf(number) === digitsOf(String(Number(number)));
}

/** The same for the same number, however it is written: `1.50` and `15e-1` are `15e-1`. */
function digitsOf(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(number) ?? [];
  const all = `${whole}${fraction}`;
  let [start, end] = [0, all.length];
  while (all[start] === '0') start++;
  while (end > start && all[end - 1] === '0') end--;
  return start === end ? '0' : `${all.slice(start, end)}e${Number(exponent) + all.length - end - fraction.length}`;
}
