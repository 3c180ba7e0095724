/** The lanes for one kind of statements, and the statements that wait for room in them, in the order in which they came. */
import { WaitingLine } from '../waiting-line.ts';
import type { Lane } from './lane.ts';

export class Lanes {
  readonly all: readonly Lane[];
  readonly #line = new WaitingLine<(lane: Lane) => void>();

  constructor(all: readonly Lane[]) {
    this.all = all;
  }

  get isAwaited(): boolean {
    return this.#line.length > 0;
  }

  /** A lane that a new statement can use at once. What waits already comes first. */
  free(now: number): Lane | undefined {
    return this.isAwaited ? undefined : this.#withRoom(now);
  }

  /** Calls `use` as soon as a lane has room. The result stops the wait. */
  wait(use: (lane: Lane) => void): () => void {
    const place = this.#line.join(use);
    return () => this.#line.leave(place);
  }

  /** Gives the room that there is to those that wait. Each one that uses a lane takes room from the next. */
  serve(now: number): void {
    while (this.isAwaited) {
      const lane = this.#withRoom(now);
      if (lane === undefined) return;
      this.#line.next()?.(lane);
    }
  }

  #withRoom(now: number): Lane | undefined {
    return this.all.find((lane) => lane.hasRoom(now));
  }
}
