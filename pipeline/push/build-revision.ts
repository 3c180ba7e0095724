/** One revision, from its release to its tags. */

import { bakeInto, baseIn } from '../bake/bake.ts';
import { BuildRefusal, imageTags, untestedName } from '../bake/build-names.ts';
import {
  type BuildInput,
  type BuiltRelease,
  prepareRelease,
  type RecordedBuild,
  recordRelease,
} from '../bake/build-release.ts';
import { pushAll } from '../bake/image-target.ts';
import { attachProvenance, provenanceFiles, signingKey } from '../bake/provenance-files.ts';
import { runtimeSbomIn } from '../bake/runtime-sbom.ts';
import { type ImageTest, startTest } from '../bake/test-image.ts';
import type { Repository } from '../git/repository.ts';
import type { DockerEngine } from '../image/docker-engine.ts';
import type { BaseImage } from '../image/image-config.ts';
import { ImageRefusal } from '../image/image-refusal.ts';
import { credentialsFor } from '../image/registry-credentials.ts';
import { LedgerRefusal } from '../ledger/ledger-reference.ts';
import { SmokeFailure } from '../smoke/deadline.ts';
import { ownerLabel } from '../smoke/room.ts';
import { Steps } from '../smoke/steps.ts';
import { type TestRoom, withTestRoom } from '../smoke/test-room.ts';
import { failedIn, newerRelease, noteOf, noteOfStatus, type PushedBuild } from './build-journal.ts';
import type { QueuedBuild } from './build-queue.ts';
import { type ReportedBuild, writeBuildReport } from './build-report.ts';
import type { PushSettings } from './settings.ts';

interface RevisionRun {
  readonly repository: Repository;
  readonly settings: PushSettings;
  readonly say: (line: string) => void;
  /** Hears of what is wrong, though the build goes on. */
  readonly tell: (error: Error) => void;
  readonly signal: AbortSignal;
}

/** Gives what became of it, which is also recorded. An image that fails its test is thrown. */
export function buildRevision(run: RevisionRun, engine: DockerEngine, build: QueuedBuild): Promise<PushedBuild> {
  const { repository, settings, signal } = run;
  const { postgres, keepPostgres } = settings;
  const input = { postgres, owner: repository.sharedFolder, keepPostgres: keepPostgres * 60, signal };
  return withTestRoom(engine.docker, input, (room) => buildIn(room, run, engine, build));
}

async function buildIn(
  room: Promise<TestRoom>,
  run: RevisionRun,
  engine: DockerEngine,
  build: QueuedBuild,
): Promise<PushedBuild> {
  const { repository, settings, say } = run;
  const { branch, revision } = build;
  const steps = new Steps(say);
  const start = performance.now();
  const key = signingKey();
  say(`${branch} ${revision.slice(0, 12)}`);
  const hasFailed = failedIn(repository);
  const input = { repository, revision, branch, folder: repository.folder, hasFailed };
  const built = await recorded(input, steps);
  // Whoever pulls `<app>:<branch>` must not get what is not tested yet.
  const untested = untestedName(built.application, revision);
  const reported: ReportedBuild = { repository, branch, built, steps, say };
  try {
    // By its id from here on: the name may be given to another image meanwhile.
    const base = await baseIn(engine, settings.base);
    const test = startTest({ ...testOf(run, base, branch), hasFailed }, engine, room, built);
    const id = await steps.run('bake', () => bakeInto(engine, base, built, [untested]));
    // What is read of the base need not be waited for. The room removes what builds before have left, so it comes first.
    const reading = room.then(
      () => runtimeSbomIn(engine, base, ownerLabel(repository.sharedFolder)),
      () => null,
    );
    await test(untested, steps);
    // The room is of no more use, and the rest need not wait for it.
    void room.then(({ close }) => close());
    const runtimeSbom = await reading;
    const names = await steps.run(
      'tag',
      () => moveTags(repository, engine, untested, built, branch),
      (moved) => moved.join(', '),
    );
    if (names.length === 1)
      steps.note([`${built.application}:${imageTags(revision, branch).branch} stays at a newer release`]);
    const finished = await pushed(run, engine, { revision, outcome: 'tested', image: id }, names, steps);
    const digests = finished.outcome === 'tested' ? (finished.digests ?? {}) : {};
    const files = provenanceFiles(input, built, { id, digests, base, runtimeSbom }, key);
    await attachProvenance(digests, files, steps);
    const notes = [noteOf(repository, branch, finished), noteOfStatus(repository, branch, finished)];
    writeBuildReport(reported, { outcome: 'tested', id, names, digests }, files, notes);
    say(`${names[0]} is ${id} (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    return finished;
  } catch (error) {
    const isItsOwn = error instanceof SmokeFailure || error instanceof BuildRefusal;
    if (isItsOwn && !run.signal.aborted) writeBuildReport(reported, { outcome: 'failed', why: firstLine(error) });
    throw error;
  } finally {
    // Its containers use the image.
    await room.then(
      ({ close }) => close(),
      () => undefined,
    );
    await engine.untag(untested);
  }
}

/** The image is tested and has its tags, so a registry that does not take it is no reason to throw it away. */
async function pushed(
  { settings, tell }: RevisionRun,
  engine: DockerEngine,
  built: TestedBuild,
  names: readonly string[],
  steps: Steps,
): Promise<PushedBuild> {
  const { push } = settings;
  if (push === null) return built;
  try {
    const there = names.map((name) => `${push}:${name.slice(name.lastIndexOf(':') + 1)}`);
    for (const name of there) await engine.tag(built.image, push, name.slice(push.length + 1));
    const credentials = credentialsFor(push);
    const digests = await pushAll(
      engine,
      there.map((name) => ({ name, credentials })),
      steps,
    );
    return { ...built, digests };
  } catch (error) {
    if (!(error instanceof ImageRefusal)) throw error;
    tell(error);
    return { ...built, outcome: 'unpushed', why: error.message };
  }
}

type TestedBuild = Extract<PushedBuild, { outcome: 'tested' }>;

/** What follows it is the log of a container, which the pusher gets to see and nobody else. */
function firstLine({ message }: Error): string {
  return message.split('\n')[0] ?? '';
}

const ATTEMPTS = 3;

/** A release that another machine has recorded meanwhile is compared with anew. */
async function recorded(input: BuildInput, steps: Steps): Promise<RecordedBuild> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await recordRelease(input, await prepareRelease(input, steps), steps);
    } catch (error) {
      const isOvertaken = error instanceof LedgerRefusal && error.kind === 'overtaken';
      if (!isOvertaken || attempt === ATTEMPTS) throw error;
    }
  }
}

function testOf(
  { repository, settings, signal }: RevisionRun,
  base: BaseImage,
  branch: string,
): Omit<ImageTest, 'hasFailed'> {
  return {
    repository,
    branch,
    base: base.id,
    postgres: settings.postgres,
    owner: repository.sharedFolder,
    name: (application) => application,
    signal,
  };
}

/** That of the branch stays where a newer release has it: databases may be ahead of this image. */
async function moveTags(
  repository: Repository,
  engine: DockerEngine,
  image: string,
  { application, commit }: BuiltRelease,
  branch: string,
): Promise<readonly string[]> {
  const tags = imageTags(commit.revision, branch);
  const isBehind = newerRelease(repository, branch, commit.revision) !== undefined;
  const moved = isBehind ? [tags.revision] : [tags.revision, tags.branch];
  for (const tag of moved) await engine.tag(image, application, tag);
  return moved.map((tag) => `${application}:${tag}`);
}
