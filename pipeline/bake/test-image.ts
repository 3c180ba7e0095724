/**
 * An image that has just been made is tested with a real Postgres, beside the previous release. Pushes and `kiln build
 * --test` share this, so both say the same of the same image.
 */
import type { Release, Withdrawal } from '../../compiler/definition/migration.ts';
import { areHere } from '../git/objects.ts';
import { gatesOf } from '../git/project-settings.ts';
import type { Repository } from '../git/repository.ts';
import type { DockerEngine } from '../image/docker-engine.ts';
import { ImageRefusal, MissingRefusal } from '../image/image-refusal.ts';
import type { LiveUpgrade } from '../smoke/beside.ts';
import {
  type Beside,
  type EarlierRelease,
  type PreviousRelease,
  releaseText,
  type Untested,
} from '../smoke/previous-database.ts';
import { startSmokeTest } from '../smoke/smoke-test.ts';
import type { Steps } from '../smoke/steps.ts';
import { populatorOf } from '../smoke/stored-jobs.ts';
import type { TestSandbox } from '../smoke/test-sandbox.ts';
import type { Withdrawn } from '../smoke/withdrawal.ts';
import { baseIn, mustRunOn } from './bake.ts';
import { BuildRefusal, imageTags } from './build-names.ts';
import { reportFrom } from './build-record.ts';
import { type BuiltRelease, recordedLayers } from './build-release.ts';
import { type HasFailed, liveReleases, liveText, passedBefore, safetyOf } from './compared-releases.ts';

export interface TestImages {
  /** The image of the runtime. */
  readonly base: string;
  readonly postgres: string;
}

export interface ImageTest extends TestImages {
  readonly repository: Repository;
  readonly branch: string;
  /** The owner of the test. An owner tests one image at a time. */
  readonly owner: string;
  /** Names the images of an application, without a tag. */
  readonly name: (application: string) => string;
  readonly hasFailed: HasFailed;
  readonly signal: AbortSignal;
}

/** Rejects missing images before anything is recorded: without them there would be no test. */
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

/** Called with the image when it is there. What does not work is thrown as a `SmokeFailure`. */
export type StartedTest = (image: string, steps: Steps) => Promise<void>;

/** The database of the previous release is made while the image is. The release is recorded. */
export function startTest(
  test: ImageTest,
  engine: DockerEngine,
  sandbox: Promise<TestSandbox>,
  built: Pick<BuiltRelease, 'release' | 'commit'>,
): StartedTest {
  const { base, postgres, signal } = test;
  const { releases } = built.release.chain;
  const find = finderOf(test, releases);
  const from = passedBefore(releases.slice(0, -1), test.hasFailed, releases.at(-1));
  const previous = previousRelease(test, engine, { releases, from }, find);
  const withdrawn = withdrawnReleases(releases, find);
  const live = liveFrom(test, { releases, from }, find);
  const run = startSmokeTest(sandbox, { base, postgres, previous, withdrawn, live, signal });
  const { definition } = built.release;
  const plans = gatesOf(test.repository, built.commit.revision).has('plans') ? 'guarded' : undefined;
  return (image, steps) => run(engine.docker, { image, definition, plans }, steps);
}

/** The releases of an image, and the position of the one that it is tested from. */
interface Compared {
  readonly releases: readonly Release[];
  readonly from: number;
}

/** Finds the previous release; null where none passed its test, and where its code is gone. */
async function previousRelease(
  test: ImageTest,
  engine: DockerEngine,
  compared: Compared,
  find: FindRelease,
): Promise<PreviousRelease | null> {
  const found = await find(compared.from);
  if (found === null) return null;
  const { application, ...previous } = found;
  const image = `${test.name(application)}:${imageTags(previous.revision, test.branch).revision}`;
  return { ...previous, beside: await besideOf(engine, compared, image) };
}

interface FoundRelease extends EarlierRelease {
  /** The name of its images. */
  readonly application: string;
}

/** Finds a release by its position, from 1. Null where its code is gone. */
type FindRelease = (position: number) => Promise<FoundRelease | null>;

/** The previous release is often the one that is withdrawn. Its code is bundled once. */
function finderOf(test: ImageTest, releases: readonly Release[]): FindRelease {
  const found = new Map<number, Promise<FoundRelease | null>>();
  return (position) => {
    const own = found.get(position) ?? earlierRelease(test, releases, position);
    found.set(position, own);
    return own;
  };
}

async function earlierRelease(
  { repository, branch }: ImageTest,
  releases: readonly Release[],
  position: number,
): Promise<FoundRelease | null> {
  const revision = releases[position - 1]?.revision;
  if (revision === undefined || !areHere(repository, [`${revision}^{commit}`])[0]) return null;
  const found = await recordedLayers({ repository, revision, branch, folder: repository.folder });
  if (found === undefined) return null;
  const { definition, texts } = found.release;
  const { application } = reportFrom(texts['report.json']);
  return { application, position, revision, definition, layers: found.layers, populator: populatorOf(definition) };
}

/** Databases of releases that are live are upgraded too. */
function liveFrom(
  { repository, branch }: ImageTest,
  { releases, from }: Compared,
  find: FindRelease,
): Promise<readonly LiveUpgrade[]> {
  return Promise.all(
    liveReleases(repository, branch, releases.slice(0, -1), from).map(async (live) => ({
      says: liveText(live),
      unsafe: safetyOf(releases, live.position)?.reason ?? null,
      release: await foundOrUntested(find, releases, live.position),
    })),
  );
}

function withdrawnReleases(releases: readonly Release[], find: FindRelease): Promise<readonly Withdrawn[]> {
  const withdraws = releases.at(-1)?.withdraws ?? [];
  return Promise.all(withdraws.map((withdrawal) => withdrawnRelease(releases, find, withdrawal)));
}

async function withdrawnRelease(
  releases: readonly Release[],
  find: FindRelease,
  withdrawal: Withdrawal,
): Promise<Withdrawn> {
  const { revision, undo } = withdrawal;
  const positionOf = (wanted: string) => releases.findIndex((each) => each.revision === wanted) + 1;
  const position = positionOf(revision);
  const begunAt = undo.map((each) => positionOf(each.revision));
  const found = await Promise.all([position - 1, ...begunAt].map((at) => foundOrUntested(find, releases, at)));
  const untested = found.find((each) => 'untested' in each);
  if (untested) return { position, revision, path: untested };
  const [from, ...begun] = found as [EarlierRelease, ...EarlierRelease[]];
  const path = {
    from,
    begun: undo.map(({ steps }, at) => ({ release: begun[at] as EarlierRelease, steps: steps.length })),
  };
  return { position, revision, path };
}

/**
 * Turns a failure into an untested release: nobody can change the code of an earlier release, so it must not block the
 * next one.
 */
async function foundOrUntested(
  find: FindRelease,
  releases: readonly Release[],
  position: number,
): Promise<EarlierRelease | Untested> {
  try {
    return (await find(position)) ?? { untested: 'the code of a release is gone', details: [] };
  } catch (error) {
    if (!(error instanceof BuildRefusal)) throw error;
    const release = releaseText({ position, revision: releases[position - 1]?.revision ?? '' });
    return { untested: `of ${release}: ${error.message}`, details: error.shown.split('\n') };
  }
}

async function besideOf(engine: DockerEngine, { releases, from }: Compared, image: string): Promise<Beside> {
  const reason = safetyOf(releases, from)?.reason;
  if (reason) return { kind: 'untested', why: reason };
  return (await engine.imageOf(image)) === null ? { kind: 'statements', missing: image } : { kind: 'image', image };
}
