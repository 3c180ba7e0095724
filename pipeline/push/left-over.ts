/**
 * What the tests of one push have left in the engine. A process of its own removes it, so that the pusher need not wait for
 * that. It gets its ticket while the push still has its turn, because the next build waits for it too: of one repository,
 * one room is in the engine at a time.
 */
import type { ChildProcess } from 'node:child_process';
import type { Repository } from '../git/repository.ts';
import { engineHere } from '../image/docker-engine.ts';
import { tidyUp } from '../smoke/postgres-server.ts';
import { BuildQueue, processName, type QueuedBuild } from './build-queue.ts';

export class LeftOver {
  readonly #repository: Pick<Repository, 'sharedFolder'>;
  readonly #last: QueuedBuild | undefined;
  readonly #start: () => ChildProcess;
  #isThere = false;

  /** `last` is the last build of the push: those before it leave their rooms to the next one, which removes them. */
  constructor(repository: Pick<Repository, 'sharedFolder'>, last: QueuedBuild | undefined, start: () => ChildProcess) {
    this.#repository = repository;
    this.#last = last;
    this.#start = start;
  }

  add(): void {
    this.#isThere = true;
  }

  /** In the turn of the build. It never fails: what is not removed now, the next push removes. */
  async handOver(build: QueuedBuild): Promise<void> {
    if (!this.#isThere || build !== this.#last || this.#isTaken(build)) return;
    try {
      await tidyUp(engineHere(), this.#repository.sharedFolder);
    } catch {
      // The engine does not answer, or refuses.
    }
  }

  /** False where no process can be started, or none gets a ticket. */
  #isTaken(build: QueuedBuild): boolean {
    let child: ChildProcess | undefined;
    try {
      child = this.#start();
      if (child.pid === undefined) return false;
      new BuildQueue(this.#repository, undefined, processName(child.pid)).enter({ ...build, isCleanup: true });
      return true;
    } catch {
      child?.kill('SIGKILL');
      return false;
    }
  }
}
