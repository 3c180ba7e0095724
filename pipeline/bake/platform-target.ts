/**
 * An image for several platforms, to a file or to a registry: a Docker engine keeps one platform of an image. The layers
 * of the application are the same for all of them, and are there once.
 */

import { baseInRegistry, platformBase } from '../image/base-archive.ts';
import { DockerEngine } from '../image/docker-engine.ts';
import { isSamePlatform, type Platform, platformText } from '../image/image-config.ts';
import { ImageRefusal } from '../image/image-refusal.ts';
import type { Layer } from '../image/layer.ts';
import type { OwnBase } from '../image/own-node.ts';
import { RegistryClient } from '../image/registry-client.ts';
import { type Credentials, credentialsFor, registryFailure } from '../image/registry-credentials.ts';
import { INDEX, imageIndex, imagesLayout, MANIFEST, type StoredImage, storedImages } from '../image/stored-image.ts';
import type { Steps } from '../smoke/steps.ts';
import { type BakeInput, configOf, writeImage } from './bake.ts';
import { type ImageTarget, mustBeReadable, mustTakeFile } from './image-target.ts';
import { runtimeSbomOf } from './runtime-sbom.ts';

/** `output` is a file; null where the image is pushed to the registries that its names say. */
export function platformTarget(
  platforms: readonly Platform[],
  sources: BaseSources,
  output: string | null,
): ImageTarget {
  if (output !== null) mustTakeFile(output);
  for (const archive of sources.archives) mustBeReadable(archive);
  return {
    prepare: async (names, steps) => {
      const find = () => platformBases(platforms, sources);
      const bases = await steps.run('base', find, platforms.map(platformText).join(', '));
      // Their runtimes are the same: only Node is of each platform.
      const [first] = bases;
      if (first === undefined) throw new Error('an image is for one platform at least');
      const runtimeSbom = await runtimeSbomOf(first);
      const pushed = output === null ? names.map((name) => ({ name, credentials: credentialsFor(name) })) : [];
      return async (input, recorded) => {
        await recorded;
        const images = storedImages(bases.map((base) => wholeImage(base, input)));
        if (output !== null) await steps.run('write', () => writeTo(output, images, names[0] ?? ''), output);
        const digests = await pushImages(images, pushed, steps);
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

/** That of the list, or of the configuration of the only one. */
function idOf(images: readonly StoredImage[]): string {
  const [first] = images;
  return images.length === 1 && first ? first.config.id : imageIndex(images).digest;
}

interface PushedName {
  readonly name: string;
  readonly credentials: Credentials | undefined;
}

/** In the order of the names; each is given to the list when all that it leads to is there. */
async function pushImages(
  images: readonly StoredImage[],
  pushed: readonly PushedName[],
  steps: Steps,
): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {};
  for (const { name, credentials } of pushed) {
    const push = () =>
      pushName(images, name, credentials).catch((error: unknown) => {
        throw registryFailure(`${name} is not pushed`, name, credentials, error);
      });
    digests[name] = await steps.run('push', push, (digest) => `${name}@${digest}`);
  }
  return digests;
}

async function pushName(
  images: readonly StoredImage[],
  name: string,
  credentials: Credentials | undefined,
): Promise<string> {
  const [, repository = name, tag = 'latest'] = /^(.+):([^/:]+)$/.exec(name) ?? [];
  const registry = new RegistryClient(repository, credentials);
  for (const [digest, bytes] of blobsOf(images)) await registry.putBlob(digest, bytes);
  const [first] = images;
  const list = imageIndex(images);
  const top = images.length === 1 && first ? first.manifest : list;
  for (const { manifest } of images)
    await registry.putManifest(manifest.digest, { mediaType: MANIFEST, text: manifest.text });
  await registry.putManifest(tag, { mediaType: top === list ? INDEX : MANIFEST, text: top.text });
  return top.digest;
}

/** By digest, so what images share is sent once. */
function blobsOf(images: readonly StoredImage[]): ReadonlyMap<string, Buffer> {
  return new Map(
    images.flatMap(({ config, layers }) => [
      ...layers.map(({ digest, bytes }) => [digest, bytes] as const),
      [config.id, Buffer.from(config.text)] as const,
    ]),
  );
}

// ── Platform bases ───────────────────────────────────────────────────────────────────────────────────────────────────

// * A base for each platform that an image is made for: from files, from the Docker engine, or from the registry that the
// name of the base says. Nothing has been recorded yet when one of them is missing.

interface BaseSources {
  /** Files. Where there are any, nothing else is looked at. */
  readonly archives: readonly string[];
  /** The name of an image. */
  readonly base: string;
}

/** In the order of the platforms. */
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
    if (engine && image && isSamePlatform(image, platform)) {
      const layers = [...(await engine.layersOf(name))].map(([diffId, tar]): Layer => ({ diffId, tar }));
      return { image, layers };
    }
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
