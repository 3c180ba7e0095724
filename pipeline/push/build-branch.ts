/**
 * What follows an accepted push: when it is the branch's turn, all that is left to build of it becomes a release, an
 * image that has been tested, and only then tags. Killed at any point, it is done again from what is recorded, with the
 * same image at the end.
 */
import { howToGet } from '../bake/bake.ts';
import { BuildRefusal } from '../bake/build-names.ts';
import { mustHaveTestImages } from '../bake/test-image.ts';
import { referenceId } from '../git/references.ts';
import type { Repository } from '../git/repository.ts';
import { DockerEngine, mustBeOnThisMachine } from '../image/docker-engine.ts';
import { ImageRefusal, MissingRefusal } from '../image/image-refusal.ts';
import { credentialsFor } from '../image/registry-credentials.ts';
import { type Ledger, readLedger, releasesWithoutSource } from '../ledger/ledger.ts';
import { SmokeFailure } from '../smoke/deadline.ts';
import { Steps } from '../smoke/steps.ts';
import {
  type FinishedBuild,
  noteFailure,
  type PushedBuild,
  pushedBuilds,
  readJournal,
  writeStatus,
} from './build-journal.ts';
import { BuildQueue, type QueuedBuild, type Ticket } from './build-queue.ts';
import { buildRevision } from './build-revision.ts';
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
    if (!revisions.includes(build.revision)) say(doneText(build));
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

function doneText({ branch, revision }: QueuedBuild): string {
  return `${branch} ${revision.slice(0, 12)}: nothing is left to do`;
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

/** Before anything is recorded: without these there would be no image. */
async function readyEngine({ settings: { base, postgres, push }, say }: BuildRun): Promise<DockerEngine> {
  mustBeOnThisMachine();
  // What is wrong with Docker's configuration is told now, not after the test.
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

/** What the engine answers to requests has a status; what keeps them from reaching it has the name of a system call. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ImageRefusal) return error;
  const isOfEngine = 'statusCode' in error || ('syscall' in error && 'code' in error);
  return isOfEngine ? new ImageRefusal(`the Docker engine failed: ${error.message}`, { cause: error }) : error;
}

// ── Pending revisions ────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * What is left to build of a branch, in order: releases whose builds were killed, then where the branch is now. A
 * release that failed its test, or was not pushed to its registry, is left alone, unless it is to be tried once more.
 */
export function pendingRevisions(repository: Repository, branch: string, retries: boolean): readonly string[] {
  const head = referenceId(repository, `refs/heads/${branch}`);
  // What `kiln build` has made is neither tested nor tagged here, so it is left to build.
  const builds = pushedBuilds(readJournal(repository, branch));
  const killed = killedReleases(repository, readLedger(repository, branch), builds).filter((each) => each !== head);
  // What is built last has the tag of the branch, so after others the head has its turn once more.
  const last = builds.at(-1)?.outcome;
  const isTaggedAnew = killed.length > 0 && (last === 'tested' || last === 'unpushed');
  return head === null || (isDone(builds, head, retries) && !isTaggedAnew) ? killed : [...killed, head];
}

function isDone(builds: readonly PushedBuild[], head: string, retries: boolean): boolean {
  const last = builds.at(-1);
  return last?.revision === head && (last.outcome === 'tested' || !retries);
}

/** Those after the last one that came to an end; of a branch without any end only the newest can be meant. */
function killedReleases(repository: Repository, ledger: Ledger, builds: readonly PushedBuild[]): readonly string[] {
  const revisions = ledger.releases.map(({ release }) => release.revision);
  const ended = new Set(builds.map(({ revision }) => revision));
  const last = revisions.findLastIndex((revision) => ended.has(revision));
  const gone = new Set(releasesWithoutSource(repository, ledger).map(({ release }) => release.revision));
  return revisions.slice(last < 0 ? -1 : last + 1).filter((revision) => !gone.has(revision));
}
