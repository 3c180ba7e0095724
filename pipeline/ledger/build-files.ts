/**
 * Files that a build leaves beside its release, such as its report: known only after the image was made and tested, so
 * they cannot be part of the release itself. They are in the tree of `refs/kiln/reports/<branch>`, in a folder for each
 * revision, so `git show` prints them. A build that is repeated replaces its files.
 */
import { readObjects } from '../git/objects.ts';
import { type Repository, referenceId } from '../git/repository.ts';
import { type Draft, writeDrafts } from '../git/write-objects.ts';
import { heldRefusal, recordReference } from './ledger-reference.ts';

/** Names to contents; a name has no `/`. */
export type BuildFiles = Readonly<Record<string, string>>;

/**
 * Files of the same revision that are not named stay. `time` is that of the commit, in seconds since 1970. `others` are
 * written with them, or not either.
 */
export function writeBuildFiles(
  repository: Repository,
  branch: string,
  { revision, time }: { readonly revision: string; readonly time: number },
  files: BuildFiles,
  others: readonly Draft[] = [],
): void {
  const reference = recordReference(repository, 'reports', branch);
  const draft: Draft = (objects) => {
    const before = referenceId(repository, reference);
    const blobs = Object.entries(files).map(([name, text]) => [`${revision}/${name}`, objects.blob(text)] as const);
    const tree = objects.folders(before, new Map(blobs));
    const parents = before === null ? [] : [before];
    const commit = objects.commit({ tree, parents, time, message: `Report of ${revision}\n` });
    return { name: reference, from: before, to: commit };
  };
  if (!writeDrafts(repository, [...others, draft])) throw heldRefusal(repository, reference, 'build again');
}

/** Reads a file of a build; undefined where the build of the revision has left no such file. */
export function readBuildFile(
  repository: Repository,
  branch: string,
  revision: string,
  name: string,
): string | undefined {
  return readBuildFiles(repository, branch, [revision], name).get(revision);
}

/** Reads a file of the builds by revision, all of them through one process. Builds without such a file are left out. */
export function readBuildFiles(
  repository: Repository,
  branch: string,
  revisions: readonly string[],
  name: string,
): ReadonlyMap<string, string> {
  const tip = referenceId(repository, recordReference(repository, 'reports', branch));
  if (tip === null) return new Map();
  const objects = readObjects(
    repository,
    revisions.map((revision) => `${tip}:${revision}/${name}`),
  );
  return new Map(
    revisions.flatMap((revision, at) => {
      const object = objects[at];
      return object?.type === 'blob' ? [[revision, object.content.toString('utf8')] as const] : [];
    }),
  );
}
