/** The lanes for one kind of statements, and the statements that wait for room in them, in the order in which they came. */
import type { Lane } from './lane.ts';

export class Lanes {
  readonly all: readonly Lane[];
  readonly #waiting = new Set<(lane: Lane) => void>();

  constructor(all: readonly Lane[]) {
    this.all = all;
  }

  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** A lane that a new statement can use at once. What waits already comes first. */
  free(now: number): Lane | undefined {
    return this.isAwaited ? undefined : this.#withRoom(now);
  }

  /** Calls `use` as soon as a lane has room. The result stops the wait. */
  wait(use: (lane: Lane) => void): () => void {
    this.#waiting.add(use);
    return () => void this.#waiting.delete(use);
  }

  /** Gives the room that there is to those that wait. Each one that uses a lane takes room from the next. */
  serve(now: number): void {
    for (const use of this.#waiting) {
      const lane = this.#withRoom(now);
      if (lane === undefined) return;
      this.#waiting.delete(use);
      use(lane);
    }
  }

  #withRoom(now: number): Lane | undefined {
    return this.all.find((lane) => lane.hasRoom(now));
  }
}
