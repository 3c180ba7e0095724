/** What only `npm run test:slow` does. A file that imports this is run by it too; files named `*.slow.test.ts` by it alone. */

export const isSlow = process.env.KILN_TEST_SLOW === 'yes';

/** A test of `npm run test:slow`. */
export const itSlowly: (title: string, test: () => Promise<void> | void) => void = isSlow ? it : () => undefined;
