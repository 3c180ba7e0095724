import { isBranchName } from '../git/references.ts';
import type { Repository } from '../git/repository.ts';
import { LedgerRefusal } from './ledger-refusal.ts';

export const LEDGERS = 'refs/kiln/releases';

/**
 * A branch's ledger outlives the branch, so `feature` and, later, `feature/x` may both have one. Git keeps references
 * as files and folders and could not hold both; with `%2F` for `/` all of them are files.
 */
export function ledgerReference(repository: Repository, branch: string): string {
  if (!isBranchName(repository, branch)) throw new LedgerRefusal('bad-branch', `\`${branch}\` cannot name a branch`);
  return `${LEDGERS}/${branch.replaceAll('%', '%25').replaceAll('/', '%2F')}`;
}

export function branchOfLedger(reference: string): string {
  return reference
    .slice(LEDGERS.length + 1)
    .replaceAll('%2F', '/')
    .replaceAll('%25', '%');
}
