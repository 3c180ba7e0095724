/**
 * The way of a database through the releases of a chain. A release that withdraws others can be reached in two ways: from
 * the release before it, or, where what it withdraws was never completed, from the one before that.
 */
import type { MigrationStep, Release, Withdrawal } from './migration.ts';

/** From one release that is completed to the next one that is. */
export interface Hop {
  /** As the way has it. */
  readonly release: Release;
  readonly position: number;
  /** The position of the release that it comes from. */
  readonly from: number;
}

/** What a database does that has completed this many releases. The newest release that gives one up counts. */
export function hopsFrom(releases: readonly Release[], done: number): readonly Hop[] {
  const hops: Hop[] = [];
  for (let from = done; from < releases.length; from = hops.at(-1)?.position ?? releases.length) {
    hops.push(hopFrom(releases, from));
  }
  return hops;
}

function hopFrom(releases: readonly Release[], from: number): Hop {
  const next = releases[from] as Release;
  const at = releases.findLastIndex((release) => withdrawalOf(release, next.revision) !== undefined);
  const around = releases[at];
  if (!around) return { release: next, position: from + 1, from };
  const withdrawal = withdrawalOf(around, next.revision) as Withdrawal;
  return { release: wayAround(around, withdrawal), position: at + 1, from };
}

export function wayAround({ revision, fingerprint }: Release, { steps, beside, contract }: Withdrawal): Release {
  return { revision, fingerprint, steps, beside, contract };
}

export function withdrawalOf({ withdraws = [] }: Release, revision: string): Withdrawal | undefined {
  return withdraws.find((withdrawal) => withdrawal.revision === revision);
}

/**
 * Where the release of a hop has to be contracted before the next steps: no server of an older release may be there then.
 * Undefined where none has to, on the whole way.
 */
export function contractedOnTheWay(hops: readonly Hop[]): Hop | undefined {
  const last = hops.findLastIndex(({ release }) => release.steps.length > 0);
  return hops.find(({ release }, at) => at < last && (release.contract ?? []).length > 0);
}

/** All steps of the way, and those that are left for when the releases before are gone. */
export function stepsFrom(
  releases: readonly Release[],
  done: number,
): Readonly<Record<'now' | 'later', readonly MigrationStep[]>> {
  const changing = hopsFrom(releases, done).filter(({ release }) => release.steps.length > 0);
  const last = changing.at(-1);
  const now = changing.flatMap((hop) => [...hop.release.steps, ...(hop === last ? [] : (hop.release.contract ?? []))]);
  return { now, later: last?.release.contract ?? [] };
}
