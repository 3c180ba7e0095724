import fc from 'fast-check';

/**
 * Tests with random values try the same ones in every run, so that a change fails by its own fault alone. `KILN_TEST_SEED=5`
 * tries others, and `KILN_TEST_SEED=random` those that nobody has tried; the report of a failure has the seed.
 */
const seed = process.env.KILN_TEST_SEED ?? '1';
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });
