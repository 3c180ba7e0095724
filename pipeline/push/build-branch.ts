/**
 * The build after an accepted push: when it is the branch's turn, all that is left to build of it becomes a release,
 * then an image that is tested, and only then tags. If it is killed at any point, it is done again from the records,
 * with the same image at the end.
 */
import { bakeInto, baseIn, howToGet } from '../bake/bake.ts';
import { BuildRefusal, imageTags, untestedName } from '../bake/build-names.ts';
import { type BuildInput, type BuiltRelease, buildRelease, type RecordedBuild } from '../bake/build-release.ts';
import { pushAll } from '../bake/image-target.ts';
import { attachProvenance, provenanceFiles, runtimeSbomIn, signingKey } from '../bake/provenance-files.ts';
import { mustHaveTestImages, startTest } from '../bake/test-image.ts';
import { type Repository, referenceId } from '../git/repository.ts';
import { DockerEngine, mustBeOnThisMachine } from '../image/docker-engine.ts';
import { ImageRefusal, MissingRefusal } from '../image/image-refusal.ts';
import { credentialsFor } from '../image/registry-credentials.ts';
import { type Ledger, readLedger, releasesWithoutSource } from '../ledger/ledger.ts';
import { LedgerRefusal } from '../ledger/ledger-reference.ts';
import { SmokeFailure } from '../smoke/deadline.ts';
import { ownerLabel } from '../smoke/sandbox.ts';
import { Steps } from '../smoke/steps.ts';
import { type TestSandbox, withTestSandbox } from '../smoke/test-sandbox.ts';
import {
  type FinishedBuild,
  failedIn,
  newerRelease,
  noteFailure,
  noteOf,
  noteOfStatus,
  type PushedBuild,
  pushedBuilds,
  readJournal,
  writeStatus,
} from './build-journal.ts';
import { BuildQueue, type QueuedBuild, type Ticket } from './build-queue.ts';
import { type ReportedBuild, writeBuildReport } from './build-report.ts';
import type { PushSettings } from './settings.ts';

export interface BuildRun {
  readonly repository: Repository;
  readonly settings: PushSettings;
  readonly say: (line: string) => void;
  /** Hears of builds that were refused or failed, while the others go on. */
  readonly tell: (error: Error) => void;
  readonly signal: AbortSignal;
}

/** `failed` where an image failed its test, else `unpushed` where a registry did not take one. */
export type BranchOutcome = FinishedBuild['outcome'];

/** `retries` takes up again what has failed. */
export async function buildBranch(run: BuildRun, build: QueuedBuild, retries = false): Promise<BranchOutcome> {
  const { repository, say, signal } = run;
  const leave = await new BuildQueue(repository).takeTurn(build, (ticket) => say(waitingText(ticket)), signal);
  try {
    const revisions = pendingRevisions(repository, build.branch, retries);
    if (!revisions.includes(build.revision))
      say(`${build.branch} ${build.revision.slice(0, 12)}: nothing is left to do`);
    return await buildAll(run, build.branch, revisions);
  } catch (error) {
    const why = signal.aborted ? 'it was cancelled' : firstLine(error);
    writeStatus(repository, build.branch, { revision: build.revision, outcome: 'unbuilt', why });
    throw error;
  } finally {
    leave();
  }
}

export function waitingText(ticket: Ticket, what: 'build' | 'push' = 'build'): string {
  const { branch, revision, process } = ticket;
  return `waiting for the ${what} of ${branch} ${revision.slice(0, 12)} (process ${process.pid})`;
}

async function buildAll(run: BuildRun, branch: string, revisions: readonly string[]): Promise<BranchOutcome> {
  if (revisions.length === 0) return 'tested';
  const engine = await readyEngine(run).catch((error: unknown) => {
    throw withPushAdvice(error, run);
  });
  const outcomes = new Set<BranchOutcome>();
  for (const revision of revisions) {
    run.signal.throwIfAborted();
    outcomes.add(await outcomeOf(run, engine, { branch, revision }));
  }
  return WORST_FIRST.find((outcome) => outcomes.has(outcome)) ?? 'tested';
}

