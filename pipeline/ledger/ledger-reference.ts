/**
 * The references of the ledgers of a project. A project at the top of its repository has `refs/kiln/releases`; one in a
 * folder has its own references, so that several projects of one repository never meet.
 */

import { isBranchName, type Repository } from '../git/repository.ts';

/** Releases, what became of their builds and of the newest push, the files that builds have left, and what is live where. */
type RecordKind = 'releases' | 'builds' | 'status' | 'reports' | 'deployed';

/** The folder of references that has one for each branch, or of deployments one for each environment. */
export function recordsOf({ folder }: Pick<Repository, 'folder'>, kind: RecordKind): string {
  return folder === '' ? `refs/kiln/${kind}` : `refs/kiln/folders/${encodedFolder(folder)}/${kind}`;
}

/**
 * A branch's ledger outlives the branch, so `feature` and, later, `feature/x` may both have one. Git keeps references
 * as files and folders and could not hold both; with `%2F` for `/` all of them are files.
 */
export function recordReference(repository: Repository, kind: RecordKind, branch: string): string {
  if (!isBranchName(repository, branch)) throw new LedgerRefusal('bad-branch', `\`${branch}\` cannot name a branch`);
  return `${recordsOf(repository, kind)}/${branch.replaceAll('%', '%25').replaceAll('/', '%2F')}`;
}

/** The branch that the last part of a reference stands for. */
export function branchOfLedger(reference: string): string {
  return reference
    .slice(reference.lastIndexOf('/') + 1)
    .replaceAll('%2F', '/')
    .replaceAll('%25', '%');
}

/** Folders may have characters that references may not, so all but the plainest are written as bytes. */
function encodedFolder(folder: string): string {
  const bytes = [...Buffer.from(folder)];
  return bytes
    .map((byte) =>
      PLAIN.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}

const PLAIN = /^[A-Za-z0-9_-]$/;

/** A ledger does not allow what is asked for. The message is a sentence for the user, without a full stop. */
export class LedgerRefusal extends Error {
  readonly kind: LedgerRefusalKind;

  constructor(kind: LedgerRefusalKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

type LedgerRefusalKind =
  /** The reference does not lead to a chain of releases. */
  | 'damaged'
  /** Another build has appended a release since the ledger was read: read it and compare again. */
  | 'overtaken'
  | 'locked'
  /** It was made by a newer Kiln, which this one does not understand. */
  | 'newer'
  | 'bad-branch'
  | 'bad-name';

/** `again` is what to do when the lock is gone. */
export function heldRefusal({ sharedFolder }: Repository, reference: string, again: string): LedgerRefusal {
  const advice = `where none is running, remove \`${sharedFolder}/${reference}.lock\` and ${again}`;
  return new LedgerRefusal('locked', `\`${reference}\` is held by another process; ${advice}`);
}
