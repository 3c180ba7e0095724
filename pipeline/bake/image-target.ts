/**
 * Where an image goes: a Docker engine and maybe a registry, or a file. What can be known to fail is told before any
 * work is done, and what may fail on the way there before anything is recorded.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemReason } from '../../files/system-reason.ts';
import { baseFromArchive } from '../image/base-archive.ts';
import { DockerEngine, type EngineImage, engineHere, imageIn, type OpenedLoad } from '../image/docker-engine.ts';
import { type BaseImage, isSamePlatform, type Platform, platformText } from '../image/image-config.ts';
import { ImageRefusal } from '../image/image-refusal.ts';
import { OWN_PLATFORM, ownBase } from '../image/own-node.ts';
import { type Credentials, credentialsFor } from '../image/registry-credentials.ts';
import type { Steps } from '../smoke/steps.ts';
import { type BakeInput, bakeInto, bakeMeanwhile, bakeToFile, mustBeHere, mustRunOn } from './bake.ts';
import { untestedName } from './build-names.ts';
import type { MadeImage } from './provenance-files.ts';
import { runtimeSbomIn, runtimeSbomOf } from './runtime-sbom.ts';

export interface ImageTarget {
  /** What takes its time, and needs nothing of the release but how its image is called. */
  readonly prepare: (names: readonly string[], steps: Steps) => Promise<Bake>;
  /** Ends what it has begun, where no image is made. */
  readonly abandon?: () => void;
}

/** Nothing can be found under one of the names, or in the file, before the release is `recorded`. */
type Bake = (input: BakeInput, recorded: Promise<unknown>) => Promise<MadeImage>;

/** Called with the image before it gets its names. Gives them only to what passes. */
export interface TargetTest {
  readonly ready: (engine: DockerEngine) => Promise<void>;
  readonly run: (engine: DockerEngine, input: BakeInput, image: string, steps: Steps) => Promise<void>;
}

/** Does the work, with a signal that fires where the command is to stop. */
export type Stoppable = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * `platform` says that the image may be for another machine than the engine's. While the image has no name, the command is
 * `stoppable`, so that none is left without one.
 */
export async function engineTarget(
  base: string,
  platform: Platform | null,
  isPushed: boolean,
  stoppable: Stoppable,
  test: TargetTest | null = null,
): Promise<ImageTarget> {
  const docker = engineHere();
  // Asked with the first request, not after it. Where that fails, so does this, and one of them is told.
  const looking = imageIn(docker, base);
  looking.catch(() => undefined);
  const engine = await DockerEngine.connect(docker);
  // What is tested is loaded under another name first.
  const opened = test === null && engine.canWaitForArchive ? await engine.openLoad() : undefined;
  try {
    const image = mustBeHere(base, await looking);
    if (platform === null) mustRunOn(engine, image, OTHER_MACHINE);
    else mustBeFor(platform, image);
    await test?.ready(engine);
    return { ...intoEngine(engine, image, isPushed, stoppable, test, opened), abandon: () => opened?.abandon() };
  } catch (error) {
    opened?.abandon();
    throw error;
  }
}

function intoEngine(
  engine: DockerEngine,
  image: EngineImage,
  isPushed: boolean,
  stoppable: Stoppable,
  test: TargetTest | null,
  opened: OpenedLoad | undefined,
): ImageTarget {
  return {
    prepare: async (names, steps) => {
      const pushed = isPushed ? names.map((name) => ({ name, credentials: credentialsFor(name) })) : [];
      const runtimeSbom = await runtimeSbomIn(engine, image);
      return async (input, recorded) => {
        if (test) {
          await recorded;
          await tested(engine, image, input, test, steps);
        }
        const load = (signal: AbortSignal) => bakeMeanwhile(engine, image, input, names, recorded, signal, opened);
        const id = await steps.run('load', () => stoppable(load), names.join(', '));
        const digests = await pushAll(engine, pushed, steps);
        return { id, digests, base: image, runtimeSbom };
      };
    },
  };
}

/** Under a name of its own, since whoever pulls or runs one of the others must not get what is not tested. */
async function tested(
  engine: DockerEngine,
  base: BaseImage,
  input: BakeInput,
  test: TargetTest,
  steps: Steps,
): Promise<void> {
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

interface PushedName {
  readonly name: string;
  readonly credentials: Credentials | undefined;
}

/** In the order of the names, so that the one of a branch never leads where that of the revision does not. */
export async function pushAll(
  engine: DockerEngine,
  pushed: readonly PushedName[],
  steps: Steps,
): Promise<MadeImage['digests']> {
  const digests: Record<string, string> = {};
  for (const { name, credentials } of pushed) {
    const said = (digest: string | undefined) => (digest === undefined ? name : `${name}@${digest}`);
    const digest = await steps.run('push', () => engine.push(name, credentials), said);
    if (digest !== undefined) digests[name] = digest;
  }
  return digests;
}

/** `archive` is the base; null where it is to be made of this machine's Node and the runtime. */
export function fileTarget(file: string, archive: string | null, runtimeFolder: string): ImageTarget {
  mustTakeFile(file);
  if (archive !== null) mustBeReadable(archive);
  return {
    prepare: async ([name = ''], steps) => {
      const find = () => (archive === null ? ownBase(runtimeFolder) : baseFromArchive(archive));
      const base = await steps.run('base', find, ({ image }) => baseText(image));
      const runtimeSbom = await runtimeSbomOf(base);
      return async (input, recorded) => {
        await recorded;
        const id = await steps.run('write', () => bakeToFile(file, base, input, name), file);
        return { id, digests: {}, base: base.image, runtimeSbom };
      };
    },
  };
}

/** A file may be for any machine, so one that is not for this is named. */
function baseText(image: BaseImage): string {
  return isSamePlatform(image, OWN_PLATFORM) ? image.name : `${image.name}, for ${platformText(image)}`;
}

export function mustTakeFile(file: string): void {
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

export function mustBeReadable(archive: string): void {
  try {
    accessSync(archive, constants.R_OK);
  } catch (error) {
    const what = `The base archive \`${archive}\` cannot be read: ${systemReason(error)}`;
    throw new ImageRefusal(`${what}. \`docker save kiln-runtime -o ${archive}\` writes one.`);
  }
}
