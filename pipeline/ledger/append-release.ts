/**
 * Appends a release to a ledger, as a commit whose hash depends on nothing but the release and the previous one. Either
 * the reference moves from where the ledger was read, or nothing shows; a second attempt makes the same commit.
 */
import { commitOf } from '../git/commit.ts';
import { moveReferences, type Repository } from '../git/repository.ts';
import { NewObjects } from '../git/write-objects.ts';
import { type Ledger, newestRelease, releaseOf } from './ledger.ts';
import { releaseMessage } from './ledger-lines.ts';
import { heldRefusal, LedgerRefusal } from './ledger-reference.ts';
import type { RecordedRelease } from './read-chain.ts';
import { RELEASE_FILES, type ReleaseFile, type ReleaseTexts, releaseFromText } from './release-files.ts';

export interface AppendedRelease {
  /** `recorded` where the revision was released before: then what was recorded counts, not what is given. */
  readonly kind: 'appended' | 'recorded';
  readonly release: RecordedRelease;
  /** The ledger after the release was appended. */
  readonly ledger: Ledger;
}

export function appendRelease(
  repository: Repository,
  ledger: Ledger,
  revision: string,
  texts: ReleaseTexts,
): AppendedRelease {
  const before = releaseOf(ledger, revision);
  if (before) return { kind: 'recorded', release: before, ledger: adoptBase(repository, ledger) };
  const objects = new NewObjects(repository);
  const release = releaseIn(objects, repository, ledger, revision, texts);
  objects.write();
  moveTo(repository, ledger, release.commit);
  const releases = [...ledger.releases, release];
  return { kind: 'appended', release, ledger: { ...ledger, tip: release.commit, releases } };
}

/** A branch that starts at a released revision shares that release. */
function adoptBase(repository: Repository, ledger: Ledger): Ledger {
  const newest = newestRelease(ledger);
  if (ledger.tip !== null || newest === undefined) return ledger;
  moveTo(repository, ledger, newest.commit);
  return { ...ledger, tip: newest.commit };
}

/**
 * Computes the commit of a release. These arguments decide each of its bytes, so anybody who has the commit can tell
 * whether it is this release.
 */
export function releaseCommit(repository: Repository, ledger: Ledger, revision: string, texts: ReleaseTexts): string {
  return releaseIn(new NewObjects(repository), repository, ledger, revision, texts).commit;
}

function releaseIn(
  objects: NewObjects,
  repository: Repository,
  ledger: Ledger,
  revision: string,
  texts: ReleaseTexts,
): RecordedRelease {
  const newest = newestRelease(ledger);
  const release = releaseFromText(texts['migration.json']);
  if (release?.revision !== revision) throw new Error('migration.json is not that of the release');
  if (!newest && release.steps.length > 0) throw new Error('the first release of a ledger has no steps');
  const source = commitOf(repository, revision);
  const files = filesOf(objects, texts);
  const message = releaseMessage(source, release.fingerprint);
  const parents = newest ? [newest.commit] : [];
  const commit = objects.commit({ tree: objects.tree(files), parents, time: source.time, message });
  return { commit, release, files };
}

function filesOf(objects: NewObjects, texts: ReleaseTexts): Record<ReleaseFile, string> {
  const ids = RELEASE_FILES.map((name) => [name, objects.blob(texts[name])] as const);
  return Object.fromEntries(ids) as Record<ReleaseFile, string>;
}

/** Another build that made the very same release was first only in time. */
function moveTo(repository: Repository, { branch, reference, tip }: Ledger, commit: string): void {
  const result = moveReferences(repository, [{ name: reference, from: tip, to: commit }]);
  if (result.kind === 'moved' || (result.kind === 'elsewhere' && result.id === commit)) return;
  if (result.kind === 'locked') throw heldRefusal(repository, reference, 'build again');
  const what = `another build of \`${branch}\` recorded a release first, so this one has to be compared with that`;
  throw new LedgerRefusal('overtaken', `${what}; build again`);
}
