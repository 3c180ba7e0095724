/**
 * All ledgers at a glance: the revisions that each has released. Only messages are read, those of all ledgers through
 * one process, since ledgers of long gone branches stay; a build on one of them verifies it with `readChain`. Anything
 * but a release is left out: a damaged ledger only concerns its own branch.
 */
import { type Commit, commitFromBytes } from '../git/commit.ts';
import { readObjects } from '../git/objects.ts';
import { askGit, type Reference, type Repository, referencesIn } from '../git/repository.ts';
import { lineOf } from '../git/run-git.ts';
import { recordsOf } from './ledger-reference.ts';

export interface LedgerLine {
  readonly reference: string;
  /** The releases, newest first. */
  readonly releases: readonly ReleasedRevision[];
}

interface ReleasedRevision {
  readonly commit: string;
  readonly revision: string;
}

/** Lists the ledgers in the order of the names of their branches. */
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

// The message of a release's commit: a line for people, then the facts as trailers, for
// `git log --format='%(trailers:key=Revision)'`. No branch is in it, so branches can share a release.

interface ReleaseFacts {
  readonly revision: string;
  /** The fingerprint of the schema. */
  readonly schema: string;
}

const LONGEST_SUBJECT = 100;

export function releaseMessage({ revision, subject }: Commit, schema: string): string {
  const line = shortened(subject.replace(/\p{Cc}/gu, ' ').trim());
  const title = `Release ${revision.slice(0, 12)}${line === '' ? '' : `: ${line}`}`;
  return `${title}\n\nRevision: ${revision}\nSchema: ${schema}\n`;
}

/** Parses the message of a release; undefined where it is not one. */
export function factsFromMessage(message: string): ReleaseFacts | undefined {
  const [, revision, schema] =
    /^Release [^\n]*\n\nRevision: ([0-9a-f]{40,64})\nSchema: ([^\n]+)\n$/.exec(message) ?? [];
  return revision && schema ? { revision, schema } : undefined;
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST_SUBJECT ? text : `${characters.slice(0, LONGEST_SUBJECT - 1).join('')}…`;
}
