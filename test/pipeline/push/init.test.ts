import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { commit, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { KILN } from '../run-kiln.ts';
import { kilnHere } from './pushed-project.ts';

describe('kiln pipeline init', () => {
  it('makes a bare repository with hooks that call this Kiln, and with its settings', async () => {
    const bare = join(temporaryFolder(), "it's a blog.git");
    const { status, said } = await kilnHere('pipeline', 'init', bare, '--branch', 'trunk', 'next', '--base', 'base:1');
    expect(status, said).to.equal(0);
    expect(gitIn(bare, 'symbolic-ref', 'HEAD')).to.equal('refs/heads/trunk');
    expect(gitIn(bare, 'config', '--get-all', 'kiln.branch')).to.equal('trunk\nnext');
    expect(gitIn(bare, 'config', '--get', 'kiln.base')).to.equal('base:1');
    expect(gitIn(bare, 'config', '--get', 'kiln.postgres')).to.equal('postgres:18');
    for (const hook of ['pre-receive', 'post-receive']) {
      expect(readFileSync(join(bare, 'hooks', hook), 'utf8')).to.include(`exec '${process.execPath}' '${KILN}' `);
      expect(statSync(join(bare, 'hooks', hook)).mode & 0o111).to.equal(0o111);
    }
  });

  it('adopts a bare repository with its other hooks, and changes only what is said', async () => {
    const bare = join(temporaryFolder(), 'blog.git');
    await kilnHere('pipeline', 'init', bare, '--branch', 'trunk');
    writeFileSync(join(bare, 'hooks/update'), '#!/bin/sh\nexit 0\n');
    const { said } = await kilnHere('pipeline', 'init', bare, '--postgres', 'postgres:17');
    expect(said).to.include('Adopted').and.to.include('builds  trunk').and.to.include('with postgres:17');
    expect(gitIn(bare, 'config', '--get-all', 'kiln.branch')).to.equal('trunk');
    await kilnHere('pipeline', 'init', bare, '--push', 'ghcr.io/acme/blog');
    expect((await kilnHere('pipeline', 'init', bare)).said).to.include('  pushes  to ghcr.io/acme/blog\n');
    expect((await kilnHere('pipeline', 'init', bare, '--no-push')).said).not.to.include('pushes');
    const wrong = await kilnHere('pipeline', 'init', bare, '--push', 'ghcr.io/acme/blog:main');
    expect(wrong.said).to.include('`ghcr.io/acme/blog:main` cannot name an image; give one without a tag');
    expect(readFileSync(join(bare, 'hooks/update'), 'utf8')).to.equal('#!/bin/sh\nexit 0\n');
  });

  it('refuses to overwrite a hook that it did not write, and writes nothing', async () => {
    const bare = join(temporaryFolder(), 'blog.git');
    gitIn(temporaryFolder(), 'init', '--quiet', '--bare', bare);
    write(bare, { 'hooks/post-receive': '#!/bin/sh\necho mine\n' });
    const { status, said } = await kilnHere('pipeline', 'init', bare);
    expect(status).to.equal(1);
    expect(said).to.match(/^error: `.*post-receive` is a hook that Kiln did not write, so it stays as it is;/);
    expect(existsSync(join(bare, 'hooks/pre-receive'))).to.equal(false);
    expect(readFileSync(join(bare, 'hooks/post-receive'), 'utf8')).to.include('mine');
    expect(() => gitIn(bare, 'config', '--get', 'kiln.branch')).to.throw();
  });

  it('refuses a repository with a work tree, a folder of one, and a name that is no branch', async () => {
    const folder = newRepository();
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub/file'), '');
    for (const place of [folder, join(folder, '.git'), join(folder, 'sub')]) {
      const { status, said } = await kilnHere('pipeline', 'init', place);
      expect(status).to.equal(1);
      expect(said).to.match(/^error: `.*` is not a bare repository;/);
    }
    const { said } = await kilnHere('pipeline', 'init', join(temporaryFolder(), 'a.git'), '--branch', 'a..b');
    expect(said).to.equal('error: `a..b` cannot name a branch\n');
  });

  it('refuses a folder with other files, which is no repository, and a place where no folder can be', async function () {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'notes.txt'), '');
    const withFiles = await kilnHere('pipeline', 'init', folder);
    expect(withFiles.status).to.equal(1);
    expect(withFiles.said).to.match(
      /^error: `.*` is not a bare repository; name one .* or a folder that does not exist yet\n$/,
    );
    expect(readdirSync(folder)).to.deep.equal(['notes.txt']);
    if (!existsSync('/proc/self')) this.skip();
    const nowhere = await kilnHere('pipeline', 'init', '/proc/x.git');
    expect([nowhere.status, nowhere.said]).to.deep.equal([
      1,
      'error: the folder `/proc/x.git` cannot be made: there can be no new folder\n',
    ]);
  });

  it('refuses branches whose images would have the same tag', async () => {
    const bare = join(temporaryFolder(), 'a.git');
    const { status, said } = await kilnHere('pipeline', 'init', bare, '--branch', 'feature/x', 'main', 'feature-x');
    expect(status).to.equal(1);
    expect(said).to.equal('error: `feature/x` and `feature-x` would have the same tag, `feature-x`\n');
    expect(existsSync(bare)).to.equal(false);
  });

  it('refuses hooks that would never be called', async () => {
    const bare = join(temporaryFolder(), 'blog.git');
    gitIn(temporaryFolder(), 'init', '--quiet', '--bare', bare);
    gitIn(bare, 'config', 'core.hooksPath', '/elsewhere');
    expect((await kilnHere('pipeline', 'init', bare)).said).to.include('hooks are taken from `/elsewhere`');
  });

  it('checks a push where nobody could build it, and says so when it was accepted', async () => {
    const bare = join(temporaryFolder(), 'blog.git');
    await kilnHere('pipeline', 'init', bare);
    const folder = newRepository();
    write(folder, { 'blog.kiln': 'model Post { field title { type string } }\n' });
    const revision = commit(folder);
    const env = { ...process.env, DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
    const { status, stderr } = spawnSync('git', ['push', bare, 'main'], { cwd: folder, env, encoding: 'utf8' });
    expect(status).to.equal(0);
    expect(stderr).to.include('error: A Docker engine is needed').and.to.include('To try again: kiln pipeline resume');
    expect(gitIn(bare, 'rev-parse', 'main')).to.equal(revision);
    const reference = 'refs/kiln/status/main';
    expect(gitIn(bare, 'for-each-ref', '--format=%(refname)', 'refs/kiln')).to.equal(reference);
    expect(JSON.parse(gitIn(bare, 'show', reference))).to.include({ revision, outcome: 'unbuilt' });
    gitIn(folder, 'remote', 'add', 'origin', relative(folder, bare));
    const waited = spawnSync(process.execPath, [KILN, 'pipeline', 'wait', 'origin', 'HEAD'], { cwd: folder, env });
    expect(waited.status).to.equal(1);
    expect(String(waited.stderr)).to.include(`error: main ${revision.slice(0, 12)} is not built: A Docker engine is`);
    const resumed = spawnSync(process.execPath, [KILN, 'pipeline', 'resume', bare], {
      env: { ...process.env, DOCKER_HOST: 'tcp://192.0.2.1:2376' },
      encoding: 'utf8',
    });
    expect(resumed.stderr).to.include('The Docker engine is on 192.0.2.1, as DOCKER_HOST says');
  });
});
