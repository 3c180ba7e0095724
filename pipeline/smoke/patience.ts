/** Waiting that ends: with what is waited for, after a time, or because all of it was cancelled. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SmokeFailure } from './smoke-failure.ts';

const PAUSE = 50;

/** What `work` gives; a failure with `late` where it takes too long. */
export async function within<T>(
  milliseconds: number,
  late: () => SmokeFailure | Promise<SmokeFailure>,
  signal: AbortSignal,
  work: Promise<T>,
): Promise<T> {
  const timer = new AbortController();
  const end = AbortSignal.any([timer.signal, signal]);
  const timeout = sleep(milliseconds, undefined, { signal: end }).then(async () => {
    throw await late();
  });
  try {
    return await Promise.race([work, timeout]);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    timer.abort();
    // Whichever of the two is left behind has nobody who listens.
    for (const left of [timeout, work]) left.catch(() => undefined);
  }
}

/** Asks until there is an answer. */
export async function repeated<T>(ask: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const answer = await ask();
    if (answer !== undefined) return answer;
    await sleep(PAUSE, undefined, { signal });
  }
}

/** Also where one fails the others come to their end: nothing is started any more when the room is closed. */
export async function allOf<T>(works: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(works);
  // The first one that has failed, in their order.
  const done: T[] = [];
  for (const work of works) done.push(await work);
  return done;
}
