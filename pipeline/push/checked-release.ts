/**
 * What the check of a push has prepared, for the build of the same push: they are two processes, and both would begin with
 * the same work. It is kept in the user's own cache, a file for each branch, until the build takes it. A build that does not
 * find it, or finds that of another revision or of an older state of the ledger, prepares the release itself.
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { keep, keptFile, readKept } from '../../files/kept-files.ts';
import type { BuildInput, BuiltRelease } from '../bake/build-release.ts';
import { kilnVersion } from '../bake/kiln-version.ts';
import type { ToldSteps } from '../bake/steps.ts';
import { type Ledger, ledgerFor, newestRelease } from '../ledger/ledger.ts';

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
  keep(file, serialize(checked));
}

/** Only the first call gets it. */
export function takeChecked(input: BuildInput): Omit<CheckedRelease, 'of'> | undefined {
  const file = fileFor(input);
  const kept = file === undefined ? undefined : readKept(file);
  if (file === undefined || kept === undefined) return undefined;
  rmSync(file, { force: true });
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

function fileFor({ repository, branch }: BuildInput): string | undefined {
  const whose = JSON.stringify([repository.sharedFolder, branch]);
  return keptFile(`push-${createHash('sha256').update(whose).digest('hex').slice(0, 32)}`);
}

/** The commit of a release stands for all releases before it too. */
function identityOf({ revision, folder }: BuildInput, ledger: Ledger): string {
  return JSON.stringify([kilnVersion, revision, folder, ledger.tip, newestRelease(ledger)?.commit ?? null]);
}
