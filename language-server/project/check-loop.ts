/**
 * Checks projects whenever they have changed and nobody is typing, in short pieces between which questions are
 * answered. An edit cancels the running check.
 */

import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Project } from './project.ts';

const SHORTEST_WAIT = 15;
const LONGEST_WAIT = 400;

interface Loop {
  timer: NodeJS.Timeout | undefined;
  steps: Generator<void, void> | undefined;
  /** The duration of the last completed check. */
  duration: number;
  waiting: (() => void)[];
}

export class CheckLoop {
  readonly #loops = new Map<Project, Loop>();
  readonly #onChecked: (project: Project) => void;
  readonly #onFailure: (error: unknown) => void;

  constructor(onChecked: (project: Project) => void, onFailure: (error: unknown) => void) {
    this.#onChecked = onChecked;
    this.#onFailure = onFailure;
  }

  /** The longer a check takes, the longer it waits for the next key. */
  ask(project: Project): void {
    const loop = this.#loopOf(project);
    stop(loop);
    loop.timer = setTimeout(() => this.#check(project, loop), Math.min(LONGEST_WAIT, SHORTEST_WAIT + loop.duration));
  }

  /** Resolves when the files, as they are then, have been checked. */
  settled(project: Project): Promise<void> {
    const loop = this.#loopOf(project);
    if (project.isFresh) return Promise.resolve();
    if (!loop.timer && !loop.steps) this.ask(project);
    return new Promise((resolve) => loop.waiting.push(resolve));
  }

  forget(project: Project): void {
    const loop = this.#loopOf(project);
    stop(loop);
    release(loop);
    this.#loops.delete(project);
  }

  #loopOf(project: Project): Loop {
    const known = this.#loops.get(project);
    const loop: Loop = known ?? { timer: undefined, steps: undefined, duration: 0, waiting: [] };
    this.#loops.set(project, loop);
    return loop;
  }

  async #check(project: Project, loop: Loop): Promise<void> {
    const start = performance.now();
    const steps = project.check();
    loop.steps = steps;
    try {
      await inShortPieces(steps);
      // The check was cancelled.
      if (loop.steps !== steps) return;
      loop.duration = performance.now() - start;
      stop(loop);
      this.#onChecked(project);
    } catch (error) {
      stop(loop);
      this.#onFailure(error);
    }
    release(loop);
  }
}

function stop(loop: Loop): void {
  clearTimeout(loop.timer);
  loop.timer = undefined;
  loop.steps?.return();
  loop.steps = undefined;
}

function release(loop: Loop): void {
  for (const resolve of loop.waiting.splice(0)) resolve();
}

/** The longest time of a piece, in milliseconds. */
const PIECE = 5;

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
