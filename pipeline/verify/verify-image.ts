/**
 * Is an image what its commit gives? The commit that the image names is built again from the repository, on the same base
 * and with the ledger as it was, and both are compared. Nothing is written, and nothing of the image is run.
 */
import { baseIn } from '../bake/bake.ts';
import { areHere } from '../git/objects.ts';
import type { Repository } from '../git/repository.ts';
import { revisionOf } from '../git/revision.ts';
import { baseFromArchive } from '../image/base-archive.ts';
import { type BaseImage, baseDigest } from '../image/image-config.ts';
import { ImageRefusal } from '../image/image-refusal.ts';
import { ownBase } from '../image/own-node.ts';
import { type Difference, imageDifferences } from './image-differences.ts';
import { type NamedImage, namedImage } from './named-image.ts';
import { type RebuiltImage, rebuiltImages } from './rebuilt-image.ts';

export interface VerifyInput {
  readonly name: string;
  readonly repository: Repository;
  /** In place of the one that the image names. */
  readonly rev: string | undefined;
  readonly base: string;
  readonly baseArchive: string | undefined;
  readonly runtimeFolder: string;
}

export interface Verification {
  readonly revision: string;
  /** Of the image that was made again. */
  readonly id: string;
  readonly base: { readonly name: string; readonly digest: string };
  readonly releases: number;
  /** Empty where it is the same image. */
  readonly differences: readonly Difference[];
  /** The ledger has recorded the release as the image has it, and this Kiln gives something else. */
  readonly isAsRecorded: boolean;
}

export async function verifyImage(input: VerifyInput): Promise<Verification> {
  const { name, repository } = input;
  const image = await namedImage(name);
  const revision = revisionFor(input, image);
  const base = await baseFor(input, image);
  const candidates = await rebuiltImages(repository, revision, base);
  const same = candidates.find(({ config }) => config.id === image.id);
  return same ? verificationOf(revision, base, same, []) : compared(revision, base, image, candidates);
}

const REVISION_LABEL = 'org.opencontainers.image.revision';
const DEFINITION_LABEL = 'kiln.definition';

function revisionFor({ name, rev, repository }: VerifyInput, { labels }: NamedImage): string {
  const said = labels[REVISION_LABEL];
  if (said === undefined || labels[DEFINITION_LABEL] === undefined)
    throw new ImageRefusal(`\`${name}\` is not an image that Kiln has built: it has no label ${DEFINITION_LABEL}.`);
  if (rev !== undefined) return revisionOf(repository, rev);
  if (areHere(repository, [`${said}^{commit}`])[0]) return said;
  const advice = 'Fetch it, or name the repository that has it behind the image';
  throw new ImageRefusal(`\`${name}\` is made of the commit ${said}, which is not in this repository. ${advice}.`);
}

/** A file has no engine that could have its base, so it is compared with what `kiln build --output` would take. */
async function baseFor(input: VerifyInput, { engine }: NamedImage): Promise<BaseImage> {
  const { base, baseArchive, runtimeFolder } = input;
  if (baseArchive !== undefined) return (await baseFromArchive(baseArchive)).image;
  return engine === null ? (await ownBase(runtimeFolder)).image : baseIn(engine, base);
}

/** The nearest of several counts: it has the least that differs. */
async function compared(
  revision: string,
  base: BaseImage,
  image: NamedImage,
  candidates: readonly RebuiltImage[],
): Promise<Verification> {
  const stored = await image.read();
  const all = await Promise.all(
    candidates.map(async (each) => {
      const isSame = each.config.id === stored.id;
      const differences = isSame ? [] : await imageDifferences(stored, each, base);
      return verificationOf(revision, base, each, differences, each.recordedId === stored.id);
    }),
  );
  const [nearest] = all.sort((one, other) => one.differences.length - other.differences.length);
  if (nearest === undefined) throw new Error('there is nothing to compare with');
  return nearest;
}

function verificationOf(
  revision: string,
  base: BaseImage,
  { config, built }: RebuiltImage,
  differences: readonly Difference[],
  isRecorded = false,
): Verification {
  return {
    revision,
    id: config.id,
    base: { name: base.name, digest: baseDigest(base) },
    releases: built.release.chain.releases.length,
    differences,
    isAsRecorded: isRecorded && differences.length > 0,
  };
}
