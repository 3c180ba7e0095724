/** Which releases of a branch a database may be at: all whose images somebody may have run. */
import { once } from '../../compiler/definition/memo.ts';
import type { HasFailed } from '../bake/compared-releases.ts';
import type { Repository } from '../git/repository.ts';
import { ledgerBranches, readLedger } from '../ledger/ledger.ts';
import { readJournal } from './build-journal.ts';

export interface PlacedRelease {
  readonly revision: string;
  /** In the ledger, from 1. */
  readonly position: number;
}

/**
 * The newest such release behind this one; undefined where there is none, or the revision was not released. A database
 * that is there is ahead of the image of the revision, whose `migrate` refuses it.
 */
export function newerRelease(repository: Repository, branch: string, revision: string): PlacedRelease | undefined {
  const revisions = readLedger(repository, branch).releases.map(({ release }) => release.revision);
  const at = revisions.indexOf(revision);
  if (at < 0) return undefined;
  const hasFailed = failedIn(repository);
  const newer = revisions.findLastIndex((each, place) => place > at && !hasFailed(each));
  return newer < 0 ? undefined : { revision: revisions[newer] ?? '', position: newer + 1 };
}

/** Wherever and whenever it was built: then nobody has tagged it, and nobody runs it. The journals are read once. */
export function failedIn(repository: Repository): HasFailed {
  const failed = once(() => {
    const builds = ledgerBranches(repository).flatMap((branch) => readJournal(repository, branch).builds);
    const others = new Set(builds.filter(({ outcome }) => outcome !== 'failed').map(({ revision }) => revision));
    return new Set(builds.map(({ revision }) => revision).filter((revision) => !others.has(revision)));
  });
  return (revision) => failed().has(revision);
}
