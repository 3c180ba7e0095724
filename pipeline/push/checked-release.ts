/**
 * What the check of a push has prepared, for the build of the same push: they are two processes, and both would begin with
 * the same work. It is kept in the user's own cache, a file for each branch, until the build takes it. A build that does not
 * find it, or finds that of another revision or of an older state of the ledger, prepares the release itself: nothing here
 * is a reason to refuse a push.
 */
import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { isOlder, keep, keptFile, readKept } from '../../files/kept-files.ts';
import { kilnVersion } from '../bake/build-names.ts';
import type { BuildInput, BuiltRelease } from '../bake/build-release.ts';
import { passedBefore } from '../bake/compared-releases.ts';
import { readDeployments } from '../ledger/deployments.ts';
import { chainOf, type Ledger, ledgerFor, newestRelease } from '../ledger/ledger.ts';
import type { ToldSteps } from '../smoke/steps.ts';

const PREFIX = 'push-';
/** In milliseconds. */
const LONGEST_UNTAKEN = 3600 * 1000;
/** A checkout may be built twice with one version; the name of a bundled file has the hash of what is in it. */
const KILN = [kilnVersion, import.meta.url];

interface CheckedRelease {
  /** All that decides what it looks like. */
  readonly of: string;
  readonly built: BuiltRelease;
  readonly told: ToldSteps;
}

export function keepChecked(input: BuildInput, built: BuiltRelease, told: ToldSteps): void {
  const file = fileFor(input);
  if (file === undefined) return;
  // Some of it is made when it is first asked for.
  const checked: CheckedRelease = {
    of: identityOf(input, built.release.ledger),
    built: { ...built, release: { ...built.release } },
    told,
  };
  try {
    keep(file, serialize(checked));
    removeUntaken(dirname(file));
  } catch {
    // It is too large, or has something in it that cannot be written.
  }
}

/** Of a push that was rejected after all: nobody will take it. */
export function forgetChecked(branch: Pick<BuildInput, 'repository' | 'branch'>): void {
  const file = fileFor(branch);
  if (file !== undefined) isRemoved(file);
}

/** Of pushes that git has rejected after their check, or whose build was killed before it began. */
function removeUntaken(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(PREFIX) && isOlder(join(folder, name), LONGEST_UNTAKEN)) isRemoved(join(folder, name));
}

function isRemoved(file: string): boolean {
  try {
    rmSync(file, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** Only the first call gets it. */
export function takeChecked(input: BuildInput): Omit<CheckedRelease, 'of'> | undefined {
  const file = fileFor(input);
  const kept = file === undefined ? undefined : readKept(file);
  if (file === undefined || kept === undefined) return undefined;
  if (!isRemoved(file)) return undefined;
  const checked = checkedFrom(kept);
  const ledger = ledgerFor(input.repository, input.branch, input.revision);
  return checked?.of === identityOf(input, ledger) ? checked : undefined;
}

/** Another version of Node may have written it. */
function checkedFrom(bytes: Buffer): CheckedRelease | undefined {
  try {
    return deserialize(bytes) as CheckedRelease;
  } catch {
    return undefined;
  }
}

function fileFor({ repository, branch }: Pick<BuildInput, 'repository' | 'branch'>): string | undefined {
  const whose = JSON.stringify([repository.sharedFolder, branch]);
  return keptFile(`${PREFIX}${createHash('sha256').update(whose).digest('hex').slice(0, 32)}`);
}

/** The commit of a release stands for all releases before it too. */
function identityOf(
  { repository, branch, revision, folder, hasFailed = () => false }: BuildInput,
  ledger: Ledger,
): string {
  const newest = newestRelease(ledger)?.commit ?? null;
  // A test may have failed since, or something else may be live.
  const compared = [passedBefore(chainOf(ledger), hasFailed), readDeployments(repository)];
  return JSON.stringify([KILN, repository.sharedFolder, branch, revision, folder, ledger.tip, newest, compared]);
}
