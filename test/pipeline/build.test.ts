import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { baseFromArchive } from '../../pipeline/image/base-archive.ts';
import { filesIn } from '../../pipeline/image/layer.ts';
import { skipWithoutEngine } from '../support/runtime-base.ts';
import { smallBaseArchive } from './image/small-base.ts';
import { KILN, runKiln, runKilnHere } from './run-kiln.ts';

const FIRST = 'model Post { field title { type string } }\napi { entrypoint Post as post { list endpoint {} } }\n';

describe('kiln build', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-build-'));
  const base = join(folder, 'base.tar');
  const project = join(folder, 'blog');
  after(() => rmSync(folder, { recursive: true }));

  before(async () => {
    execFileSync('git', ['init', '-q', '-b', 'main', project]);
    writeFileSync(base, await smallBaseArchive());
    commit(FIRST, 'first');
  });

  function git(...words: readonly string[]): string {
    return execFileSync('git', ['-C', project, '-c', 'user.name=K', '-c', 'user.email=k@k', ...words], {
      encoding: 'utf8',
    }).trim();
  }

  function commit(text: string, message: string): string {
    writeFileSync(join(project, 'blog.kiln'), text);
    git('add', '-A');
    git('commit', '-qm', message);
    return git('rev-parse', 'HEAD');
  }

  const buildWords = (...words: readonly string[]) => ['build', project, '--base-archive', base, ...words];
  const build = (...words: readonly string[]) => runKilnHere(buildWords(...words));

  it('makes a release and an image of a commit', async () => {
    const out = join(folder, 'one.tar');
    // By the program as it was built: whatever is built again has to have the same bytes.
    const { status, err } = await runKiln(buildWords('--output', out));
    expect(err).to.equal('');
    expect(status).to.equal(0);
    const { image, layers } = await baseFromArchive(out);
    expect(layers).to.have.lengthOf(2);
    expect(image.config.Labels?.['org.opencontainers.image.revision']).to.equal(git('rev-parse', 'HEAD'));
    expect(git('show', 'refs/kiln/releases/main:schema.sql')).to.include('CREATE TABLE "post"');
  });

  it('signs where its image comes from with KILN_SIGNING_KEY, and `kiln verify --key` finds that', async () => {
    const [mine, other] = ['mine', 'other'].map((name) => {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      writeFileSync(join(folder, `${name}.key`), privateKey.export({ type: 'pkcs8', format: 'pem' }));
      writeFileSync(join(folder, `${name}.pub`), publicKey.export({ type: 'spki', format: 'pem' }));
      return join(folder, name);
    });
    const out = join(folder, 'signed.tar');
    expect((await runKilnHere(buildWords('--output', out), { KILN_SIGNING_KEY: `${mine}.key` })).err).to.equal('');
    const verify = (key: string) => runKilnHere(['verify', out, project, '--base-archive', base, '--key', key]);
    const good = await verify(`${mine}.pub`);
    expect([good.status, good.err]).to.deep.equal([0, '']);
    expect(good.out).to.match(/^verified: .*\n {2}signed {4}by the key\n$/s);
    const bad = await verify(`${other}.pub`);
    expect([bad.status, bad.out]).to.deep.equal([1, 'signature   it is not of this key\n']);
    expect(bad.err).to.include('but its provenance is not signed as --key demands\n');
    expect((await verify(out)).err).to.match(/^error: `.*signed.tar` is not a public key in PEM\n$/);
  });

  it('writes a file that every Docker engine loads', async function () {
    skipWithoutEngine(this);
    const tag = `kiln-test-loaded-${process.pid}:1`;
    const { out } = await build('--output', join(folder, 'loaded.tar'), '--tag', tag);
    execFileSync('docker', ['load', '--quiet', '--input', join(folder, 'loaded.tar')]);
    const id = execFileSync('docker', ['image', 'inspect', '--format', '{{.Id}}', tag], { encoding: 'utf8' });
    execFileSync('docker', ['image', 'rm', tag]);
    expect(id.trim()).to.equal(out.trim().split('\n').at(-1));
  });

  it('gives the same image again, and from another clone', async () => {
    const again = join(folder, 'again.tar');
    const elsewhere = join(folder, 'clone');
    await build('--output', again);
    execFileSync('git', ['clone', '-q', project, elsewhere]);
    const cloned = join(folder, 'cloned.tar');
    await runKilnHere(['build', elsewhere, '--base-archive', base, '--output', cloned]);
    const id = (file: string) => readFileSync(file).toString('base64');
    expect(id(again)).to.equal(id(join(folder, 'one.tar')));
    expect(id(cloned)).to.equal(id(again));
  });

  it('gives the same image wherever the archive of the base lies', async () => {
    const moved = join(folder, 'moved base.tar');
    copyFileSync(base, moved);
    const out = join(folder, 'moved.tar');
    expect((await runKilnHere(['build', project, '--base-archive', moved, '--output', out])).status).to.equal(0);
    expect(readFileSync(out).equals(readFileSync(join(folder, 'one.tar')))).to.equal(true);
    expect(readFileSync(out).includes(folder)).to.equal(false);
  });

  /** The same commits in a folder of another name, from nowhere, on a base of another name. */
  async function elsewhere(name: string) {
    const clone = join(folder, name);
    execFileSync('git', ['clone', '-q', project, clone]);
    execFileSync('git', ['-C', clone, 'remote', 'remove', 'origin']);
    const renamed = join(folder, `${name}-base.tar`);
    writeFileSync(renamed, await smallBaseArchive('', 'registry.example/other:2'));
    return async (...words: readonly string[]) => {
      const out = join(folder, `${name}.tar`);
      const { status, err } = await runKilnHere(['build', clone, '--base-archive', renamed, '--output', out, ...words]);
      expect(status, err).to.equal(0);
      return baseFromArchive(out);
    };
  }

  it('gives the same image in a folder of another name, and on a base of another name', async () => {
    const { image } = await (await elsewhere('other-name'))();
    expect(image.id).to.equal((await baseFromArchive(join(folder, 'one.tar'))).image.id);
  });

  it('gives the same files of the application after another history of releases', async () => {
    const text = FIRST.replace('title { type string }', 'title { type string, default "" }');
    commit(FIRST.replace('field title', 'field body { type string, default "" }\n  field title'), 'more');
    const revision = commit(text.replace('model Post {', 'model Post { drop body'), 'less');
    const build = await elsewhere('longer');
    await build('--rev', 'HEAD~1');
    const longer = await build();
    const alone = await (await elsewhere('alone'))('--branch', 'alone');
    const filesOf = async ({ layers }: typeof alone) => {
      const files = await filesIn(Readable.from([layers.at(-1)?.tar ?? '']));
      return [...files].map(([name, bytes]) => [name, bytes.toString('utf8')] as const);
    };
    const others = (await filesOf(longer)).filter(([name]) => name !== 'app/releases.json');
    expect(alone.image.config.Labels?.['org.opencontainers.image.revision']).to.equal(revision);
    expect(others.map(([name]) => name)).to.deep.equal(['app/definition.json', 'app/openapi.json', 'app/schema.sql']);
    expect(await filesOf(alone)).to.deep.include.members(others);
    expect(alone.image.id).not.to.equal(longer.image.id);
    git('reset', '-q', '--hard', 'HEAD~2');
  });

  it('leaves out what is not committed', async () => {
    writeFileSync(join(project, 'blog.kiln'), 'model Broken {');
    const { status } = await build('--output', join(folder, 'dirty.tar'));
    expect(status).to.equal(0);
    git('checkout', '-q', '.');
  });

  it('compares with the previous release, and carries the way from there', async () => {
    const revision = commit(FIRST.replace('title { type string }', 'heading { type string, was title }'), 'rename');
    const out = join(folder, 'two.tar');
    const { status } = await build('--output', out);
    expect(status).to.equal(0);
    expect(git('show', 'refs/kiln/releases/main:migration.sql')).to.match(/RENAME COLUMN "title" TO "heading"/);
    expect(JSON.parse(git('show', 'refs/kiln/releases/main:report.json')).revision).to.equal(revision);
  });

  it('builds an old release again as it was', async () => {
    const out = join(folder, 'old.tar');
    const { status, out: said } = await build('--rev', 'HEAD~1', '--output', out);
    expect(status).to.equal(0);
    expect(said).to.include('released before');
    expect(readFileSync(out).equals(readFileSync(join(folder, 'one.tar')))).to.equal(true);
  });

  it('makes no release of a commit that the newest one contains', async () => {
    const skipped = commit(
      `${FIRST.replace('title { type string }', 'heading { type string, was title }')}\n`,
      'skipped',
    );
    git('commit', '-q', '--allow-empty', '-m', 'newest');
    const [newest, out] = [git('rev-parse', 'HEAD'), join(folder, 'skipped.tar')];
    expect((await build('--output', out)).status).to.equal(0);
    const { status, err } = await build('--rev', skipped, '--output', out);
    expect(status).to.equal(1);
    expect(err).to.equal(
      `error: ${skipped.slice(0, 12)} is part of ${newest.slice(0, 12)}, which is the newest release of \`main\`; to go back, revert in a new commit and build that\n`,
    );
    expect(git('log', '-1', '--format=%(trailers:key=Revision,valueonly)', 'refs/kiln/releases/main')).to.equal(newest);
  });

  it('refuses a change that does not say what happens to data, and records nothing', async () => {
    const before = git('rev-parse', 'refs/kiln/releases/main');
    commit(
      'model Post { field subtitle { type string, default "" } }\napi { entrypoint Post as post { list endpoint {} } }\n',
      'lost',
    );
    const { status, err } = await build('--output', join(folder, 'lost.tar'));
    expect(status).to.equal(1);
    expect(err).to.include('error[member-disappeared]: the field `Post.heading` is no longer declared');
    expect(git('rev-parse', 'refs/kiln/releases/main')).to.equal(before);
    git('reset', '-q', '--hard', 'HEAD~1');
  });

  it('shows what is wrong in the sources', async () => {
    commit('model Post { reference author { to Usr } }\n', 'wrong');
    const { status, err } = await build('--output', join(folder, 'wrong.tar'));
    expect(status).to.equal(1);
    expect(err).to.include('error[unknown-model]');
    git('reset', '-q', '--hard', 'HEAD~1');
  });

  it('says in a sentence that there is no such revision', async () => {
    const { status, err } = await build('--rev', 'nowhere', '--output', join(folder, 'x.tar'));
    expect(status).to.equal(1);
    expect(err).to.match(/^error: .*`nowhere`/);
  });

  it('starts git once to write the release and once to write the report, and at most 35 times in all', () => {
    const [programs, clone] = [join(folder, 'programs'), join(folder, 'counted')];
    const calls = join(programs, 'calls');
    mkdirSync(programs);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    writeFileSync(join(programs, 'git'), `#!/bin/sh\necho "$*" >> '${calls}'\nexec '${real}' "$@"\n`, { mode: 0o755 });
    execFileSync('git', ['init', '-q', '-b', 'main', clone]);
    const env = { ...process.env, PATH: `${programs}:${process.env.PATH}` };
    const words = ['build', clone, '--base-archive', base, '--output', join(folder, 'counted.tar')];
    // The first release of a branch has to look for others to start from.
    for (const text of [FIRST, `${FIRST}// changed\n`]) {
      writeFileSync(join(clone, 'blog.kiln'), text);
      writeFileSync(join(clone, 'kiln.json'), '{ "name": "counted" }');
      const identity = ['-c', 'user.name=K', '-c', 'user.email=k@k'];
      execFileSync('git', ['-C', clone, 'add', '-A']);
      execFileSync('git', ['-C', clone, ...identity, 'commit', '-qm', 'a change']);
      rmSync(calls, { force: true });
      const { status, stderr } = spawnSync(process.execPath, [KILN, ...words], { env, encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
    }
    const lines = readFileSync(calls, 'utf8').trim().split('\n');
    const writing = lines.flatMap((line) => /unpack-objects|update-ref/.exec(line)?.[0] ?? []);
    expect(writing).to.deep.equal(['unpack-objects', 'update-ref', 'unpack-objects', 'update-ref']);
    expect(lines.length).to.be.at.most(35);
  });
});
