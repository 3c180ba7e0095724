/** What a release is compared with and tested from: the releases whose images somebody may run. */
import type { Release } from '../../compiler/definition/migration.ts';
import type { Repository } from '../git/repository.ts';
import { readDeployments } from '../ledger/deployments.ts';

/** Whether the image of a release failed its test. */
export type HasFailed = (revision: string) => boolean;

/**
 * The position of the newest one that passed its test, from 1; 0 where none did. `releases` are those before. Where the
 * `next` one withdraws releases from which databases cannot come to it, it is the newest one before those.
 */
export function passedBefore(releases: readonly Release[], hasFailed: HasFailed, next?: Release): number {
  const left = (next?.withdraws ?? []).filter(({ isOnlyWay }) => isOnlyWay).map(({ revision }) => revision);
  const end = releases.findIndex(({ revision }) => left.includes(revision));
  const usable = end < 0 ? releases : releases.slice(0, end);
  return usable.findLastIndex(({ revision }) => !hasFailed(revision)) + 1;
}

/** One that is recorded as live, by `kiln pipeline deployed`. */
export interface LiveRelease {
  /** In the ledger, from 1. */
  readonly position: number;
  readonly revision: string;
  readonly environments: readonly string[];
}

/** Of these releases, without the one at `except`, oldest first. */
export function liveReleases(
  repository: Repository,
  branch: string,
  releases: readonly Release[],
  except: number,
): readonly LiveRelease[] {
  const deployments = readDeployments(repository).filter((deployment) => deployment.branch === branch);
  return releases.flatMap(({ revision }, at) => {
    const environments = deployments.filter((each) => each.revision === revision).map(({ environment }) => environment);
    return environments.length === 0 || at + 1 === except ? [] : [{ position: at + 1, revision, environments }];
  });
}

/** `release 3 (86ad6bd1da51), live in production` */
export function liveText({ position, revision, environments }: LiveRelease): string {
  return `release ${position} (${revision.slice(0, 12)}), live in ${environments.join(' and ')}`;
}
