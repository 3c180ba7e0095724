/**
 * The destination of an image: a Docker engine and maybe a registry, or a file. Failures that can be foreseen are
 * reported before any work is done, and those of the transport before anything is recorded.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemReason } from '../../files/system-reason.ts';
import { baseFromArchive, baseInRegistry, platformBase } from '../image/base-archive.ts';
import { DockerEngine } from '../image/docker-engine.ts';
import { type BaseImage, isSamePlatform, type Platform, platformText } from '../image/image-config.ts';
import { ImageRefusal } from '../image/image-refusal.ts';
import { OWN_PLATFORM, type OwnBase, ownBase } from '../image/own-node.ts';
import { RegistryClient } from '../image/registry-client.ts';
import { type Credentials, credentialsFor, partsOfName, registryFailure } from '../image/registry-credentials.ts';
import { INDEX, imageIndex, imagesLayout, MANIFEST, type StoredImage, storedImages } from '../image/stored-image.ts';
import type { Steps } from '../smoke/steps.ts';
import { type BakeInput, bakeInto, baseIn, configOf, layersIn, mustRunOn, writeImage } from './bake.ts';
import { untestedName } from './build-names.ts';
import { type MadeImage, runtimeSbomIn, runtimeSbomOf } from './provenance-files.ts';

export interface ImageTarget {
  /** The slow part, which needs nothing of the release but the names of its image. */
  readonly prepare: (names: readonly string[], steps: Steps) => Promise<Bake>;
}

/**
 * Makes the image of a release that is recorded: before that, nothing can be found under one of the names or in the
 * file.
 */
type Bake = (input: BakeInput) => Promise<MadeImage>;

/** Called with the image before it gets its names. Gives them only to what passes. */
export interface TargetTest {
  readonly ready: (engine: DockerEngine) => Promise<void>;
  readonly run: (engine: DockerEngine, input: BakeInput, image: string, steps: Steps) => Promise<void>;
}

/** `platform` says that the image may be for another machine than the engine's. */
export async function engineTarget(
  name: string,
  platform: Platform | null,
  isPushed: boolean,
  test: TargetTest | null = null,
): Promise<ImageTarget> {
  const engine = await DockerEngine.connect();
  const base = await baseIn(engine, name);
  if (platform === null) mustRunOn(engine, base, OTHER_MACHINE);
  else mustBeFor(platform, base);
  await test?.ready(engine);
  return {
    prepare: async (names, steps) => {
      const pushed = isPushed ? names.map((each) => ({ name: each, credentials: credentialsFor(each) })) : [];
      const push = (each: PushedName) => engine.push(each.name, each.credentials);
      const runtimeSbom = await runtimeSbomIn(engine, base);
      return async (input) => {
        if (test) await tested(engine, base, input, test, steps);
        const id = await steps.run('load', () => bakeInto(engine, base, input, names), names.join(', '));
        return { id, digests: await pushAll(pushed, push, steps), base, runtimeSbom };
      };
    },
  };
}

/**
 * Tests the image under a name of its own: nobody who pulls or runs one of the other names may get an untested image.
 */
async function tested(engine: DockerEngine, base: BaseImage, input: BakeInput, test: TargetTest, steps: Steps) {
  const image = untestedName(input.application, input.commit.revision);
  try {
    await steps.run('bake', () => bakeInto(engine, base, input, [image]));
    await test.run(engine, input, image, steps);
  } finally {
    await engine.untag(image);
  }
}

const OTHER_MACHINE = 'Name another base with --base, or say with --platform that the image is for another machine.';

function mustBeFor(platform: Platform, base: BaseImage): void {
  if (isSamePlatform(platform, base)) return;
  const what = `The base image ${base.name} is for ${platformText(base)}, not for ${platformText(platform)}`;
  throw new ImageRefusal(`${what}. Name another one with --base.`);
}

export interface PushedName {
  readonly name: string;
  readonly credentials: Credentials | undefined;
}

/**
 * Pushes in the order of the names, so the tag of a branch never points to an image that the tag of its revision does
 * not have.
 */
