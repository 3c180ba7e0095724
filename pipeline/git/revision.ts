/** Names of revisions, and how revisions descend from each other. */
import { readObjects } from './objects.ts';
import { askGit, git, type Repository } from './repository.ts';
import { GitRefusal, type GitResult, gitFailure, lineOf, shallowRefusal } from './run-git.ts';

/** The full hash of the commit that a branch, a tag, a shorter hash or the like names. */
export function revisionOf(repository: Repository, name: string): string {
  if (!isName(name)) throw unknown(repository, name);
  const [named] = readObjects(repository, [`${name}^{commit}`]);
  if (named) return named.id;
  const { stderr } = askGit(repository, ['rev-parse', '--verify', `${name}^{commit}`]);
  if (stderr.includes('ambiguous')) throw new GitRefusal('unknown-revision', `\`${name}\` may be several commits`);
  throw unknown(repository, name);
}

/** A commit counts as its own ancestor. */
export function isAncestor(repository: Repository, ancestor: string, revision: string): boolean {
  const { status, stderr } = askGit(repository, ['merge-base', '--is-ancestor', ancestor, revision]);
  if (status === 0) return true;
  if (status !== 1) throw gitFailure('compare the history of two commits', stderr);
  // A "no" in a shallow history may mean "not any more".
  if (repository.isShallow) throw shallowRefusal('the history of the revision is not known');
  return false;
}

/** The newest commit that both descend from. */
export function commonAncestor(repository: Repository, one: string, other: string): string {
  const revisions = [one, other].map((name) => revisionOf(repository, name));
  if (repository.isShallow) throw shallowRefusal('the history of the revision is not known');
  const result = askGit(repository, ['merge-base', ...revisions]);
  if (result.status === 0) return lineOf(result);
  if (result.status !== 1) throw gitFailure('compare the history of two commits', result.stderr);
  throw new GitRefusal('unknown-revision', `\`${one}\` and \`${other}\` have no commit in common`);
}

/** All that the revision descends from, itself included, each before its parents. */
export function ancestorsOf(repository: Repository, revision: string): readonly string[] {
  return revisionList(repository, ['--topo-order', revision]);
}

/** The line on which the revision was made: of a merge, only what was merged into. */
export function mainLineOf(repository: Repository, revision: string): readonly string[] {
  return revisionList(repository, ['--first-parent', revision]);
}

/** Leaves out the revisions that another one of them descends from. */
export function newestOf(repository: Repository, revisions: readonly string[]): readonly string[] {
  if (revisions.length < 2) return revisions;
  return linesOf(git(repository, 'compare the history of commits', ['merge-base', '--independent', ...revisions]));
}

function revisionList(repository: Repository, words: readonly string[]): readonly string[] {
  if (repository.isShallow) throw shallowRefusal('the history of the revision is not known');
  return linesOf(git(repository, 'list the history of a commit', ['rev-list', ...words]));
}

function linesOf(result: GitResult): readonly string[] {
  return lineOf(result).split('\n');
}

/**
 * Whether git takes this for a name: with a leading dash it would be an option, with a leading colon a path in the
 * index.
 */
function isName(name: string): boolean {
  return name !== '' && !/^[-:]|[\0\n]/.test(name);
}

function unknown(repository: Repository, name: string): GitRefusal {
  if (repository.isShallow) throw shallowRefusal(`\`${name}\` may be a commit that was left out`);
  const isEmpty = name === 'HEAD' && askGit(repository, ['rev-list', '-n1', '--all']).bytes.length === 0;
  if (isEmpty) return new GitRefusal('unknown-revision', 'the repository has no commits yet');
  return new GitRefusal('unknown-revision', `the repository has no revision \`${name}\``);
}

// ── Current branch ───────────────────────────────────────────────────────────────────────────────────────────────────

/** CI systems check out a commit without its branch, and name the branch in a variable. */
const VARIABLES = ['GITHUB_HEAD_REF', 'GITHUB_REF_NAME', 'CI_COMMIT_BRANCH', 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'];

export function currentBranch(repository: Repository, environment: NodeJS.ProcessEnv = process.env): string {
  // The whole name is asked for: the short one of a branch is another where a tag is called the same.
  const checkedOut = lineOf(askGit(repository, ['symbolic-ref', '--quiet', 'HEAD'])).replace(/^refs\/(heads\/)?/, '');
  const found = checkedOut || VARIABLES.map((variable) => environment[variable]).find(Boolean);
  if (found) return found;
  throw new GitRefusal('unknown-revision', 'no branch is checked out; name the branch of the ledger with --branch');
}
