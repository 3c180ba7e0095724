/** A bare repository with releases of `main`, made as a build makes them, but without images. */
import { join } from 'node:path';
import { buildRelease } from '../../../pipeline/bake/build-release.ts';
import { openRepository, type Repository } from '../../../pipeline/git/repository.ts';
import { type ReportedBuild, writeBuildReport } from '../../../pipeline/push/build-report.ts';
import { Steps } from '../../../pipeline/smoke/steps.ts';
import { commit, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';

const LIST = 'api { entrypoint Post as post { response { id }, list endpoint {} } }\n';

const SOURCES = [
  `model Post { field title { type string } }\n${LIST}`,
  `model Post { field headline { type string, was title } }\n${LIST}`,
  `model Post { field headline { type string } }\nmodel Author { field name { type string } }\n${LIST.replace('{} }', '{}, get endpoint {} }')}`,
];

/** Wider than a phone, as subjects of commits often are. */
const LONG = ', in which the title of a post is called its headline, as authors do';

export interface ReleasedRepository {
  readonly bare: string;
  readonly repository: Repository;
  /** Oldest first. */
  readonly revisions: readonly string[];
}

/** A release for each of the sources. Those whose numbers are in `failed` have failed their test. */
export async function releasedRepository(
  sources: readonly string[] = SOURCES,
  failed: readonly number[] = [],
): Promise<ReleasedRepository> {
  const folder = newRepository();
  const messages = sources.map((_, at) => `Release ${at + 1}${at === 1 ? LONG : ''}`);
  const revisions = sources.map((text, at) => {
    write(folder, { 'blog.kiln': text });
    return commit(folder, messages[at]);
  });
  const bare = join(temporaryFolder(), 'blog.git');
  gitIn(folder, 'clone', '--quiet', '--bare', folder, bare);
  const repository = openRepository(bare);
  for (const [at, revision] of revisions.entries()) {
    const steps = new Steps(() => undefined);
    const built = await buildRelease({ repository, revision, branch: 'main', folder: '' }, steps);
    const build: ReportedBuild = { repository, branch: 'main', built, steps, say: unexpected };
    const names = [`blog:${revision.slice(0, 12)}`];
    if (failed.includes(at + 1)) writeBuildReport(build, { outcome: 'failed', why: 'it did not start' });
    else writeBuildReport(build, { outcome: 'tested', id: `sha256:${at}`, names, digests: {} });
  }
  return { bare, repository, revisions };
}

function unexpected(sentence: string): void {
  throw new Error(sentence);
}
