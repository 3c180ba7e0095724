/** Waiting for what happens elsewhere: in another turn of the event loop, in another process, or in Postgres. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  /** In milliseconds: a little less than a test has where nothing else is said. */
  readonly limit?: number;
  /** What helps to understand why it did not happen. */
  readonly otherwise?: () => string;
}

export class WaitedInVain extends Error {}

const LIMIT = 50_000;
const PAUSE = 5;

/** Asks again and again. Where it takes too long, the condition itself is what the failure says. */
export async function until(isSo: () => boolean | Promise<boolean>, patience: Patience = {}): Promise<void> {
  const { limit = LIMIT, otherwise = () => '' } = patience;
  // Tests may set the other clocks.
  const end = process.hrtime.bigint() + BigInt(limit) * 1_000_000n;
  while (!(await isSo())) {
    if (process.hrtime.bigint() > end)
      throw new WaitedInVain(`waited ${limit} ms in vain until ${isSo}\n${otherwise()}`);
    await sleep(PAUSE);
  }
}
