import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Release } from '../../../compiler/definition/migration.ts';
import { buildRelease, prepareRelease } from '../../../pipeline/bake/build-release.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { appendRelease } from '../../../pipeline/ledger/append-release.ts';
import { writeBuildFiles } from '../../../pipeline/ledger/build-files.ts';
import { recordDeployment } from '../../../pipeline/ledger/deployments.ts';
import { pendingRevisions } from '../../../pipeline/push/build-branch.ts';
import { addToJournal, newerRelease, readJournal } from '../../../pipeline/push/build-journal.ts';
import { Steps } from '../../../pipeline/smoke/steps.ts';
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

function push(folder: string, more: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const options = { cwd: folder, env: { ...ENVIRONMENT, ...more }, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync('git', ['push', ...words], options);
  return { status, said: stderr.replaceAll(/\s*\n(remote: )?/g, ' ') };
}

describe('the records of a repository', () => {
  it('outlive `git push --mirror` from a clone that has none of them', () => {
    const { bare, folder } = released();
    const before = gitIn(bare, 'for-each-ref');
    const { status, said } = push(folder, {}, '--mirror', bare);
    expect(status).to.equal(1);
    expect(said).to.include(`\`${LEDGER}\` records what databases have gone through, so it is not deleted by a push`);
    expect(said).to.include('`refs/kiln/builds/main` records').and.to.include('without --mirror');
    expect(gitIn(bare, 'for-each-ref')).to.equal(before);
  });

  it('are written by the repository alone, whatever is configured for whoever pushes', () => {
    const { bare, folder } = released();
    gitIn(folder, 'fetch', '--quiet', bare, 'refs/kiln/*:refs/kiln/*');
    const here = openRepository(folder);
    const next = commit(folder, 'Next');
    release(here, 'main', next);
    addToJournal(here, 'main', tested(next));
    writeBuildFiles(here, 'main', { revision: next, time: 1 }, { 'build.json': '{}\n' });
    const deployment = { environment: 'production', branch: 'main', when: new Date(0).toISOString(), who: 'Ann' };
    recordDeployment(here, { ...deployment, revision: next });
    const settings = join(temporaryFolder(), 'gitconfig');
    writeFileSync(settings, '[kiln]\n  ledger = push\n');
    const before = gitIn(bare, 'for-each-ref');
    const { status, said } = push(folder, { GIT_CONFIG_GLOBAL: settings }, bare, '+refs/kiln/*:refs/kiln/*');
    expect(status).to.equal(1);
    for (const reference of [
      LEDGER,
      'refs/kiln/builds/main',
      'refs/kiln/reports/main',
      'refs/kiln/deployed/production',
    ])
      expect(said).to.include(`\`${reference}\` is written by the repository itself`);
    expect(said).to.include(`git -C '${bare}' config kiln.ledger push`);
    expect(gitIn(bare, 'for-each-ref')).to.equal(before);
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

describe('releases that a CI job hands over', () => {
  const input = (folder: string, revision: string) => ({
    ...{ repository: openRepository(folder), revision, branch: 'main', folder: '' },
  });
  const quiet = () => new Steps(() => undefined);

  /** Commits, the last two of the same sources, of which a bare repository has released the first; a clone has the ledger too. */
  async function handing() {
    const bare = join(temporaryFolder(), 'blog.git');
    const folder = newRepository();
    const names = ['one', 'two', 'three', 'four'];
    const revisions = names.map((name, at) => {
      const fields = names.slice(0, at + 1).map((each) => `  field ${each} { type string, default "" }\n`);
      write(folder, { 'blog.kiln': `model Post {\n${fields.join('')}}\n` });
      return commit(folder, name);
    });
    revisions.push(commit(folder, 'five'));
    gitIn(folder, 'clone', '--quiet', '--bare', folder, bare);
    kiln('pipeline', 'init', bare);
    gitIn(bare, 'config', 'kiln.ledger', 'push');
    await buildRelease(input(bare, revisions[0] ?? ''), quiet());
    gitIn(folder, 'fetch', '--quiet', bare, 'refs/kiln/*:refs/kiln/*');
    return { bare, folder, revisions };
  }

  /** A release whose migration does something else. */
  async function forge(folder: string, revision: string): Promise<void> {
    const { release: made } = await prepareRelease(input(folder, revision), quiet());
    const migration = JSON.parse(made.texts['migration.json']) as Release;
    const statement = { sql: 'CREATE TABLE pwned ()', says: 'add', hazards: [] };
    const steps = [{ kind: 'transaction', statements: [statement] }, ...migration.steps];
    const texts = { ...made.texts, 'migration.json': `${JSON.stringify({ ...migration, steps }, null, 2)}\n` };
    appendRelease(openRepository(folder), made.ledger, revision, texts);
  }

  it('are taken where they are what their commits give, and refused where any of them is not', async () => {
    const { bare, folder, revisions } = await handing();
    const [, two = '', three = '', four = ''] = revisions;
    await buildRelease(input(folder, two), quiet());
    // A gate that is on there and not here is passed there, and is no difference of the release.
    gitIn(bare, 'config', 'kiln.access', 'reviewed');
    expect(push(folder, {}, bare, LEDGER)).to.deep.include({ status: 0 });
    const taken = gitIn(bare, 'rev-parse', LEDGER);
    await forge(folder, three);
    const forged = gitIn(folder, 'rev-parse', LEDGER);
    expect(push(folder, {}, bare, LEDGER).said).to.include(
      `the release ${forged} of ${three.slice(0, 12)} is not taken`,
    );
    // What comes after it is genuine.
    await buildRelease(input(folder, four), quiet());
    expect(push(folder, {}, bare, LEDGER).said).to.include(
      `the release ${forged} of ${three.slice(0, 12)} is not taken`,
    );
    expect(push(folder, {}, '--force', bare, `${LEDGER}~3:${LEDGER}`).said).to.include('it is not rewritten by a push');
    expect(push(folder, {}, bare, 'main:refs/kiln/releases/other').said).to.include('is not a release');
    expect(gitIn(bare, 'for-each-ref', 'refs/kiln'))
      .to.include(taken)
      .and.not.to.include('other');
  });

  it('are refused of commits that their branch does not have, or that the previous release has already', async () => {
    const { bare, folder, revisions } = await handing();
    const [, , , four = '', five = ''] = revisions;
    await buildRelease(input(folder, five), quiet());
    const after = gitIn(folder, 'rev-parse', LEDGER);
    await buildRelease(input(folder, four), quiet());
    expect(push(folder, {}, bare, LEDGER).said).to.include('the previous release contains that commit already');
    gitIn(folder, 'update-ref', LEDGER, after);
    write(folder, { 'other.kiln': 'model Other { field name { type string } }\n' });
    await buildRelease(input(folder, commit(folder, 'Unpushed')), quiet());
    expect(push(folder, {}, bare, LEDGER).said).to.include('`main` does not contain that commit here');
  });

  it('bring no outcome of a test with them', async () => {
    const { bare, folder, revisions } = await handing();
    const [one = ''] = revisions;
    addToJournal(openRepository(bare), 'main', { revision: one, outcome: 'failed', why: 'no luck' });
    gitIn(folder, 'fetch', '--quiet', bare, '+refs/kiln/*:refs/kiln/*');
    addToJournal(openRepository(folder), 'main', { revision: one, outcome: 'built', image: 'sha256:2', digests: {} });
    expect(push(folder, {}, '--force', bare, 'refs/kiln/builds/main').said).to.include('so no push adds to it');
    expect(readJournal(openRepository(bare), 'main').builds).to.have.length(1);
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
