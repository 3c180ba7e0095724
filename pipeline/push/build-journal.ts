/**
 * The outcome of each build of a branch, in the order in which they ended. It is a file behind the reference
 * `refs/kiln/builds/<branch>`, so `git show` prints it. A killed build is not in it: that is how it is found.
 */
import { isDeepStrictEqual } from 'node:util';
import { once } from '../../compiler/definition/memo.ts';
import { WITHDRAWS } from '../bake/build-names.ts';
import { type HasFailed, passedBefore } from '../bake/compared-releases.ts';
import { readObjects } from '../git/objects.ts';
import { type Repository, referenceId } from '../git/repository.ts';
import { type Draft, writeDrafts } from '../git/write-objects.ts';
import { chainOf, ledgerBranches, readLedger, releaseOf } from '../ledger/ledger.ts';
import { heldRefusal, recordReference } from '../ledger/ledger-reference.ts';
import { jsonFrom } from '../ledger/shapes.ts';
import type { QueuedBuild } from './build-queue.ts';
import { PushRefusal } from './settings.ts';

/** The digest in each registry that took an image, by the name of the image. */
type Digests = Readonly<Record<string, string>>;

export type FinishedBuild =
  | { readonly revision: string; readonly outcome: 'tested'; readonly image: string; readonly digests?: Digests }
  /** Tested and tagged, but the registry that it was to be pushed to did not take it. */
  | { readonly revision: string; readonly outcome: 'unpushed'; readonly image: string; readonly why: string }
  /** Built by `kiln build`. */
  | {
      readonly revision: string;
      readonly outcome: 'built';
      readonly image: string;
      readonly digests: Digests;
      /** Whether `--test` has tested it. */
      readonly isTested?: true;
    }
  | { readonly revision: string; readonly outcome: 'failed'; readonly why: string };

/** The outcome of a push. */
export type PushedBuild = Exclude<FinishedBuild, { outcome: 'built' }>;

export interface Journal {
  readonly reference: string;
  readonly id: string | null;
  readonly builds: readonly FinishedBuild[];
}

export function readJournal(repository: Repository, branch: string): Journal {
  const reference = recordReference(repository, 'builds', branch);
  const id = referenceId(repository, reference);
  const [blob] = id === null ? [] : readObjects(repository, [id]);
  return { reference, id, builds: buildsFromText(blob?.content.toString('utf8') ?? '', reference) };
}

/**
 * Adds a build to the journal. Among pushes, only the one that has the turn writes; a `kiln build` may write at the
 * same time.
 */
export function addToJournal(repository: Repository, branch: string, build: FinishedBuild): void {
  writeNotes(repository, branch, [noteOf(repository, branch, build)]);
}

/** Writes drafts into the journal, alone or with other records. */
export function writeNotes(repository: Repository, branch: string, notes: readonly Draft[]): void {
  if (notes.length === 0 || writeDrafts(repository, notes)) return;
  throw heldRefusal(repository, recordReference(repository, 'builds', branch), RESUME);
}

/** Makes a draft for `writeNotes`. */
export function noteOf(repository: Repository, branch: string, build: FinishedBuild): Draft {
  return textDraft(repository, recordReference(repository, 'builds', branch), () => {
    const { builds } = readJournal(repository, branch);
    return [...builds, build].map((each) => `${JSON.stringify(each)}\n`).join('');
  });
}

/** The text is asked for once more where another process was first, so where the reference is has to be read before it. */
function textDraft(repository: Repository, name: string, text: () => string): Draft {
  return (objects) => {
    const from = referenceId(repository, name);
    return { name, from, to: objects.blob(text()) };
  };
}

const RESUME = 'run `kiln pipeline resume`';

/** Makes drafts for `writeNotes`. Known facts are not recorded again: building twice gives the same image. */
export function notesOfBuilt(
  repository: Repository,
  branch: string,
  build: FinishedBuild & { outcome: 'built' },
): readonly Draft[] {
  const journal = readJournal(repository, branch);
  const isKnown = isTested(journal, build) && Object.keys(build.digests).length === 0;
  if (isKnown || isDeepStrictEqual(buildOf(journal, build.revision), build)) return [];
  return [noteOf(repository, branch, build)];
}

/** Whether this very image has passed its test here. */
export function isTested({ builds }: Journal, { revision, image }: FinishedBuild & { outcome: 'built' }): boolean {
  const same = builds.filter((build) => build.revision === revision && 'image' in build && build.image === image);
  return same.some((build) => build.outcome !== 'built' || build.isTested === true);
}

/** Leaves out the builds of `kiln build`. */
export function pushedBuilds({ builds }: Journal): readonly PushedBuild[] {
  return builds.filter((build): build is PushedBuild => build.outcome !== 'built');
}

