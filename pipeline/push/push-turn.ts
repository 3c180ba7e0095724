/**
 * One push to a branch at a time, from its check until git has moved the branch. Two that were checked at once would both
 * be accepted, and git would refuse the second one in words of its own. The hook that checks a push is over before git
 * moves the branch, so the turn belongs to the process that has called it, which goes on to call `post-receive`.
 */
import type { Repository } from '../git/repository.ts';
import { recordReference } from '../ledger/ledger-reference.ts';
import { BuildQueue, type Ticket } from './build-queue.ts';
import { processName } from './process-name.ts';
import type { PushedBranch } from './pushed-branches.ts';

/** Resolves when it is the turn of the push on all of its branches, and gives what ends it. */
export async function takePushTurn(
  repository: Repository,
  pushed: readonly PushedBranch[],
  waiting: (ticket: Ticket) => void,
): Promise<() => void> {
  const left: (() => void)[] = [];
  // In one order for all: two pushes of two branches must not wait for each other.
  for (const { branch, to } of pushed.toSorted((a, b) => (a.branch < b.branch ? -1 : 1))) {
    const queue = queueOf(repository, branch);
    left.push(await queue.takeTurn({ branch, revision: to }, waiting, new AbortController().signal));
  }
  return () => {
    for (const leave of left) leave();
  };
}

/** In the hook that is called when the branches have moved. */
export function endPushTurn(repository: Repository, pushed: readonly PushedBranch[]): void {
  for (const { branch } of pushed) queueOf(repository, branch).leave();
}

function queueOf(repository: Repository, branch: string): BuildQueue {
  const name = recordReference(repository, 'builds', branch).split('/').at(-1);
  return new BuildQueue(repository, `push-${name}`, processName(process.ppid));
}
