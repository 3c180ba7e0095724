import { referenceId } from '../git/references.ts';
import type { Repository } from '../git/repository.ts';
import { type Ledger, readLedger, releasesWithoutSource } from '../ledger/ledger.ts';
import { type PushedBuild, pushedBuilds, readJournal } from './build-journal.ts';

/**
 * What is left to build of a branch, in order: releases whose builds were killed, then where the branch is now. A
 * release that failed its test, or was not pushed to its registry, is left alone, unless it is to be tried once more.
 */
export function pendingRevisions(repository: Repository, branch: string, retries: boolean): readonly string[] {
  const head = referenceId(repository, `refs/heads/${branch}`);
  // What `kiln build` has made is neither tested nor tagged here, so it is left to build.
  const builds = pushedBuilds(readJournal(repository, branch));
  const killed = killedReleases(repository, readLedger(repository, branch), builds).filter((each) => each !== head);
  // What is built last has the tag of the branch, so after others the head has its turn once more.
  const last = builds.at(-1)?.outcome;
  const isTaggedAnew = killed.length > 0 && (last === 'tested' || last === 'unpushed');
  return head === null || (isDone(builds, head, retries) && !isTaggedAnew) ? killed : [...killed, head];
}

function isDone(builds: readonly PushedBuild[], head: string, retries: boolean): boolean {
  const last = builds.at(-1);
  return last?.revision === head && (last.outcome === 'tested' || !retries);
}

/** Those after the last one that came to an end; of a branch without any end only the newest can be meant. */
function killedReleases(repository: Repository, ledger: Ledger, builds: readonly PushedBuild[]): readonly string[] {
  const revisions = ledger.releases.map(({ release }) => release.revision);
  const ended = new Set(builds.map(({ revision }) => revision));
  const last = revisions.findLastIndex((revision) => ended.has(revision));
  const gone = new Set(releasesWithoutSource(repository, ledger).map(({ release }) => release.revision));
  return revisions.slice(last < 0 ? -1 : last + 1).filter((revision) => !gone.has(revision));
}
