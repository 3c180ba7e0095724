/**
 * All ledgers at a glance: which revisions each has released. Only messages are read, of all ledgers through one
 * process, since ledgers of long gone branches stay; whoever builds on one of them verifies it with `readChain`.
 */
import { type Commit, commitFromBytes } from '../git/commit.ts';
import { readObjects } from '../git/objects.ts';
import { type Reference, referencesIn } from '../git/references.ts';
import { askGit, type Repository } from '../git/repository.ts';
import { lineOf } from '../git/run-git.ts';
import { recordsOf } from './ledger-reference.ts';
import { damagedLedger } from './read-chain.ts';
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
  return references.map(({ name, id }) => ({ reference: name, releases: releasesFrom(id, name, commits) }));
}

function commitsBehind(repository: Repository, references: readonly Reference[]): ReadonlyMap<string, Commit> {
  const tips = references.map(({ id }) => `${id}\n`).join('');
  const result = askGit(repository, ['rev-list', '--stdin'], tips);
  if (result.status !== 0)
    throw damagedLedger(`${recordsOf(repository, 'releases')}/*`, 'a release is not in the repository');
  const ids = lineOf(result).split('\n');
  const objects = readObjects(repository, ids);
  return new Map(
    objects.flatMap((object) => (object ? [[object.id, commitFromBytes(object.id, object.content)]] : [])),
  );
}

function releasesFrom(
  tip: string,
  reference: string,
  commits: ReadonlyMap<string, Commit>,
): readonly ReleasedRevision[] {
  const releases: ReleasedRevision[] = [];
  for (let id: string | undefined = tip; id !== undefined; ) {
    const commit = commits.get(id);
    const facts = commit && factsFromMessage(commit.message);
    if (!facts) throw damagedLedger(reference, `it leads to ${id}, which is not a release`);
    releases.push({ commit: id, revision: facts.revision });
    id = commit.parents[0];
  }
  return releases;
}