const WORST_FIRST: readonly BranchOutcome[] = ['failed', 'unpushed'];

/** Checks the engine and the images before anything is recorded: without them there would be no image. */
async function readyEngine({ settings: { base, postgres, push }, say }: BuildRun): Promise<DockerEngine> {
  mustBeOnThisMachine();
  // Errors in Docker's configuration are reported now, not after the test.
  if (push !== null) credentialsFor(push);
  const engine = await DockerEngine.connect();
  await mustHaveTestImages(engine, { base, postgres }, new Steps(say));
  return engine;
}

/** A push has no options: what it needs is named with `kiln pipeline init`. */
function withPushAdvice(error: unknown, { repository: { sharedFolder }, settings }: BuildRun): unknown {
  if (!(error instanceof MissingRefusal)) return error;
  const advice = {
    engine: `Start Docker, then run: kiln pipeline resume ${sharedFolder}`,
    'recent-engine': `Update Docker, then run: kiln pipeline resume ${sharedFolder}`,
    base: `${howToGet(settings.base)}, or name another: kiln pipeline init ${sharedFolder} --base <image>`,
    postgres: `Name another: kiln pipeline init ${sharedFolder} --postgres <image>`,
  };
  return new ImageRefusal(`${error.what}. ${advice[error.missing]}`, { cause: error });
}

async function outcomeOf(run: BuildRun, engine: DockerEngine, build: QueuedBuild): Promise<BranchOutcome> {
  const { repository } = run;
  const { branch, revision } = build;
  writeStatus(repository, branch, { revision, outcome: 'building' });
  try {
    return (await buildRevision(run, engine, build)).outcome;
  } catch (error) {
    run.signal.throwIfAborted();
    const isItsOwn = error instanceof SmokeFailure || error instanceof BuildRefusal;
    if (!isItsOwn) throw refusalOf(error);
    writeStatus(repository, branch, { revision, outcome: 'failed', why: firstLine(error) });
    noteFailure(repository, build, firstLine(error));
    run.tell(error);
    return 'failed';
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}

/**
 * Recognises failures of the engine: its answers have a status, and errors of the connection have the name of a system
 * call.
 */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ImageRefusal) return error;
  const isOfEngine = 'statusCode' in error || ('syscall' in error && 'code' in error);
  return isOfEngine ? new ImageRefusal(`the Docker engine failed: ${error.message}`, { cause: error }) : error;
}

// ── Pending revisions ────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Lists the revisions of a branch that are left to build, in order: releases whose builds were killed, then the head of
 * the branch. A release that failed its test, or was not pushed to its registry, is skipped, unless it is to be
 * retried.
 */
export function pendingRevisions(repository: Repository, branch: string, retries: boolean): readonly string[] {
  const head = referenceId(repository, `refs/heads/${branch}`);
  // Images of `kiln build` are neither tested nor tagged here, so they are left to build.
  const builds = pushedBuilds(readJournal(repository, branch));
  const killed = killedReleases(repository, readLedger(repository, branch), builds).filter((each) => each !== head);
  // The last build gets the tag of the branch, so the head is built once more after others.
  const last = builds.at(-1)?.outcome;
  const isTaggedAnew = killed.length > 0 && (last === 'tested' || last === 'unpushed');
  return head === null || (isDone(builds, head, retries) && !isTaggedAnew) ? killed : [...killed, head];
}

function isDone(builds: readonly PushedBuild[], head: string, retries: boolean): boolean {
  const last = builds.at(-1);
  return last?.revision === head && (last.outcome === 'tested' || !retries);
}

/**
 * Lists the releases after the last one whose build ended; if no build of the branch has ended, only the newest
 * release.
 */
function killedReleases(repository: Repository, ledger: Ledger, builds: readonly PushedBuild[]): readonly string[] {
  const revisions = ledger.releases.map(({ release }) => release.revision);
  const ended = new Set(builds.map(({ revision }) => revision));
  const last = revisions.findLastIndex((revision) => ended.has(revision));
  const gone = new Set(releasesWithoutSource(repository, ledger).map(({ release }) => release.revision));
  return revisions.slice(last < 0 ? -1 : last + 1).filter((revision) => !gone.has(revision));
}

