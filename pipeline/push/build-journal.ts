/**
 * What has become of each build of a branch, in the order in which they ended. It is a file behind the reference
 * `refs/kiln/builds/<branch>`, so `git show` prints it. A build that was killed is not in it: that is how it is found.
 */
import { readObjects } from '../git/objects.ts';
import { moveReference, referenceId } from '../git/references.ts';
import type { Repository } from '../git/repository.ts';
import { writeBlob } from '../git/write-objects.ts';
import { recordReference } from '../ledger/ledger-reference.ts';
import { PushRefusal } from './push-refusal.ts';

export type FinishedBuild =
  | { readonly revision: string; readonly outcome: 'tested'; readonly image: string }
  /** Tested and tagged, but the registry that it was to be pushed to did not take it. */
  | { readonly revision: string; readonly outcome: 'unpushed'; readonly image: string; readonly why: string }
  | { readonly revision: string; readonly outcome: 'failed'; readonly why: string };

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

/** Only whoever has the turn writes. */
export function addToJournal(repository: Repository, branch: string, build: FinishedBuild): void {
  const { reference, id, builds } = readJournal(repository, branch);
  moveRecord(repository, reference, id, [...builds, build].map((each) => `${JSON.stringify(each)}\n`).join(''));
}

/** Puts a text behind a reference that was last seen at `id`. */
export function moveRecord(repository: Repository, reference: string, id: string | null, text: string): void {
  const { kind } = moveReference(repository, reference, id, writeBlob(repository, text));
  if (kind === 'moved') return;
  const lock = `${repository.sharedFolder}/${reference}.lock`;
  const what = `\`${reference}\` is held by another process; where none is running, remove \`${lock}\``;
  throw new PushRefusal(`${what} and run \`kiln pipeline resume\``);
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
