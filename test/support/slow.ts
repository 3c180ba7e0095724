/**
 * What `npm run test:slow` does more. Of a file that imports this it runs the tests that are made with these functions, and
 * `npm test` has run the others. Files named `*.slow.test.ts` are run by `npm run test:slow` alone.
 */

export const isSlow = process.env.KILN_TEST_SLOW === 'yes';

/** A test of `npm run test:slow`. */
export const itSlowly: (title: string, test: () => Promise<void> | void) => void = isSlow ? it.only : () => undefined;

/** Tests of `npm run test:slow`. */
export const describeSlowly: (title: string, tests: () => void) => void = isSlow ? describe.only : () => undefined;

/** A test of both, which tries more in the slow one, or which others need there. */
export const itInBoth: Mocha.ExclusiveTestFunction = isSlow ? it.only : it;
export const describeInBoth: Mocha.ExclusiveSuiteFunction = isSlow ? describe.only : describe;

/** How many random seeds a test tries, and the first of them: the slow run goes on where the quick one ends. */
export function seedsOf(variable: string, { quick, all }: { readonly quick: number; readonly all: number }) {
  const [count, first] = isSlow ? [all - quick, quick] : [quick, 0];
  return [Number(process.env[variable] ?? count), Number(process.env.KILN_FIRST_SEED ?? first)] as const;
}
