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
const LONG_PAUSE = 25;
const PAUSE_SHARE = 20;
/** To ask may start a process, and that takes most of the time then. */
const LONGEST_PAUSE = 250;
const PAUSES_PER_QUESTION = 3;

/** Asks again and again. Where it takes too long, the condition itself is what the failure says. */
export async function until(isSo: () => boolean | Promise<boolean>, patience: Patience = {}): Promise<void> {
  const { limit = LIMIT, otherwise = () => '' } = patience;
  // Tests may set the other clocks.
  const now = () => Number(process.hrtime.bigint() / 1_000_000n);
  const start = now();
  for (let asked = start; !(await isSo()); asked = now()) {
    const waited = now() - start;
    if (waited > limit) throw new WaitedInVain(`waited ${limit} ms in vain until ${isSo}\n${otherwise()}`);
    const shortest = Math.max(SHORTEST_PAUSE, PAUSES_PER_QUESTION * (now() - asked));
    await sleep(Math.min(LONGEST_PAUSE, Math.max(shortest, Math.min(LONG_PAUSE, waited / PAUSE_SHARE))));
  }
}
