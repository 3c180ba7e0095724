/** Waiting that ends: with what is waited for, after a time, or because all of it was cancelled. */
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE = 50;

/** Awaits `work`, and throws `late` where it takes too long. */
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

/** Awaits all works, even if one fails: then nothing is started any more when the sandbox is closed. */
export async function allOf<T>(works: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(works);
  // The first one that has failed, in their order.
  const done: T[] = [];
  for (const work of works) done.push(await work);
  return done;
}

// ── Smoke failure ────────────────────────────────────────────────────────────────────────────────────────────────────

/** An image does not do what it has to. The message is a sentence, and the last lines of its log where there are any. */
export class SmokeFailure extends Error {
  override readonly name = 'SmokeFailure';
  readonly sentence: string;
  readonly log: readonly string[];

  constructor(sentence: string, log: readonly string[] = []) {
    super([sentence, ...log.map((line) => `  | ${line}`)].join('\n'));
    this.sentence = sentence;
    this.log = log;
  }
}
