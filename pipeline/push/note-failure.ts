/** What is recorded of an image that failed its test, and what to do then: a push and `kiln build --test` say the same. */
import { passedBefore } from '../bake/compared-releases.ts';
import { WITHDRAWS } from '../bake/trailer-keys.ts';
import type { Repository } from '../git/repository.ts';
import { chainOf, readLedger, releaseOf } from '../ledger/ledger.ts';
import { addToJournal } from './build-journal.ts';
import type { QueuedBuild } from './build-queue.ts';
import { failedIn } from './usable-releases.ts';

/** What was refused before it became a release is not a build of one. */
export function noteFailure(repository: Repository, { branch, revision }: QueuedBuild, why: string): void {
  if (releaseOf(readLedger(repository, branch), revision) !== undefined)
    addToJournal(repository, branch, { revision, outcome: 'failed', why });
}

/** The next release is tested from the newest one that passed, so through all steps of those that failed since. */
export function failureAdvice(repository: Repository, branch: string): string {
  const releases = chainOf(readLedger(repository, branch));
  const from = passedBefore(releases, failedIn(repository));
  const failed = releases[from];
  const fix = 'Commit a fix and push it';
  if (from === 0 || !failed) return fix;
  const line = `\`${WITHDRAWS}: ${failed.revision.slice(0, 12)}\``;
  return `${fix}; it is tested from release ${from} again. If the migration of release ${from + 1} cannot succeed, take its change back in that commit, and end the message with the line ${line}`;
}
