import { setImmediate as othersFirst } from 'node:timers/promises';

/** How long a piece may take, in milliseconds. */
export const PIECE = 5;

/** Does long work in short pieces, between which other questions are answered. */
export async function inShortPieces<T>(steps: Generator<void, T>): Promise<T> {
  for (;;) {
    const start = performance.now();
    while (performance.now() - start < PIECE) {
      const step = steps.next();
      if (step.done) return step.value;
    }
    await othersFirst();
  }
}
