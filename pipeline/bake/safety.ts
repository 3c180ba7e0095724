/** Whether images of the release before go on working while a release is rolled out. */
import type { Release } from '../../compiler/definition/migration.ts';

interface Safety {
  /** Of the release before, in the ledger, from 1. */
  readonly position: number;
  /** Why it is not safe; null where it is. */
  readonly reason: string | null;
}

/** Of the last of these releases, oldest first; null where it is the first one. */
export function safetyOf(releases: readonly Release[]): Safety | null {
  const [release, previous] = [releases.at(-1), releases.at(-2)];
  const position = releases.length - 1;
  return release && previous ? { position, reason: reasonAgainst(release, previous, position) } : null;
}

function reasonAgainst(release: Release, previous: Release, position: number): string | null {
  // Then both have the same tables.
  if (release.steps.length === 0) return null;
  if (release.beside === undefined) return 'this release was made by an older Kiln';
  const needsNothing = (release.contract ?? []).length === 0;
  // Whether the first release was made by an older one, nothing says.
  const isOlder = position > 1 && previous.beside === undefined;
  return needsNothing || !isOlder ? null : 'it was built by an older Kiln';
}
