/** A base image from the registry that its name says, for a platform of which no Docker engine has to have it. */
import { baseOf, plain, type StoredConfig, withLayers } from './base-archive.ts';
import type { OwnBase } from './own-node.ts';
import { isSamePlatform, type Platform } from './platform.ts';
import { RegistryClient } from './registry-client.ts';
import type { Credentials } from './registry-credentials.ts';

interface Descriptor {
  readonly digest: string;
  readonly platform?: Platform;
}

type Manifest =
  | { readonly manifests: readonly Descriptor[] }
  | { readonly config: Descriptor; readonly layers: readonly Descriptor[] };

/** Undefined where the registry has none for the platform. */
export async function baseInRegistry(
  name: string,
  platform: Platform,
  credentials: Credentials | undefined,
): Promise<OwnBase | undefined> {
  const { repository, reference } = partsOf(name);
  const registry = new RegistryClient(repository, credentials);
  const manifest = await manifestFor(registry, reference, platform);
  if (manifest === undefined) return undefined;
  const config = await registry.blob(manifest.config.digest);
  if (!isSamePlatform(JSON.parse(String(config)) as StoredConfig, platform)) return undefined;
  const layers: Buffer[] = [];
  for (const { digest } of manifest.layers) layers.push(plain(await registry.blob(digest)));
  return baseOf(withLayers({ name, config, layers }));
}

async function manifestFor(registry: RegistryClient, reference: string, platform: Platform) {
  const found = await registry.manifest(reference);
  if (found === undefined) return undefined;
  const manifest = JSON.parse(found.text) as Manifest;
  if (!('manifests' in manifest)) return manifest;
  const fitting = manifest.manifests.find((each) => each.platform && isSamePlatform(each.platform, platform));
  const inner = fitting && (await registry.manifest(fitting.digest));
  const image = inner && (JSON.parse(inner.text) as Manifest);
  return image && 'config' in image ? image : undefined;
}

/** `ghcr.io/acme/kiln-runtime:1`, or with a digest behind `@`. */
function partsOf(name: string): { readonly repository: string; readonly reference: string } {
  const [, repository = name, digest] = /^([^@]+)@(.+)$/.exec(name) ?? [];
  if (digest !== undefined) return { repository: repository.replace(/:[^/:]*$/, ''), reference: digest };
  const [, plainName = name, tag] = /^(.+):([^/:]+)$/.exec(name) ?? [];
  return { repository: plainName, reference: tag ?? 'latest' };
}
