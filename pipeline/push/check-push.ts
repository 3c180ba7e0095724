/**
 * What a pre-receive hook does in its turn: nothing is recorded, and what stands in the way is thrown. What it has prepared
 * is kept for the build of the same push. A push waits until the one
 * before it has its release, because it has to be compared with that; what another push has overtaken is refused.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { prepareRelease } from '../bake/build-release.ts';
import { Steps } from '../bake/steps.ts';
import { areHere } from '../git/objects.ts';
import { referenceId } from '../git/references.ts';
import type { Repository } from '../git/repository.ts';
import { isAncestor } from '../git/revision.ts';
import { newestRelease, readLedger, releaseOf } from '../ledger/ledger.ts';
import { pushedBuilds, readJournal } from './build-journal.ts';
import { BuildQueue, type Ticket } from './build-queue.ts';
import { keepChecked } from './checked-release.ts';
import { PushRefusal } from './push-refusal.ts';
import type { PushedBranch } from './pushed-branches.ts';
import { failedIn, newerRelease } from './usable-releases.ts';

/** Between a push that was accepted and its place in the queue. */
const LONGEST_GAP = 2000;
const PAUSE = 100;

export async function checkPush(
  repository: Repository,
  pushed: PushedBranch,
  waiting: (ticket: Ticket) => void,
): Promise<void> {
  const { branch, to } = pushed;
  mustNotHaveMoved(repository, pushed);
  await waitForRelease(repository, pushed, waiting);
  mustContainNewest(repository, pushed);
  mustNotGoBack(repository, pushed);
  const input = { repository, revision: to, branch, folder: repository.folder, hasFailed: failedIn(repository) };
  const steps = new Steps(() => undefined);
  keepChecked(input, await prepareRelease(input, steps), steps.told);
}

/** Git would refuse it too, but only at the very end and with other words. */
function mustNotHaveMoved(repository: Repository, { branch, from }: PushedBranch): void {
  if (referenceId(repository, `refs/heads/${branch}`) === from) return;
  throw new PushRefusal(`another push to \`${branch}\` came first; fetch it, and push again`);
}

/** Until what the branch is at has been recorded, or nobody is there who would record it. */
async function waitForRelease(
  repository: Repository,
  { branch, from }: PushedBranch,
  waiting: (ticket: Ticket) => void,
): Promise<void> {
  const start = Date.now();
  let told: number | undefined;
  while (from !== null && isUnrecorded(repository, branch, from)) {
    const ticket = queuedBuild(repository, branch);
    if (ticket === undefined && Date.now() - start > LONGEST_GAP) return;
    if (ticket !== undefined && ticket.number !== told) waiting(ticket);
    told = ticket?.number ?? told;
    await sleep(PAUSE);
  }
}

/** A branch without releases was pushed to before Kiln came, so nothing is missing. */
function isUnrecorded(repository: Repository, branch: string, revision: string): boolean {
  const ledger = readLedger(repository, branch);
  return (
    (ledger.tip !== null || queuedBuild(repository, branch) !== undefined) && releaseOf(ledger, revision) === undefined
  );
}

/** A cleanup records nothing. */
function queuedBuild(repository: Repository, branch: string): Ticket | undefined {
  return new BuildQueue(repository).tickets().find((ticket) => ticket.branch === branch && !ticket.isCleanup);
}

/**
 * A release that was made elsewhere, of a commit that the push does not know, would be undone by it. One that was built
 * here was on the branch, and whoever pushed with force has taken it off.
 */
function mustContainNewest(repository: Repository, { branch, from, to }: PushedBranch): void {
  const newest = newestRelease(readLedger(repository, branch))?.release.revision;
  if (newest === undefined || from === null || contains(repository, to, newest)) return;
  const isOurs = pushedBuilds(readJournal(repository, branch)).some(({ revision }) => revision === newest);
  if (!contains(repository, to, from) || isOurs) return;
  const what = `the newest release of \`${branch}\` is ${newest.slice(0, 12)}, which this push does not contain`;
  throw new PushRefusal(`${what}; merge it, or push with --force to go on without it`);
}

/** Databases do not go back: the image of an older release refuses to migrate one that is at a newer release. */
function mustNotGoBack(repository: Repository, { branch, to }: PushedBranch): void {
  const newer = newerRelease(repository, branch, to);
  if (newer === undefined) return;
  const what = `\`${branch}\` cannot go back to ${to.slice(0, 12)}: release ${newer.position} (${newer.revision.slice(0, 12)}) is newer`;
  const why = 'a database that it has migrated cannot be used by an older release';
  throw new PushRefusal(`${what}, and ${why}; to undo a change, revert it in a new commit and push that`);
}

function contains(repository: Repository, revision: string, ancestor: string): boolean {
  const [isHere] = areHere(repository, [`${ancestor}^{commit}`]);
  return isHere === true && isAncestor(repository, ancestor, revision);
}
