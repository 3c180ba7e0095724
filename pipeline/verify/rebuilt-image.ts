/**
 * An image of a revision, made again from its sources: the release is compiled and compared anew, whatever the ledger
 * has recorded of it, with the ledger as it was before that release. Nothing is written.
 */
import { configOf } from '../bake/bake.ts';
import { type BuildInput, type BuiltRelease, prepareRelease, recordedLayers } from '../bake/build-release.ts';
import { Steps } from '../bake/steps.ts';
import type { Repository } from '../git/repository.ts';
import type { BaseImage, ImageConfig } from '../image/image-config.ts';
import { type Ledger, ledgerBranches, ledgerFor, readLedger } from '../ledger/ledger.ts';

export interface RebuiltImage {
  readonly config: ImageConfig;
  readonly built: BuiltRelease;
  /** The id of the image that the ledger's own record of the release gives; null where it has none. */
  readonly recordedId: string | null;
}

/** One for each chain of releases that the revision is on: branches may have come to it on different ways. */
export async function rebuiltImages(
  repository: Repository,
  revision: string,
  base: BaseImage,
): Promise<readonly RebuiltImage[]> {
  const images: RebuiltImage[] = [];
  for (const input of inputsFor(repository, revision)) images.push(await rebuilt(input, base));
  return images;
}

function inputsFor(repository: Repository, revision: string): readonly BuildInput[] {
  const folder = repository.folder;
  const found = new Map<string, BuildInput>();
  for (const branch of ledgerBranches(repository)) {
    const ledger = readLedger(repository, branch);
    const at = ledger.releases.findIndex(({ release }) => release.revision === revision);
    const commit = ledger.releases[at]?.commit;
    if (commit === undefined || found.has(commit)) continue;
    found.set(commit, { repository, revision, branch, folder, ledger: upTo(ledger, at) });
  }
  return found.size > 0 ? [...found.values()] : [notReleased(repository, revision)];
}

function upTo(ledger: Ledger, at: number): Ledger {
  return { ...ledger, releases: ledger.releases.slice(0, at) };
}

/** As a new branch would be built here. The name of that branch is in no image. */
function notReleased(repository: Repository, revision: string): BuildInput {
  const branch = `verify-${revision}`;
  const ledger = ledgerFor(repository, branch, revision);
  return { repository, revision, branch, folder: repository.folder, ledger };
}

async function rebuilt(input: BuildInput, base: BaseImage): Promise<RebuiltImage> {
  const built = await prepareRelease(input, new Steps(() => undefined));
  const recorded = await recordedLayers(input);
  const recordedId = recorded ? configOf(base, { ...built, ...recorded }).id : null;
  return { config: configOf(base, built), built, recordedId };
}
