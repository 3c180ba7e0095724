/** A prepared release becomes an image: in a Docker engine, or in a file. */
import { statSync, writeFileSync } from 'node:fs';
import { digestOf } from '../../compiler/schema/digest.ts';
import { systemReason } from '../../files/system-reason.ts';
import { writeWhole } from '../../files/write-file.ts';
import type { Commit } from '../git/commit.ts';
import { storedImage } from '../image/base-archive.ts';
import type { DockerEngine } from '../image/docker-engine.ts';
import {
  type BaseImage,
  type ImageConfig,
  type ImageFacts,
  imageConfig,
  isSamePlatform,
  platformText,
} from '../image/image-config.ts';
import { ImageRefusal, MissingRefusal } from '../image/image-refusal.ts';
import type { Layer } from '../image/layer.ts';
import { dockerArchive } from '../image/stored-image.ts';
import type { PreparedRelease } from './release-of-revision.ts';

/** The image of the runtime, where no other is named. */
export const OWN_BASE = 'kiln-runtime';

export interface BakeInput {
  /** The name of its images, without a tag. */
  readonly application: string;
  /** The title that the image states in its labels. */
  readonly title: string;
  readonly commit: Commit;
  /** The URL where the sources are published, from `kiln.json`; null where it has none. */
  readonly source: string | null;
  readonly release: PreparedRelease;
  /** The layers on top of the base, from the bottom up. */
  readonly layers: readonly Layer[];
}

/**
 * Loads the image under these names, and returns its id. The layers of the base stay where they are, unless the engine
 * needs them in the archive.
 */
export async function bakeInto(
  engine: DockerEngine,
  base: BaseImage,
  input: BakeInput,
  tags: readonly string[],
): Promise<string> {
  const config = configOf(base, input);
  try {
    await engine.load(await dockerArchive(base, input.layers, config, tags));
  } catch (error) {
    if (!(error instanceof ImageRefusal)) throw error;
    const carried = await layersIn(engine, base.name).catch(() => {
      throw error;
    });
    await engine.load(await dockerArchive(base, input.layers, config, tags, carried));
  }
  return config.id;
}

export async function layersIn(engine: DockerEngine, name: string): Promise<readonly Layer[]> {
  return (await storedImage(await engine.saved(name), `The image ${name}`)).layers;
}

/** Finds the base in the engine, or rejects it. */
export async function baseIn(engine: DockerEngine, name: string): Promise<BaseImage> {
  const base = await engine.imageOf(name);
  if (base !== null) return base;
  const what = `The base image ${name} is not in the Docker engine`;
  throw new MissingRefusal('base', what, `${howToGet(name)}, or name another with --base.`);
}

/**
 * Rejects a base for other machines before anything is recorded: such an image could neither be tested nor run here.
 */
export function mustRunOn({ platform }: DockerEngine, image: BaseImage, advice: string): void {
  if (platform === null || isSamePlatform(platform, image)) return;
  const what = `The image ${image.name} is for ${platformText(image)}, but this Docker engine runs ${platformText(platform)}`;
  throw new ImageRefusal(`${what}. ${advice}`);
}

/** The advice on how to get a base. `kiln-runtime` itself is in no registry. */
export function howToGet(base: string): string {
  const making = `Make it with \`docker build -t ${base} .\` in Kiln's own folder`;
  return base === OWN_BASE ? making : `${making} or fetch it with \`docker pull ${base}\``;
}

/** Writes the whole file or none of it; a pipe or a device is written to as it is. */
export function writeImage(file: string, layout: Buffer): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  const refusal = stats && !stats.isFile() ? writtenThrough(file, layout) : writeWhole(file, layout);
  if (refusal !== undefined) throw new ImageRefusal(refusal);
}

function writtenThrough(file: string, layout: Buffer): string | undefined {
  try {
    writeFileSync(file, layout);
    return undefined;
  } catch (error) {
    return `\`${file}\` cannot be written: ${systemReason(error)}`;
  }
}

/**
 * The configuration of the image. It does not state where or when it was built, so that the same revision gives the
 * same image.
 */
export function configOf(base: BaseImage, input: BakeInput): ImageConfig {
  return imageConfig(
    base,
    input.layers.map(({ diffId }) => diffId),
    factsOf(input),
  );
}

function factsOf({ title, commit, source, release }: BakeInput): ImageFacts {
  return {
    application: title,
    revision: commit.revision,
    source,
    created: new Date(commit.time * 1000),
    definition: digestOf(release.texts['definition.json']),
    schema: release.chain.releases.at(-1)?.fingerprint ?? '',
  };
}
