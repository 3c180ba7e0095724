/**
 * What has become of each build of a branch, in the order in which they ended. It is a file behind the reference
 * `refs/kiln/builds/<branch>`, so `git show` prints it. A build that was killed is not in it: that is how it is found.
 */
import { isDeepStrictEqual } from 'node:util';
import { readObjects } from '../git/objects.ts';
import { referenceId } from '../git/references.ts';
import type { Repository } from '../git/repository.ts';
import { type Draft, writeDrafts } from '../git/write-drafts.ts';
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
  writeNotes(repository, branch, [noteOf(repository, branch, build)]);
}

/** What is to be written into the journal, alone or with something else. */
export function writeNotes(repository: Repository, branch: string, notes: readonly Draft[]): void {
  if (notes.length === 0 || writeDrafts(repository, notes)) return;
  throw held(repository, recordReference(repository, 'builds', branch));
}

/** For `writeNotes`. */
export function noteOf(repository: Repository, branch: string, build: FinishedBuild): Draft {
  return textDraft(repository, recordReference(repository, 'builds', branch), () => {
    const { builds } = readJournal(repository, branch);
    return [...builds, build].map((each) => `${JSON.stringify(each)}\n`).join('');
  });
}

/** Puts a text behind a reference. */
export function writeRecord(repository: Repository, reference: string, text: string): void {
  if (!writeDrafts(repository, [textDraft(repository, reference, () => text)])) throw held(repository, reference);
}

/** The text is asked for once more where another process was first, so where the reference is has to be read before it. */
export function textDraft(repository: Repository, name: string, text: () => string): Draft {
  return (objects) => {
    const from = referenceId(repository, name);
    return { name, from, to: objects.blob(text()) };
  };
}

function held(repository: Repository, reference: string): PushRefusal {
  const lock = `${repository.sharedFolder}/${reference}.lock`;
  const what = `\`${reference}\` is held by another process; where none is running, remove \`${lock}\``;
  return new PushRefusal(`${what} and run \`kiln pipeline resume\``);
}

/** For `writeNotes`. What is known already is not said again: who builds twice gets the same image. */
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
