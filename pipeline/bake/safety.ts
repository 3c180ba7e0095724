/** Whether images of the release before go on working while a release is rolled out. */

import type { Release } from '../../compiler/definition/migration.ts';
import { contractedOnTheWay, hopsFrom } from '../../compiler/definition/migration.ts';
import { unsafeBeside } from '../../compiler/difference/beside.ts';

interface Safety {
  /** Of the release before, in the ledger, from 1. */
  readonly position: number;
  /** Why it is not safe; null where it is. */
  readonly reason: string | null;
}

/** Of the last of these releases, oldest first, beside the one at this position; null where that is none. */
export function safetyOf(releases: readonly Release[], position = releases.length - 1): Safety | null {
  const previous = releases[position - 1];
  if (!previous || position === releases.length) return null;
  // Whether the first release was made by an older one, nothing says.
  const isPreviousOlder = position > 1 && previous.beside === undefined;
  const hops = hopsFrom(releases, position);
  const [unsafe] = hops.flatMap(({ release }) => unsafeBeside(release, isPreviousOlder) ?? []);
  const between = contractedOnTheWay(hops);
  if (!between || unsafe) return { position, reason: unsafe ?? null };
  const { position: at, release } = between;
  const ways = `roll out release ${at} first, or stop the servers of release ${position}, or give release ${at} up with \`Withdraws: ${release.revision.slice(0, 12)}\``;
  return { position, reason: `what release ${at} keeps for it is removed on the way; ${ways}` };
}
