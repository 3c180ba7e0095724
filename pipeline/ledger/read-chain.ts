/**
 * Reads a chain of releases from its newest commit, in at most two processes however long it is. What comes out has been
 * verified: one parent each, all files there, every object what its hash says, and the message, the files and the place
 * in the chain agree.
 */
import type { Release } from '../../compiler/definition/migration.ts';
import { type Commit, commitFromBytes } from '../git/commit.ts';
import { type GitObject, readObjects, type TreeEntry, treeFromBytes } from '../git/objects.ts';
import { askGit, type Repository } from '../git/repository.ts';
import { ancestorsOf, mainLineOf, newestOf } from '../git/revision.ts';
import { lineOf, shallowRefusal } from '../git/run-git.ts';
import { factsFromMessage, type LedgerLine, ledgerLines } from './ledger-lines.ts';
import { LedgerRefusal } from './ledger-reference.ts';
import { isOfNewerKiln, RELEASE_FILES, type ReleaseFile, releaseFromText } from './release-files.ts';

/** A release as the ledger has it. */
export interface RecordedRelease {
  /** The commit of the ledger, not of the source. */
  readonly commit: string;
  readonly release: Release;
  /** The objects that hold its files. */
  readonly files: Readonly<Record<ReleaseFile, string>>;
}

/** Reads a chain, oldest first. `reference` is for messages. */
export function readChain(repository: Repository, reference: string, tip: string): readonly RecordedRelease[] {
  const chain: RecordedRelease[] = [];
  const damaged: Damaged = (what, whole = chain.at(-1)?.commit) => damagedLedger(repository, reference, what, whole);
  const commits = chainOfCommits(repository, tip, damaged);
  const revisions = new Set<string>();
  for (const part of partsOf(repository, commits)) {
    const recorded = recordedRelease(part, damaged);
    const { revision } = recorded.release;
    mustFollow(repository, part.commit, recorded, chain.at(-1), damaged);
    if (revisions.has(revision))
      throw damaged(`the revision ${revision} is in it twice, at last in ${recorded.commit}`);
    revisions.add(revision);
    chain.push(recorded);
  }
  return chain;
}

/** `whole` is its newest release that can be used; undefined where there is none. */
export function damagedLedger(
  { sharedFolder }: Repository,
  reference: string,
  what: string,
  whole: string | undefined,
): LedgerRefusal {
  const repair = whole === undefined ? `update-ref -d ${reference}` : `update-ref ${reference} ${whole}`;
  const gives = whole === undefined ? 'starts a new history' : 'keeps the releases before it';
  const advice = `take it from another clone, or run \`git -C '${sharedFolder}' ${repair}\`, which ${gives}`;
  return new LedgerRefusal('damaged', `the ledger \`${reference}\` is damaged: ${what}; ${advice}`);
}

type Damaged = (what: string, whole?: string) => LedgerRefusal;

/** The newest one is looked at first: behind a reference that was moved to a branch, all of its history would follow. */
function chainOfCommits(repository: Repository, tip: string, damaged: Damaged): readonly string[] {
  const [object] = readObjects(repository, [tip]);
  const isRelease = object?.type === 'commit' && factsFromMessage(commitFromBytes(tip, object.content).message);
  if (!isRelease) throw damaged(`it leads to ${tip}, which is not a release`, releaseBelow(repository, tip));
  const result = askGit(repository, ['rev-list', '--topo-order', '--reverse', tip]);
  if (result.status !== 0) throw damaged(`a release before ${tip} is not in the repository`);
  return lineOf(result).split('\n');
}

const MOST_FOREIGN = 100;

/** The nearest one that a foreign commit, or some of them, lie on. */
function releaseBelow(repository: Repository, tip: string): string | undefined {
  const result = askGit(repository, ['rev-list', '--first-parent', `--max-count=${MOST_FOREIGN}`, tip]);
  const commits = result.status === 0 ? lineOf(result).split('\n') : [];
  const objects = readObjects(repository, commits);
  const isRelease = (id: string, content: Buffer) => factsFromMessage(commitFromBytes(id, content).message);
  return objects.find((object) => object?.type === 'commit' && isRelease(object.id, object.content))?.id;
}

interface Parts {
  readonly commit: Commit;
  readonly tree: readonly TreeEntry[];
  readonly migration: string;
}

