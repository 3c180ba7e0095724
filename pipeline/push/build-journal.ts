/**
 * What has become of each build of a branch, in the order in which they ended. It is a file behind the reference
 * `refs/kiln/builds/<branch>`, so `git show` prints it. A build that was killed is not in it: that is how it is found.
 */
import { isDeepStrictEqual } from 'node:util';
import { readObjects } from '../git/objects.ts';
import { moveReference, referenceId } from '../git/references.ts';
import type { Repository } from '../git/repository.ts';
import { NewObjects } from '../git/write-objects.ts';
import { recordReference } from '../ledger/ledger-reference.ts';
import { PushRefusal } from './push-refusal.ts';

/** By name, of each registry that took an image. */
type Digests = Readonly<Record<string, string>>;

export type FinishedBuild =
  | { readonly revision: string; readonly outcome: 'tested'; readonly image: string; readonly digests?: Digests }
  /** Tested and tagged, but the registry that it was to be pushed to did not take it. */
  | { readonly revision: string; readonly outcome: 'unpushed'; readonly image: string; readonly why: string }
  /** By `kiln build`. */
  | {
      readonly revision: string;
      readonly outcome: 'built';
      readonly image: string;
      readonly digests: Digests;
      /** By `--test`. */
      readonly isTested?: true;
    }
  | { readonly revision: string; readonly outcome: 'failed'; readonly why: string };

/** What became of a push. */
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

/** Of those who push, only whoever has the turn writes; a `kiln build` may write meanwhile. */
export function addToJournal(repository: Repository, branch: string, build: FinishedBuild): void {
  writeRecord(repository, recordReference(repository, 'builds', branch), () => {
    const { builds } = readJournal(repository, branch);
    return [...builds, build].map((each) => `${JSON.stringify(each)}\n`).join('');
  });
}

/** Puts a text behind a reference. It is asked for once more where another process was first. */
export function writeRecord(repository: Repository, reference: string, text: () => string): void {
  for (let attempt = 1; ; attempt++) {
    const id = referenceId(repository, reference);
    const objects = new NewObjects(repository);
    const blob = objects.blob(text());
    objects.write();
    const { kind } = moveReference(repository, reference, id, blob);
    if (kind === 'moved') return;
    if (kind === 'locked' || attempt === ATTEMPTS) throw held(repository, reference);
  }
}

const ATTEMPTS = 5;

function held(repository: Repository, reference: string): PushRefusal {
  const lock = `${repository.sharedFolder}/${reference}.lock`;
  const what = `\`${reference}\` is held by another process; where none is running, remove \`${lock}\``;
  return new PushRefusal(`${what} and run \`kiln pipeline resume\``);
}

/** What is known already is not said again: who builds twice gets the same image. */
export function noteBuilt(repository: Repository, branch: string, build: FinishedBuild & { outcome: 'built' }): void {
  const journal = readJournal(repository, branch);
  const isKnown = isTested(journal, build) && Object.keys(build.digests).length === 0;
  if (isKnown || isDeepStrictEqual(buildOf(journal, build.revision), build)) return;
  addToJournal(repository, branch, build);
}

/** Whether this very image has passed its test here. */
export function isTested({ builds }: Journal, { revision, image }: FinishedBuild & { outcome: 'built' }): boolean {
  const same = builds.filter((build) => build.revision === revision && 'image' in build && build.image === image);
  return same.some((build) => build.outcome !== 'built' || build.isTested === true);
}

/** Without what `kiln build` has made. */
export function pushedBuilds({ builds }: Journal): readonly PushedBuild[] {
  return builds.filter((build): build is PushedBuild => build.outcome !== 'built');
}

/** The last word on a revision. */
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
