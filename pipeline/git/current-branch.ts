import { GitRefusal } from './git-refusal.ts';
import { branchInHead } from './references.ts';
import { askGit, type Repository } from './repository.ts';
import { lineOf } from './run-git.ts';

/** CI systems check out a commit without its branch, and name the branch in a variable. */
const VARIABLES = ['GITHUB_HEAD_REF', 'GITHUB_REF_NAME', 'CI_COMMIT_BRANCH', 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'];

export function currentBranch(repository: Repository, environment: NodeJS.ProcessEnv = process.env): string {
  const found =
    branchInHead(repository) ||
    askedBranch(repository) ||
    VARIABLES.map((variable) => environment[variable]).find(Boolean);
  if (found) return found;
  throw new GitRefusal('unknown-revision', 'no branch is checked out; name the branch of the ledger with --branch');
}

/** The whole name is asked for: the short one of a branch is another where a tag is called the same. */
function askedBranch(repository: Repository): string {
  return lineOf(askGit(repository, ['symbolic-ref', '--quiet', 'HEAD'])).replace(/^refs\/(heads\/)?/, '');
}
