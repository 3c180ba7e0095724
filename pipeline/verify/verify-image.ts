/**
 * Is an image what its commit gives? The commit that the image names is built again from the repository, on the same base
 * and with the ledger as it was, and both are compared. Nothing is written, and nothing of the image is run.
 */

import type { KeyObject } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { baseIn } from '../bake/bake.ts';
import { SIGNED_PROVENANCE, signedStatement } from '../bake/provenance-files.ts';
import { areHere } from '../git/objects.ts';
import { referencesIn } from '../git/references.ts';
import type { Repository } from '../git/repository.ts';
import { revisionOf } from '../git/revision.ts';
import { baseFromArchive, type StoredImage, storedImage } from '../image/base-archive.ts';
import { DockerEngine } from '../image/docker-engine.ts';
import { type BaseImage, baseDigest } from '../image/image-config.ts';
import { ImageRefusal } from '../image/image-refusal.ts';
import { ownBase } from '../image/own-node.ts';
import { credentialsFor } from '../image/registry-credentials.ts';
import { readBuildFile } from '../ledger/build-files.ts';
import { branchOfLedger, recordsOf } from '../ledger/ledger-reference.ts';
import { type Difference, imageDifferences, type RebuiltImage, rebuiltImages } from './image-differences.ts';

export interface VerifyInput {
  readonly name: string;
  readonly repository: Repository;
  /** The revision to use instead of the one that the image names. */
  readonly rev: string | undefined;
  readonly base: string;
  readonly baseArchive: string | undefined;
  readonly runtimeFolder: string;
}

export interface Verification {
  readonly revision: string;
  /** The id of the image that was made again. */
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

/** Compares with the nearest of several images: it has the fewest differences. */
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

// ── Named image ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The image that is to be verified: in a file, in the engine, or pulled into it.

interface NamedImage {
  readonly labels: Readonly<Record<string, string>>;
  /** The engine that has it; null for a file. */
  readonly engine: DockerEngine | null;
  /**
   * The name of the image in an engine: for most engines the digest of its configuration, for some that of its
   * manifest.
   */
  readonly id: string;
  /** All of it, which takes its time where an engine has to write it out. */
  readonly read: () => Promise<StoredImage>;
}

async function namedImage(name: string): Promise<NamedImage> {
  return statSync(name, { throwIfNoEntry: false })?.isFile() ? inFile(name) : inEngine(name);
}

async function inFile(name: string): Promise<NamedImage> {
  const image = await storedImage(createReadStream(name), `\`${name}\``);
  const labels = image.config.config.Labels ?? {};
  return { labels, engine: null, id: image.id, read: async () => image };
}

async function inEngine(name: string): Promise<NamedImage> {
  const engine = await DockerEngine.connect();
  const { id, config } = (await engine.imageOf(name)) ?? (await pulled(engine, name));
  const read = async () => storedImage(await engine.saved(name), `The image ${name}`);
  return { labels: config.Labels ?? {}, engine, id, read };
}

async function pulled(engine: DockerEngine, name: string): Promise<BaseImage> {
  if (/^(sha256:)?[0-9a-f]{12,64}$/.test(name)) {
    const advice = 'One in a registry is named in full, as in `ghcr.io/acme/blog@sha256:…`';
    throw new ImageRefusal(`The Docker engine has no image ${name}. ${advice}.`);
  }
  if (!NAME.test(name)) throw new ImageRefusal(`There is no file \`${name}\`, and no image can have that name.`);
  await engine.pull(name, credentialsFor(name));
  const image = await engine.imageOf(name);
  if (image === null) throw new ImageRefusal(`The image ${name} was pulled, but the Docker engine does not have it.`);
  return image;
}

/** A name with a tag, with a digest, or with neither. The engine decides what exactly is allowed. */
const NAME = /^[A-Za-z0-9][\w./:-]*(@sha256:[0-9a-f]{64})?$/;

// ── Signed provenance ────────────────────────────────────────────────────────────────────────────────────────────────

// Whether somebody with a certain key has signed that a build made an image.

/** Compares the signed provenance; empty where it is valid. `id` is that of the image that the revision gives. */
export function signatureDifferences(
  repository: Repository,
  { revision, id }: { readonly revision: string; readonly id: string },
  key: KeyObject,
): readonly Difference[] {
  const branches = referencesIn(repository, recordsOf(repository, 'reports')).map(({ name }) => branchOfLedger(name));
  const envelopes = branches.flatMap((branch) => readBuildFile(repository, branch, revision, SIGNED_PROVENANCE) ?? []);
  if (envelopes.length === 0)
    return [{ of: 'signature', says: `no build of ${revision} has left one here; ${ADVICE}` }];
  const statements = envelopes.flatMap((envelope) => signedStatement(envelope, key) ?? []);
  if (statements.length === 0) return [{ of: 'signature', says: 'it is not of this key' }];
  if (statements.some((statement) => subjectsOf(statement).includes(id))) return [];
  return [{ of: 'signature', says: `this key has signed another image of ${revision}` }];
}

const ADVICE =
  "builds sign with KILN_SIGNING_KEY, and `git fetch origin 'refs/kiln/*:refs/kiln/*'` fetches what they left";

function subjectsOf(statement: string): readonly string[] {
  const { subject = [] } = JSON.parse(statement) as {
    readonly subject?: readonly { readonly digest?: { readonly sha256?: string } }[];
  };
  return subject.map(({ digest }) => `sha256:${digest?.sha256}`);
}
