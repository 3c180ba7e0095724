import { GitRefusal } from './git-refusal.ts';
import { askGit, type Repository } from './repository.ts';

/** CI systems check out a commit without its branch, and name the branch in a variable. */
const VARIABLES = ['GITHUB_HEAD_REF', 'GITHUB_REF_NAME', 'CI_COMMIT_BRANCH', 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'];

export function currentBranch(repository: Repository, environment: NodeJS.ProcessEnv = process.env): string {
  const name = askGit(repository, ['symbolic-ref', '--quiet', '--short', 'HEAD']).bytes.toString('utf8').trim();
  const found = name || VARIABLES.map((variable) => environment[variable]).find(Boolean);
  if (found) return found;
  throw new GitRefusal('unknown-revision', 'no branch is checked out; name the branch of the ledger with --branch');
}