export async function pushAll(
  pushed: readonly PushedName[],
  push: (pushed: PushedName) => Promise<string | undefined>,
  steps: Steps,
): Promise<MadeImage['digests']> {
  const digests: Record<string, string> = {};
  for (const each of pushed) {
    const said = (digest: string | undefined) => (digest === undefined ? each.name : `${each.name}@${digest}`);
    const digest = await steps.run('push', () => push(each), said);
    if (digest !== undefined) digests[each.name] = digest;
  }
  return digests;
}

/** `archive` is the base; null where it is to be made of this machine's Node and the runtime. */
export function fileTarget(file: string, archive: string | null, runtimeFolder: string): ImageTarget {
  const find = () => (archive === null ? ownBase(runtimeFolder) : baseFromArchive(archive));
  const told = ([base]: readonly OwnBase[]) => (base ? baseText(base.image) : '');
  return layoutTarget(async () => [await find()], told, archive === null ? [] : [archive], file);
}

/** Describes the base. A file may be for any machine, so another platform than this one is named. */
function baseText(image: BaseImage): string {
  return isSamePlatform(image, OWN_PLATFORM) ? image.name : `${image.name}, for ${platformText(image)}`;
}

function mustTakeFile(file: string): void {
  const folder = dirname(file);
  try {
    // The dot asks whether it is a folder.
    accessSync(`${folder}/.`, constants.W_OK);
  } catch (error) {
    const what = `\`${file}\` cannot be written, because of the folder \`${folder}\`: ${systemReason(error)}`;
    throw new ImageRefusal(`${what}. Make it, or give --output another name.`);
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new ImageRefusal(`\`${file}\` is a folder, but the image is one file: give --output a name in it.`);
}

function mustBeReadable(archive: string): void {
  try {
    accessSync(archive, constants.R_OK);
  } catch (error) {
    const what = `The base archive \`${archive}\` cannot be read: ${systemReason(error)}`;
    throw new ImageRefusal(`${what}. \`docker save kiln-runtime -o ${archive}\` writes one.`);
  }
}

// ── Platform target ──────────────────────────────────────────────────────────────────────────────────────────────────

// An image for several platforms, to a file or to a registry: a Docker engine keeps one platform of an image. The layers
// of the application are the same for all of them, and are there once.

/** `output` is a file; null where the image is pushed to the registries that its names say. */
export function platformTarget(
  platforms: readonly Platform[],
  sources: BaseSources,
  output: string | null,
): ImageTarget {
  const told = () => platforms.map(platformText).join(', ');
  return layoutTarget(() => platformBases(platforms, sources), told, sources.archives, output);
}

/** A target that needs no engine: an OCI layout, or a registry that takes one. */
function layoutTarget(
  find: () => Promise<readonly OwnBase[]>,
  told: (bases: readonly OwnBase[]) => string,
  archives: readonly string[],
  output: string | null,
): ImageTarget {
  if (output !== null) mustTakeFile(output);
  for (const archive of archives) mustBeReadable(archive);
  return {
    prepare: async (names, steps) => {
      const bases = await steps.run('base', find, told);
      // Their runtimes are the same: only Node is of each platform.
      const [first] = bases;
      if (first === undefined) throw new Error('an image is for one platform at least');
      const runtimeSbom = await runtimeSbomOf(first);
      const pushed = output === null ? names.map((name) => ({ name, credentials: credentialsFor(name) })) : [];
      return async (input) => {
        const images = storedImages(bases.map((base) => wholeImage(base, input)));
        if (output !== null) await steps.run('write', () => writeTo(output, images, names[0] ?? ''), output);
        const digests = await pushAll(pushed, (each) => pushImages(images, each), steps);
        return { id: idOf(images), digests, base: first.image, runtimeSbom };
      };
    },
  };
}

function wholeImage(base: OwnBase, input: BakeInput) {
  return { base: base.image, layers: [...base.layers, ...input.layers], config: configOf(base.image, input) };
}

async function writeTo(file: string, images: readonly StoredImage[], name: string): Promise<void> {
  writeImage(file, await imagesLayout(images, name));
}

/** The digest of the index, or that of the configuration where there is only one image. */
function idOf(images: readonly StoredImage[]): string {
  const [first] = images;
  return images.length === 1 && first ? first.config.id : imageIndex(images).digest;
}

/** The name is given to the list when all that it leads to is there. */
function pushImages(images: readonly StoredImage[], pushed: PushedName): Promise<string> {
  const { name, credentials } = pushed;
  return pushName(images, pushed).catch((error: unknown) => {
    throw registryFailure(`${name} is not pushed`, name, credentials, error);
  });
}

async function pushName(images: readonly StoredImage[], { name, credentials }: PushedName): Promise<string> {
  const { repository, reference } = partsOfName(name);
  const registry = new RegistryClient(repository, credentials);
  for (const [digest, bytes] of blobsOf(images)) await registry.putBlob(digest, bytes);
  const [first] = images;
  const list = imageIndex(images);
  const top = images.length === 1 && first ? first.manifest : list;
  for (const { manifest } of images)
    await registry.putManifest(manifest.digest, { mediaType: MANIFEST, text: manifest.text });
  await registry.putManifest(reference, { mediaType: top === list ? INDEX : MANIFEST, text: top.text });
  return top.digest;
}

/** Collects the blobs by digest, so a blob that images share is sent once. */
function blobsOf(images: readonly StoredImage[]): ReadonlyMap<string, Buffer> {
  return new Map(
    images.flatMap(({ config, layers }) => [
      ...layers.map(({ digest, bytes }) => [digest, bytes] as const),
      [config.id, Buffer.from(config.text)] as const,
    ]),
  );
}

// ── Platform bases ───────────────────────────────────────────────────────────────────────────────────────────────────

// The bases for the platforms that an image is made for: from files, from the Docker engine, or from the registry in
// the name of the base. Nothing has been recorded yet when one of them is missing.

interface BaseSources {
  /** Files. Where there are any, nothing else is looked at. */
  readonly archives: readonly string[];
  /** The name of an image. */
  readonly base: string;
}

/** Finds the bases, in the order of the platforms. */
async function platformBases(platforms: readonly Platform[], sources: BaseSources): Promise<readonly OwnBase[]> {
  const find = sources.archives.length > 0 ? inArchives(sources.archives) : await byName(sources.base);
  const found: (OwnBase | undefined)[] = [];
  for (const platform of platforms) found.push(await find(platform));
  const missing = platforms.filter((_, at) => found[at] === undefined).map(platformText);
  if (missing.length === 0) return found.filter((base) => base !== undefined);
  throw new ImageRefusal(`There is no base for ${missing.join(' and ')}: ${whyNone(sources)}`);
}

type Find = (platform: Platform) => Promise<OwnBase | undefined>;

function inArchives(archives: readonly string[]): Find {
  return async (platform) => {
    for (const archive of archives) {
      const base = await platformBase(archive, platform);
      if (base) return base;
    }
    return undefined;
  };
}

/** The engine has an image for one platform under a name, most often. */
async function byName(name: string): Promise<Find> {
  const engine = await DockerEngine.connect().catch(() => null);
  const image = (await engine?.imageOf(name)) ?? null;
  return async (platform) => {
    if (engine && image && isSamePlatform(image, platform)) return { image, layers: await layersIn(engine, name) };
    return hasRegistry(name) ? inRegistry(name, platform) : undefined;
  };
}

async function inRegistry(name: string, platform: Platform): Promise<OwnBase | undefined> {
  const credentials = credentialsFor(name);
  try {
    return await baseInRegistry(name, platform, credentials);
  } catch (error) {
    if (error instanceof ImageRefusal) throw error;
    throw registryFailure(`The base ${name} is not read`, name, credentials, error);
  }
}

/** A name of one part is one of this machine, such as `kiln-runtime`. */
function hasRegistry(name: string): boolean {
  return name.includes('/');
}

function whyNone({ archives, base }: BaseSources): string {
  if (archives.length > 0)
    return `none of the base archives has one (${archives.join(', ')}). \`docker build --platform\` in Kiln's own folder makes one, and \`docker save\` writes it to a file.`;
  const where = hasRegistry(base) ? 'neither the Docker engine nor the registry has one' : 'the Docker engine has none';
  return `${where} as ${base}. Give files with --base-archive, or name a base with --base that a registry has for all of them.`;
}
