/** Waiting for what happens elsewhere: in another turn of the event loop, in another process, or in Postgres. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** In milliseconds: a little less than a test has where nothing else is said. */
  readonly limit?: number;
  /** What helps to understand why it did not happen. */
  readonly otherwise?: () => string;
}

export class WaitedInVain extends Error {}

const LIMIT = 100_000;
/** In milliseconds. What has taken long is asked for less often: asking takes time from what is waited for. */
const SHORTEST_PAUSE = 5;
const LONGEST_PAUSE = 25;
const PAUSE_SHARE = 20;

/** Asks again and again. Where it takes too long, the condition itself is what the failure says. */
export async function until(isSo: () => boolean | Promise<boolean>, patience: Patience = {}): Promise<void> {
  const { limit = LIMIT, otherwise = () => '' } = patience;
  // Tests may set the other clocks.
  const start = process.hrtime.bigint();
  while (!(await isSo())) {
    const waited = Number((process.hrtime.bigint() - start) / 1_000_000n);
    if (waited > limit) throw new WaitedInVain(`waited ${limit} ms in vain until ${isSo}\n${otherwise()}`);
    await sleep(Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, waited / PAUSE_SHARE)));
  }
}