function partsOf(repository: Repository, commits: readonly string[]): readonly Parts[] {
  const names = commits.flatMap((id) => [id, `${id}^{tree}`, `${id}:migration.json`]);
  const objects = readObjects(repository, names);
  return commits.map((id, at) => partsFrom(id, objects.slice(at * 3, at * 3 + 3)));
}

function partsFrom(id: string, [commit, tree, migration]: readonly (GitObject | undefined)[]): Parts {
  return {
    commit: commitFromBytes(id, commit?.content ?? Buffer.alloc(0)),
    tree: treeFromBytes(tree?.content ?? Buffer.alloc(0), id.length / 2),
    migration: migration?.content.toString('utf8') ?? '',
  };
}

function recordedRelease({ commit, tree, migration }: Parts, damaged: Damaged): RecordedRelease {
  const id = commit.revision;
  const facts = factsFromMessage(commit.message);
  if (facts === undefined) throw damaged(`${id} is not a release`);
  const files = filesOf(id, tree, damaged);
  const release = releaseFromText(migration);
  if (release === undefined && isOfNewerKiln(migration)) throw newer(id);
  if (release === undefined) throw damaged(`\`migration.json\` of the release ${id} cannot be read`);
  const agrees = release.revision === facts.revision && release.fingerprint === facts.schema;
  if (!agrees) throw damaged(`the message and \`migration.json\` of the release ${id} do not agree`);
  return { commit: id, release, files };
}

function newer(id: string): LedgerRefusal {
  const what = `the release ${id} was recorded by a newer Kiln: its migration has steps that this one does not know`;
  return new LedgerRefusal('newer', `${what}; update Kiln`);
}

function filesOf(id: string, tree: readonly TreeEntry[], damaged: Damaged): Record<ReleaseFile, string> {
  const ids = new Map(tree.filter(({ kind }) => kind === 'file').map((entry) => [entry.path, entry.id]));
  const missing = RELEASE_FILES.filter((name) => !ids.has(name));
  if (missing.length > 0) throw damaged(`the release ${id} has no \`${missing.join('`, `')}\``);
  return Object.fromEntries(RELEASE_FILES.map((name) => [name, ids.get(name)])) as Record<ReleaseFile, string>;
}

function mustFollow(
  repository: Repository,
  { parents }: Commit,
  { commit, release }: RecordedRelease,
  before: RecordedRelease | undefined,
  damaged: Damaged,
): void {
  if (parents.length > 1) throw damaged(`the release ${commit} follows more than one release`);
  const isCut = before === undefined && parents.length === 1;
  if (isCut && repository.isShallow) throw shallowRefusal('older releases are not known');
  if (parents[0] !== before?.commit) throw damaged(`the release ${commit} does not follow the one before it`);
  const startsWithSteps = before === undefined && release.steps.length > 0;
  if (startsWithSteps) throw damaged(`the release ${commit} is the first one, yet it changes a schema`);
}

// The start of a branch without releases: the newest release, on the ledger of any branch, whose revision the new one
// descends from. A release of the very same revision is the newest possible.

/** Finds the chain to start from, oldest first; empty where no ancestor has been released. */
export function baseChain(repository: Repository, revision: string): readonly RecordedRelease[] {
  const ancestors = ancestorsOf(repository, revision);
  const known = new Set(ancestors);
  const candidates = ledgerLines(repository).flatMap((line) => candidateOf(line, revision, known));
  if (candidates.length === 0) return [];
  const newest = new Set(newestOf(repository, [...new Set(candidates.map((candidate) => candidate.revision))]));
  // Several may be newest after a merge: the line that was merged into goes first.
  const chosen = [...mainLineOf(repository, revision), ...ancestors].find((each) => newest.has(each));
  const base = candidates.find((candidate) => candidate.revision === chosen);
  return base ? readChain(repository, base.reference, base.commit) : [];
}

/** The order of the ledger is that of the databases, so the last of its releases counts, not the nearest in history. */
function candidateOf({ reference, releases }: LedgerLine, revision: string, ancestors: ReadonlySet<string>) {
  const same = releases.find((release) => release.revision === revision);
  const found = same ?? releases.find((release) => ancestors.has(release.revision));
  return found ? [{ reference, ...found }] : [];
}
