/**
 * A base for each platform that an image is made for: from files, from the Docker engine, or from the registry that the
 * name of the base says. Nothing has been recorded yet when one of them is missing.
 */
import { platformBase } from '../image/base-archive.ts';
import { DockerEngine } from '../image/docker-engine.ts';
import { ImageRefusal } from '../image/image-refusal.ts';
import type { Layer } from '../image/layer.ts';
import type { OwnBase } from '../image/own-node.ts';
import { isSamePlatform, type Platform, platformText } from '../image/platform.ts';
import { baseInRegistry } from '../image/registry-base.ts';
import { credentialsFor } from '../image/registry-credentials.ts';
import { registryFailure } from '../image/registry-refusal.ts';

export interface BaseSources {
  /** Files. Where there are any, nothing else is looked at. */
  readonly archives: readonly string[];
  /** The name of an image. */
  readonly base: string;
}

/** In the order of the platforms. */
export async function platformBases(platforms: readonly Platform[], sources: BaseSources): Promise<readonly OwnBase[]> {
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