/** The last build of a revision. */
export function buildOf({ builds }: Journal, revision: string): FinishedBuild | undefined {
  return builds.findLast((build) => build.revision === revision);
}

function buildsFromText(text: string, reference: string): readonly FinishedBuild[] {
  try {
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as FinishedBuild);
  } catch {
    const advice = `delete it with \`git update-ref -d ${reference}\` to build the newest release again`;
    throw new PushRefusal(`\`${reference}\` is not a list of builds; ${advice}`);
  }
}

// ── Build status ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The status of the newest push to a branch, as one JSON object behind `refs/kiln/status/<branch>`. Git reports success
// to the pusher before the build begins, so this is where scripts look: `git fetch` gets it from anywhere.

export type BuildStatus =
  | PushedBuild
  /** It is being built, or the process that built it was killed. */
  | { readonly revision: string; readonly outcome: 'building' }
  /** It could not be built, such as without a Docker engine, or it was cancelled. Nothing is wrong with the revision. */
  | { readonly revision: string; readonly outcome: 'unbuilt'; readonly why: string };

/** Reads the status; null where nothing was built since the repository was adopted. */
export function readStatus(repository: Repository, branch: string): BuildStatus | null {
  const id = referenceId(repository, recordReference(repository, 'status', branch));
  const [blob] = id === null ? [] : readObjects(repository, [id]);
  // One that cannot be read is as good as none: the next build replaces it.
  return (jsonFrom(blob?.content.toString('utf8') ?? '') ?? null) as BuildStatus | null;
}

/** Writes the status. Only the process that has the turn writes. */
export function writeStatus(repository: Repository, branch: string, status: BuildStatus): void {
  if (writeDrafts(repository, [noteOfStatus(repository, branch, status)])) return;
  throw heldRefusal(repository, recordReference(repository, 'status', branch), RESUME);
}

/** Makes a draft of the status, to be written with others. */
export function noteOfStatus(repository: Repository, branch: string, status: BuildStatus): Draft {
  return textDraft(repository, recordReference(repository, 'status', branch), () => `${JSON.stringify(status)}\n`);
}

// ── Usable releases ──────────────────────────────────────────────────────────────────────────────────────────────────

// The releases of a branch that a database may be at: all whose images somebody may have run.

export interface PlacedRelease {
  readonly revision: string;
  /** The position in the ledger, from 1. */
  readonly position: number;
}

/**
 * The newest such release behind this one; undefined where there is none, or the revision was not released. A database
 * that is there is ahead of the image of the revision, whose `migrate` refuses it.
 */
export function newerRelease(repository: Repository, branch: string, revision: string): PlacedRelease | undefined {
  const revisions = readLedger(repository, branch).releases.map(({ release }) => release.revision);
  const at = revisions.indexOf(revision);
  if (at < 0) return undefined;
  const hasFailed = failedIn(repository);
  const newer = revisions.findLastIndex((each, place) => place > at && !hasFailed(each));
  return newer < 0 ? undefined : { revision: revisions[newer] ?? '', position: newer + 1 };
}

/**
 * Whether a release has failed, wherever and whenever it was built: then nobody has tagged it, and nobody runs it. The
 * journals are read once.
 */
export function failedIn(repository: Repository): HasFailed {
  const failed = once(() => {
    const builds = ledgerBranches(repository).flatMap((branch) => readJournal(repository, branch).builds);
    const others = new Set(builds.filter(({ outcome }) => outcome !== 'failed').map(({ revision }) => revision));
    return new Set(builds.map(({ revision }) => revision).filter((revision) => !others.has(revision)));
  });
  return (revision) => failed().has(revision);
}

// ── Note failure ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The record of an image that failed its test, and the advice then: a push and `kiln build --test` give the same.

/** Records a failure. A revision that was rejected before it became a release is not recorded. */
export function noteFailure(repository: Repository, { branch, revision }: QueuedBuild, why: string): void {
  if (releaseOf(readLedger(repository, branch), revision) !== undefined)
    addToJournal(repository, branch, { revision, outcome: 'failed', why });
}

/** The next release is tested from the newest one that passed, so through all steps of those that failed since. */
export function failureAdvice(repository: Repository, branch: string): string {
  const releases = chainOf(readLedger(repository, branch));
  const from = passedBefore(releases, failedIn(repository));
  const failed = releases[from];
  const fix = 'Commit a fix and push it';
  if (from === 0 || !failed) return fix;
  const line = `\`${WITHDRAWS}: ${failed.revision.slice(0, 12)}\``;
  return `${fix}; it is tested from release ${from} again. If the migration of release ${from + 1} cannot succeed, take its change back in that commit, and end the message with the line ${line}`;
}
