import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { skipWithoutEngine } from '../../support/runtime-base.ts';
import { commit, newRepository, write } from '../git/git-repository.ts';
import { FIRST } from '../push/pushed-sources.ts';
import { runKiln } from '../run-kiln.ts';
import { loadSmallBase } from './small-base.ts';

describe('an old release that is built again', () => {
  const name = `kiln-test-old-${process.pid}`;
  const base = `${name}-base:1`;

  before(async function () {
    skipWithoutEngine(this);
    await loadSmallBase(await DockerEngine.connect(), base);
  });

  const docker = (...words: readonly string[]) => execFileSync('docker', words, { encoding: 'utf8' }).trim();
  const tags = (): Readonly<Record<string, string>> => {
    const lines = docker('image', 'ls', '--no-trunc', '--format', '{{.Tag}} {{.ID}}', name).split('\n');
    return Object.fromEntries(lines.filter((line) => line !== '').map((line) => line.split(' ')));
  };

  after(() => {
    const images = docker('image', 'ls', '--format', '{{.Repository}}:{{.Tag}}', '--filter', `reference=${name}*`);
    if (images !== '') docker('image', 'rm', '--force', ...images.split('\n'));
  });

  it('gets its own tag, and leaves that of the branch where it is', async () => {
    const folder = newRepository(name);
    write(folder, FIRST);
    const old = commit(folder).slice(0, 12);
    const words = ['build', folder, '--base', base];
    expect((await runKiln(words)).status).to.equal(0);
    const first = tags();
    const newest = commit(folder).slice(0, 12);
    expect((await runKiln(words)).status).to.equal(0);
    docker('image', 'rm', `${name}:${old}`);
    const { status, err } = await runKiln([...words, '--rev', old]);
    expect(status, err).to.equal(0);
    const now = tags();
    expect(now[old]).to.equal(first[old]);
    expect([now.main === now[newest], now.main === now[old]]).to.deep.equal([true, false]);
  });
});
