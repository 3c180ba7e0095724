import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { writeBuildFiles } from '../../../pipeline/ledger/build-files.ts';
import { readDeployments, recordDeployment } from '../../../pipeline/ledger/deployments.ts';
import { addToJournal, readJournal } from '../../../pipeline/push/build-journal.ts';
import { pendingRevisions } from '../../../pipeline/push/pending-revisions.ts';
import { newerRelease } from '../../../pipeline/push/usable-releases.ts';
import { commit, ENVIRONMENT, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { release } from '../ledger/releases.ts';
import { kiln } from './pushed-project.ts';

const LEDGER = 'refs/kiln/releases/main';

/** A bare repository with two releases of `main`, and a clone with the sources. */
function released() {
  const bare = join(temporaryFolder(), 'blog.git');
  const folder = newRepository();
  write(folder, { 'blog.kiln': 'model Post { field title { type string } }\n' });
  const first = commit(folder);
  const second = commit(folder);
  gitIn(folder, 'clone', '--quiet', '--bare', folder, bare);
  const repository = openRepository(bare);
  for (const revision of [first, second]) release(repository, 'main', revision);
  for (const revision of [first, second]) addToJournal(repository, 'main', tested(revision));
  kiln('pipeline', 'init', bare);
  return { bare, folder, repository, first, second };
}

const tested = (revision: string) => ({ revision, outcome: 'tested', image: 'sha256:1' }) as const;

function push(folder: string, ...words: readonly string[]) {
  const { status, stderr } = spawnSync('git', ['push', ...words], { cwd: folder, env: ENVIRONMENT, encoding: 'utf8' });
  return { status, said: stderr.replaceAll(/\s*\n(remote: )?/g, ' ') };
}

describe('the records of a repository', () => {
  it('outlive `git push --mirror` from a clone that has none of them', () => {
    const { bare, folder } = released();
    const before = gitIn(bare, 'for-each-ref');
    const { status, said } = push(folder, '--mirror', bare);
    expect(status).to.equal(1);
    expect(said).to.include(`\`${LEDGER}\` records what databases have gone through, so it is not deleted by a push`);
    expect(said).to.include('`refs/kiln/builds/main` records').and.to.include('without --mirror');
    expect(gitIn(bare, 'for-each-ref')).to.equal(before);
  });

  it('are not rewritten by a push, be it with force', () => {
    const { bare, folder } = released();
    gitIn(folder, 'fetch', '--quiet', bare, 'refs/kiln/*:refs/kiln/*');
    const before = gitIn(bare, 'for-each-ref');
    expect(push(folder, '--force', bare, `${LEDGER}~1:${LEDGER}`).said).to.include('it is not rewritten by a push');
    expect(push(folder, '--force', bare, 'main:refs/kiln/builds/main').said).to.include('it is not rewritten');
    expect(gitIn(bare, 'for-each-ref')).to.equal(before);
  });

  it('are refused where they are no chain of releases', () => {
    const { bare, folder } = released();
    const { status, said } = push(folder, bare, 'main:refs/kiln/releases/other');
    expect(status).to.equal(1);
    expect(said).to.include('the ledger `refs/kiln/releases/other` is damaged').and.to.include('is not a release');
  });

  it('grow by what a CI job hands back, and are handed over as a whole to a new repository', () => {
    const { bare, folder } = released();
    gitIn(folder, 'fetch', '--quiet', bare, 'refs/kiln/*:refs/kiln/*');
    const next = commit(folder, 'Next');
    const { commit: appended } = release(openRepository(folder), 'main', next).release;
    expect(push(folder, bare, LEDGER)).to.deep.include({ status: 0 });
    expect(gitIn(bare, 'rev-parse', LEDGER)).to.equal(appended);
    addToJournal(openRepository(folder), 'main', {
      revision: next,
      outcome: 'built',
      image: 'sha256:2',
      digests: {},
    });
    expect(push(folder, '--force', bare, 'refs/kiln/builds/main')).to.deep.include({ status: 0 });
    expect(readJournal(openRepository(bare), 'main').builds).to.have.length(3);
    const other = join(temporaryFolder(), 'other.git');
    kiln('pipeline', 'init', other);
    expect(push(folder, other, 'refs/kiln/*:refs/kiln/*')).to.deep.include({ status: 0 });
    expect(gitIn(other, 'for-each-ref', 'refs/kiln')).to.equal(gitIn(folder, 'for-each-ref', 'refs/kiln'));
  });

  it('take reports that have grown, and none that were rewritten', () => {
    const { bare, folder, repository, first, second } = released();
    const reports = 'refs/kiln/reports/main';
    writeBuildFiles(repository, 'main', { revision: first, time: 1 }, { 'build.json': '{}\n' });
    gitIn(folder, 'fetch', '--quiet', bare, 'refs/kiln/*:refs/kiln/*');
    writeBuildFiles(openRepository(folder), 'main', { revision: second, time: 2 }, { 'build.json': '{}\n' });
    expect(push(folder, bare, reports)).to.deep.include({ status: 0 });
    const before = gitIn(bare, 'for-each-ref');
    expect(push(folder, '--force', bare, `${reports}~1:${reports}`).said).to.include('it is not rewritten by a push');
    expect(push(folder, '--force', bare, `main:${reports}`).said).to.include('it is not rewritten by a push');
    expect(push(folder, bare, `:${reports}`).said).to.include('it is not deleted by a push');
    expect(gitIn(bare, 'for-each-ref')).to.equal(before);
  });

  it('take deployments that a clone adds, and none that were rewritten', () => {
    const { bare, folder, repository, first, second } = released();
    const deployed = 'refs/kiln/deployed/production';
    const deployment = { environment: 'production', branch: 'main', when: new Date(0).toISOString(), who: 'Ann' };
    recordDeployment(repository, { ...deployment, revision: first });
    gitIn(folder, 'fetch', '--quiet', bare, 'refs/kiln/*:refs/kiln/*');
    recordDeployment(openRepository(folder), { ...deployment, revision: second });
    expect(push(folder, bare, deployed)).to.deep.include({ status: 0 });
    expect(push(folder, '--force', bare, `${deployed}~1:${deployed}`).said).to.include('it is not rewritten by a push');
    expect(readDeployments(repository).map(({ revision }) => revision)).to.deep.equal([second]);
  });

  it('keep their objects when git cleans up, also in a mirror', () => {
    const { bare, folder } = released();
    const mirror = `${folder}-mirror.git`;
    gitIn(folder, 'clone', '--quiet', '--mirror', bare, mirror);
    for (const each of [bare, mirror]) {
      gitIn(each, 'gc', '--quiet', '--prune=now');
      expect(gitIn(each, 'fsck', '--strict')).to.equal('');
      expect(readJournal(openRepository(each), 'main').builds).to.have.length(2);
    }
  });
});

describe('a newer release', () => {
  it('is one that a database may be at: any behind it but those that failed their test', () => {
    const { folder, bare, repository, first, second } = released();
    expect(newerRelease(repository, 'main', first)).to.deep.equal({ revision: second, position: 2 });
    expect(newerRelease(repository, 'main', second)).to.equal(undefined);
    const third = commit(folder, 'Third');
    gitIn(folder, 'push', '--quiet', bare, 'main:side');
    release(repository, 'main', third);
    expect(newerRelease(repository, 'main', second)).to.deep.equal({ revision: third, position: 3 });
    addToJournal(repository, 'main', { revision: third, outcome: 'failed', why: 'no luck' });
    expect(newerRelease(repository, 'main', second)).to.equal(undefined);
    expect(newerRelease(repository, 'main', '0'.repeat(40))).to.equal(undefined);
  });
});

describe('what is left to build', () => {
  it('ends with the head of the branch, so that its image has the tag of the branch', () => {
    const { bare, folder, repository, second } = released();
    expect(pendingRevisions(repository, 'main', true)).to.deep.equal([]);
    gitIn(folder, 'checkout', '--quiet', '-b', 'side');
    const side = commit(folder, 'Elsewhere');
    gitIn(folder, 'push', '--quiet', bare, 'side');
    release(repository, 'main', side);
    expect(pendingRevisions(repository, 'main', true)).to.deep.equal([side, second]);
    addToJournal(repository, 'main', tested(side));
    expect(pendingRevisions(repository, 'main', true)).to.deep.equal([second]);
  });

  it('is what a registry did not take, when it is to be tried again', () => {
    const { repository, second } = released();
    addToJournal(repository, 'main', { revision: second, outcome: 'unpushed', image: 'sha256:1', why: 'no luck' });
    expect(pendingRevisions(repository, 'main', false)).to.deep.equal([]);
    expect(pendingRevisions(repository, 'main', true)).to.deep.equal([second]);
  });

  it('leaves a head alone that has failed, unless it is to be tried again', () => {
    const { folder, bare, repository, second } = released();
    addToJournal(repository, 'main', { revision: second, outcome: 'failed', why: 'no luck' });
    gitIn(folder, 'checkout', '--quiet', '-b', 'side');
    const side = commit(folder, 'Elsewhere');
    gitIn(folder, 'push', '--quiet', bare, 'side');
    release(repository, 'main', side);
    expect(pendingRevisions(repository, 'main', false)).to.deep.equal([side]);
    expect(pendingRevisions(repository, 'main', true)).to.deep.equal([side, second]);
  });
});
