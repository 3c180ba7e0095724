/**
 * All ledgers at a glance: which revisions each has released. Only messages are read, of all ledgers through one
 * process, since ledgers of long gone branches stay; whoever builds on one of them verifies it with `readChain`. What is
 * no release is left out: a damaged ledger is its own branch's problem.
 */
import { type Commit, commitFromBytes } from '../git/commit.ts';
import { readObjects } from '../git/objects.ts';
import { type Reference, referencesIn } from '../git/references.ts';
import { askGit, type Repository } from '../git/repository.ts';
import { lineOf } from '../git/run-git.ts';
import { recordsOf } from './ledger-reference.ts';
import { factsFromMessage } from './release-message.ts';

export interface LedgerLine {
  readonly reference: string;
  /** Newest first. */
  readonly releases: readonly ReleasedRevision[];
}

interface ReleasedRevision {
  readonly commit: string;
  readonly revision: string;
}

/** In the order of the names of their branches. */
export function ledgerLines(repository: Repository): readonly LedgerLine[] {
  const references = referencesIn(repository, recordsOf(repository, 'releases'));
  if (references.length === 0) return [];
  const commits = commitsBehind(repository, references);
  return references.map(({ name, id }) => ({ reference: name, releases: releasesFrom(id, commits) }));
}

function commitsBehind(repository: Repository, references: readonly Reference[]): ReadonlyMap<string, Commit> {
  const objects = readObjects(repository, listed(repository, references));
  return new Map(
    objects.flatMap((object) =>
      object?.type === 'commit' ? [[object.id, commitFromBytes(object.id, object.content)]] : [],
    ),
  );
}

/** Git lists nothing at all where one of them cannot be listed. */
function listed(repository: Repository, references: readonly Reference[]): readonly string[] {
  const result = askGit(repository, ['rev-list', '--stdin'], references.map(({ id }) => `${id}\n`).join(''));
  if (result.status === 0) return lineOf(result).split('\n');
  return references.length === 1 ? [] : references.flatMap((reference) => listed(repository, [reference]));
}

function releasesFrom(tip: string, commits: ReadonlyMap<string, Commit>): readonly ReleasedRevision[] {
  const releases: ReleasedRevision[] = [];
  for (let id: string | undefined = tip; id !== undefined; ) {
    const commit = commits.get(id);
    const facts = commit && factsFromMessage(commit.message);
    if (facts) releases.push({ commit: id, revision: facts.revision });
    id = commit?.parents[0];
  }
  return releases;
}
