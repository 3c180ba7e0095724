/** Whether images of the release before go on working while a release is rolled out. */
import type { Release } from '../../compiler/definition/migration.ts';
import { unsafeBeside } from '../../compiler/difference/beside.ts';

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
  if (!release || !previous) return null;
  // Whether the first release was made by an older one, nothing says.
  const isPreviousOlder = position > 1 && previous.beside === undefined;
  return { position, reason: unsafeBeside(release, isPreviousOlder) };
}
