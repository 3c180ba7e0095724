import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { buildRelease, prepareRelease } from '../../../pipeline/bake/build-release.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { forgetChecked, keepChecked, takeChecked } from '../../../pipeline/push/checked-release.ts';
import { Steps } from '../../../pipeline/smoke/steps.ts';
import { commit, ENVIRONMENT, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { KILN } from '../run-kiln.ts';
import { kiln } from './pushed-project.ts';

const BLOG = 'model Post { field title { type string } }\napi { entrypoint Post { list endpoint {} } }\n';

describe('what the check of a push has prepared', () => {
  const before = process.env.XDG_CACHE_HOME;
  let cache: string;
  const kept = () => readdirSync(join(cache, 'kiln')).filter((name) => name.startsWith('push-'));

  beforeEach(() => {
    cache = temporaryFolder();
    mkdirSync(join(cache, 'kiln'));
    process.env.XDG_CACHE_HOME = cache;
  });

  afterEach(() => {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
  });

  function project() {
    const folder = newRepository();
    write(folder, { 'blog.kiln': BLOG });
    const repository = openRepository(folder);
    const inputOf = (revision: string) => ({ repository, revision, branch: 'main', folder: '' });
    return { folder, inputOf, first: inputOf(commit(folder)) };
  }

  async function checked(input: Parameters<typeof keepChecked>[0]) {
    const steps = new Steps(() => undefined);
    const built = await prepareRelease(input, steps);
    keepChecked(input, built, steps.told);
    return { built, told: steps.told };
  }

  it('is what the build of the same push would prepare itself, and is taken once', async () => {
    const { folder, inputOf, first } = project();
    await buildRelease(first, new Steps(() => undefined));
    write(folder, { 'blog.kiln': BLOG.replace('string }', 'string } field body { type string, default "" }') });
    const input = inputOf(commit(folder, 'Second'));
    const { told } = await checked(input);
    const taken = takeChecked(input);
    const itself = await prepareRelease(input, new Steps(() => undefined));
    expect(taken?.built).to.deep.equal({ ...itself, release: { ...itself.release } });
    expect(taken?.built.release.texts['report.json']).to.include('Second');
    expect(taken?.built.release.difference).to.be.an('object');
    const lines: string[] = [];
    const steps = new Steps((line) => lines.push(line));
    if (taken) steps.repeat(taken.told);
    expect(lines.map((line) => line.split(' ')[0]).filter(Boolean)).to.deep.equal(['compile', 'compare', 'layer']);
    expect(steps.told).to.deep.equal(told);
    expect(takeChecked(input)).to.equal(undefined);
    expect(kept()).to.deep.equal([]);
  });

  it('is not taken for another revision, nor on another branch, nor where the ledger has grown', async () => {
    const { folder, inputOf, first } = project();
    await checked(first);
    expect(takeChecked({ ...first, branch: 'next' })).to.equal(undefined);
    const second = inputOf(commit(folder, 'Second', '--allow-empty'));
    expect(takeChecked(second)).to.equal(undefined);
    await checked(second);
    await buildRelease(first, new Steps(() => undefined));
    expect(takeChecked(second)).to.equal(undefined);
  });

  it('is prepared again where the file is damaged, or nothing can be kept', async () => {
    const { first } = project();
    await checked(first);
    const [name = ''] = kept();
    const file = join(cache, 'kiln', name);
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0, bytes.length - 8));
    expect(takeChecked(first)).to.equal(undefined);
    process.env.XDG_CACHE_HOME = '/proc/none';
    await checked(first);
    expect(takeChecked(first)).to.equal(undefined);
  });

  it('is prepared again where it cannot be written', async () => {
    const { first } = project();
    const built = await prepareRelease(first, new Steps(() => undefined));
    keepChecked(first, { ...built, application: (() => 'no text') as never }, new Steps(() => undefined).told);
    expect(kept()).to.deep.equal([]);
    expect(takeChecked(first)).to.equal(undefined);
  });

  it('is prepared again where it cannot be removed, since it is taken once', async function () {
    // Root may remove anything.
    if (process.getuid?.() === 0) this.skip();
    const { first } = project();
    await checked(first);
    chmodSync(join(cache, 'kiln'), 0o500);
    try {
      expect(takeChecked(first)).to.equal(undefined);
    } finally {
      chmodSync(join(cache, 'kiln'), 0o700);
    }
    expect(takeChecked(first)).to.be.an('object');
  });

  it('is not taken from the file of another branch', async () => {
    const { first } = project();
    await checked(first);
    const [mine = ''] = kept();
    const next = { ...first, branch: 'next' };
    await checked(next);
    const theirs = kept().find((name) => name !== mine) ?? '';
    copyFileSync(join(cache, 'kiln', mine), join(cache, 'kiln', theirs));
    expect(takeChecked(next)).to.equal(undefined);
    expect(takeChecked(first)).to.be.an('object');
  });

  it('is not kept for long where nobody takes it', async () => {
    const { first } = project();
    await checked(first);
    const [old = ''] = kept();
    const ago = (minutes: number) => utimesSync(join(cache, 'kiln', old), new Date(), Date.now() / 1000 - minutes * 60);
    const next = { ...first, branch: 'next' };
    ago(50);
    await checked(next);
    expect(kept()).to.have.length(2).and.to.include(old);
    ago(70);
    await checked(next);
    expect(kept()).to.have.length(1).and.not.to.include(old);
    forgetChecked(next);
    expect(kept()).to.deep.equal([]);
  });

  it('is removed where the push is rejected for another branch', () => {
    const folder = newRepository();
    write(folder, { 'blog.kiln': BLOG });
    const good = commit(folder);
    write(folder, { 'blog.kiln': 'model Post {' });
    const bad = commit(folder, 'Bad');
    const bare = join(temporaryFolder(), 'blog.git');
    gitIn(folder, 'clone', '--quiet', '--bare', folder, bare);
    gitIn(bare, 'update-ref', '-d', 'refs/heads/main');
    expect(kiln('pipeline', 'init', bare, '--branch', 'a', 'b').status).to.equal(0);
    const preReceive = (...pushed: readonly string[]) =>
      spawnSync(process.execPath, [KILN, 'pipeline', 'pre-receive'], {
        cwd: bare,
        env: { ...ENVIRONMENT, XDG_CACHE_HOME: cache },
        input: pushed.map((each) => `${'0'.repeat(40)} ${each}\n`).join(''),
        encoding: 'utf8',
      });
    const rejected = preReceive(`${good} refs/heads/a`, `${bad} refs/heads/b`);
    expect(rejected.stdout)
      .to.match(/^check .*\n/)
      .and.to.include('The push is rejected');
    expect(kept()).to.deep.equal([]);
    expect(preReceive(`${good} refs/heads/a`).status).to.equal(0);
    expect(kept()).to.have.length(1);
  });
});
