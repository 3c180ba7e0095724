import fc from 'fast-check';

const [FIRST_HALF, HALVES, LAST] = [0xd800, 0x800, 0x10ffff];

/** Any character, as by `unit: 'binary'`: for that, fast-check first makes a table of all of them, which takes it a second. */
export const ANY_CHARACTER = fc.nat({ max: LAST - HALVES }).map(characterAt, placeOf);

/** Halves of pairs of surrogates are left out. */
function characterAt(place: number): string {
  return String.fromCodePoint(place < FIRST_HALF ? place : place + HALVES);
}

function placeOf(text: unknown): number {
  const [character = '', ...more] = typeof text === 'string' ? text : '';
  const code = character.codePointAt(0);
  if (code === undefined || more.length > 0) throw new Error('not a character');
  return code < FIRST_HALF ? code : code - HALVES;
}
