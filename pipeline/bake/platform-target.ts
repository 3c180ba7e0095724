/**
 * An image for several platforms, to a file or to a registry: a Docker engine keeps one platform of an image. The layers
 * of the application are the same for all of them, and are there once.
 */
import { imagesLayout } from '../image/oci-layout.ts';
import type { OwnBase } from '../image/own-node.ts';
import { type Platform, platformText } from '../image/platform.ts';
import { RegistryClient } from '../image/registry-client.ts';
import { type Credentials, credentialsFor } from '../image/registry-credentials.ts';
import { registryFailure } from '../image/registry-refusal.ts';
import { INDEX, imageIndex, MANIFEST, type StoredImage, storedImages } from '../image/stored-image.ts';
import { type BakeInput, configOf, writeImage } from './bake.ts';
import { type ImageTarget, mustBeReadable, mustTakeFile } from './image-target.ts';
import { type BaseSources, platformBases } from './platform-bases.ts';
import { runtimeSbomOf } from './runtime-sbom.ts';
import type { Steps } from './steps.ts';

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
