/**
 * An image that has just been made is tested with a real Postgres, beside the release before it. Pushes and `kiln build
 * --test` share this, so both say the same of the same image.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Release } from '../../compiler/definition/migration.ts';
import { areHere } from '../git/objects.ts';
import { projectSettings } from '../git/project-settings.ts';
import type { Repository } from '../git/repository.ts';
import type { DockerEngine } from '../image/docker-engine.ts';
import { ImageRefusal, MissingRefusal } from '../image/image-refusal.ts';
import type { Layer } from '../image/layer.ts';
import type { Beside, PreviousRelease } from '../smoke/previous-database.ts';
import { SmokeTest } from '../smoke/smoke-test.ts';
import type { TestRoom } from '../smoke/test-room.ts';
import { baseIn, mustRunOn } from './bake.ts';
import { type BuiltRelease, recordedLayers } from './build-release.ts';
import { imageTags } from './image-tags.ts';
import type { ReleaseReport } from './report.ts';
import { safetyOf } from './safety.ts';
import type { Steps } from './steps.ts';

export interface TestImages {
  /** The image of the runtime. */
  readonly base: string;
  readonly postgres: string;
}

export interface ImageTest extends TestImages {
  readonly repository: Repository;
  readonly branch: string;
  /** Whose test it is. One owner tests one image at a time. */
  readonly owner: string;
  /** What images of a release are called, without a tag. */
  readonly name: (application: string) => string;
  /** Whether the image of a release failed its own test. */
  readonly hasFailed: (revision: string) => boolean;
  readonly signal: AbortSignal;
}

/** Before anything is recorded: without these there would be no test. */
export async function mustHaveTestImages(engine: DockerEngine, images: TestImages, steps: Steps): Promise<void> {
  const { base, postgres } = images;
  mustRunOn(
    engine,
    await baseIn(engine, base),
    'Name another one with --base of `kiln build` or `kiln pipeline init`.',
  );
  if ((await engine.imageOf(postgres)) === null) await steps.run('pull', () => pulled(engine, postgres), postgres);
  const found = await engine.imageOf(postgres);
  if (found)
    mustRunOn(engine, found, 'Name another one with --test of `kiln build` or --postgres of `kiln pipeline init`.');
}

async function pulled(engine: DockerEngine, postgres: string): Promise<void> {
  await engine.pull(postgres).catch((cause: unknown) => {
    if (!(cause instanceof ImageRefusal)) throw cause;
    throw new MissingRefusal('postgres', cause.message, 'Name another with --test.', { cause });
  });
}

type Tested = Pick<BuiltRelease, 'release' | 'commit'>;

/** Called with the image when it is there. What does not work is thrown as a `SmokeFailure`. */
export type StartedTest = (image: string, steps: Steps) => Promise<void>;

/** The database of the release before is made while the image is. The release is recorded. */
export function startTest(test: ImageTest, engine: DockerEngine, room: Promise<TestRoom>, built: Tested): StartedTest {
  const { base, postgres, signal } = test;
  const smokeTest = new SmokeTest(room, { base, postgres, previous: previousRelease(test, engine, built), signal });
  const { definition } = built.release;
  const { plans } = projectSettings(test.repository, built.commit.revision);
  return (image, steps) => smokeTest.run(engine.docker, { image, definition, plans }, steps);
}

/** Null for the first release, and where the code of the one before is gone. */
async function previousRelease(
  test: ImageTest,
  engine: DockerEngine,
  { release }: Tested,
): Promise<PreviousRelease | null> {
  const { repository, branch } = test;
  const { releases } = release.chain;
  const revision = releases.at(-2)?.revision;
  if (revision === undefined || !areHere(repository, [`${revision}^{commit}`])[0]) return null;
  const found = await recordedLayers({ repository, revision, branch, folder: repository.folder });
  if (found === undefined) return null;
  const { definition, texts } = found.release;
  const { application } = JSON.parse(texts['report.json']) as ReleaseReport;
  const image = `${test.name(application)}:${imageTags(revision, branch).revision}`;
  return {
    position: releases.length - 1,
    revision,
    definition,
    layers: found.layers,
    populator: populatorOf(definition),
    beside: await besideOf(test, engine, releases, found.layers, image),
  };
}

async function besideOf(
  { base, hasFailed }: ImageTest,
  engine: DockerEngine,
  releases: readonly Release[],
  layers: readonly Layer[],
  image: string,
): Promise<Beside> {
  const reason = safetyOf(releases)?.reason;
  if (reason) return { kind: 'untested', why: reason };
  if (hasFailed(releases.at(-2)?.revision ?? ''))
    return { kind: 'untested', why: 'its image failed its test, so nobody runs it' };
  const [found, below] = await Promise.all([engine.imageOf(image), engine.imageOf(base)]);
  if (found === null) return { kind: 'statements', missing: image };
  const made = below && [...below.layers, ...layers.map(({ diffId }) => diffId)];
  return { kind: 'image', image, isOnBase: isDeepStrictEqual(found.layers, made) };
}

/** The one that development uses, or else the first. */
function populatorOf({ populators }: Definition): string | null {
  const names = populators.map(({ name }) => name);
  return names.find((name) => name === 'Dev') ?? names[0] ?? null;
}