// ── Build revision ───────────────────────────────────────────────────────────────────────────────────────────────────

// One revision, from its release to its tags.

/** Gives what became of it, which is also recorded. An image that fails its test is thrown. */
function buildRevision(run: BuildRun, engine: DockerEngine, build: QueuedBuild): Promise<PushedBuild> {
  const { repository, settings, signal } = run;
  const input = { postgres: settings.postgres, owner: repository.sharedFolder, signal };
  return withTestSandbox(engine.docker, input, (sandbox) => buildIn(sandbox, run, engine, build));
}

async function buildIn(
  sandbox: Promise<TestSandbox>,
  run: BuildRun,
  engine: DockerEngine,
  build: QueuedBuild,
): Promise<PushedBuild> {
  const { repository, settings, say, signal } = run;
  const { branch, revision } = build;
  const steps = new Steps(say);
  const start = performance.now();
  const key = signingKey();
  say(`${branch} ${revision.slice(0, 12)}`);
  const hasFailed = failedIn(repository);
  const input = { repository, revision, branch, folder: repository.folder, hasFailed };
  const built = await recorded(input, steps);
  // The tag `<app>:<branch>` must never lead to an image that is not tested yet.
  const untested = untestedName(built.application, revision);
  const reported: ReportedBuild = { repository, branch, built, steps, say };
  try {
    // The base is used by its id from here on: the name may be given to another image in the meantime.
    const base = await baseIn(engine, settings.base);
    const { postgres } = settings;
    const named = { owner: repository.sharedFolder, name: (application: string) => application };
    const imageTest = { repository, branch, base: base.id, postgres, ...named, hasFailed, signal };
    const test = startTest(imageTest, engine, sandbox, built);
    const id = await steps.run('bake', () => bakeInto(engine, base, built, [untested]));
    // The base is read in the background. The sandbox comes first, because it removes what earlier builds have left.
    const reading = sandbox.then(
      () => runtimeSbomIn(engine, base, ownerLabel(repository.sharedFolder)),
      () => null,
    );
    await test(untested, steps);
    // The sandbox is of no more use, and the rest need not wait for it.
    void sandbox.then(({ close }) => close());
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
    if (isItsOwn && !signal.aborted) writeBuildReport(reported, { outcome: 'failed', why: firstLine(error) });
    throw error;
  } finally {
    // Its containers use the image.
    await sandbox.then(
      ({ close }) => close(),
      () => undefined,
    );
    await engine.untag(untested);
  }
}

/** The image is tested and has its tags, so a registry that does not take it is no reason to throw it away. */
async function pushed(
  { settings, tell }: BuildRun,
  engine: DockerEngine,
  built: Extract<PushedBuild, { outcome: 'tested' }>,
  names: readonly string[],
  steps: Steps,
): Promise<PushedBuild> {
  const { push } = settings;
  if (push === null) return built;
  try {
    const there = names.map((name) => `${push}:${name.slice(name.lastIndexOf(':') + 1)}`);
    for (const name of there) await engine.tag(built.image, push, name.slice(push.length + 1));
    const credentials = credentialsFor(push);
    const named = there.map((name) => ({ name, credentials }));
    const digests = await pushAll(named, ({ name }) => engine.push(name, credentials), steps);
    return { ...built, digests };
  } catch (error) {
    if (!(error instanceof ImageRefusal)) throw error;
    tell(error);
    return { ...built, outcome: 'unpushed', why: error.message };
  }
}

const ATTEMPTS = 3;

/** Records the release. It is compared again if another machine has recorded one in the meantime. */
async function recorded(input: BuildInput, steps: Steps): Promise<RecordedBuild> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await buildRelease(input, steps);
    } catch (error) {
      const isOvertaken = error instanceof LedgerRefusal && error.kind === 'overtaken';
      if (!isOvertaken || attempt === ATTEMPTS) throw error;
    }
  }
}

/** Moves the tags. The tag of the branch stays where a newer release has it: databases may be ahead of this image. */
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
