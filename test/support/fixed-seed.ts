import fc from 'fast-check';

/**
 * Tests with random values try the same ones in every run, so that a change fails by its own fault alone. `KILN_TEST_SEED=5`
 * tries others, and `KILN_TEST_SEED=random` those that nobody has tried; the report of a failure has the seed. The slow run
 * does not try those of the quick one again.
 */
const seed = process.env.KILN_TEST_SEED ?? (process.env.KILN_TEST_SLOW === 'yes' ? '2' : '1');
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) });
