/**
 * What has become of the newest push to a branch, as one object of JSON behind `refs/kiln/status/<branch>`. Git has told
 * the pusher that all is well before the build begins, so this is where scripts look: `git fetch` gets it from anywhere.
 */
import { readObjects } from '../git/objects.ts';
import { referenceId } from '../git/references.ts';
import type { Repository } from '../git/repository.ts';
import type { Draft } from '../git/write-drafts.ts';
import { recordReference } from '../ledger/ledger-reference.ts';
import { type PushedBuild, textDraft, writeRecord } from './build-journal.ts';

export type BuildStatus =
  | PushedBuild
  /** It is being built, or the process that built it was killed. */
  | { readonly revision: string; readonly outcome: 'building' }
  /** It could not be built, such as without a Docker engine, or it was cancelled. Nothing is wrong with the revision. */
  | { readonly revision: string; readonly outcome: 'unbuilt'; readonly why: string };

/** Null where nothing was built since the repository was adopted. */
export function readStatus(repository: Repository, branch: string): BuildStatus | null {
  const id = referenceId(repository, recordReference(repository, 'status', branch));
  const [blob] = id === null ? [] : readObjects(repository, [id]);
  return blob === undefined ? null : statusFromText(blob.content.toString('utf8'));
}

/** Only whoever has the turn writes. */
export function writeStatus(repository: Repository, branch: string, status: BuildStatus): void {
  writeRecord(repository, recordReference(repository, 'status', branch), textOf(status));
}

/** To be written with others. */
export function noteOfStatus(repository: Repository, branch: string, status: BuildStatus): Draft {
  return textDraft(repository, recordReference(repository, 'status', branch), () => textOf(status));
}

function textOf(status: BuildStatus): string {
  return `${JSON.stringify(status)}\n`;
}

/** One that cannot be read is as good as none: the next build replaces it. */
function statusFromText(text: string): BuildStatus | null {
  try {
    return JSON.parse(text) as BuildStatus;
  } catch {
    return null;
  }
}
