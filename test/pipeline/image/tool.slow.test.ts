import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { imageConfig } from '../../../pipeline/image/image-config.ts';
import { layerFrom, textFile } from '../../../pipeline/image/layer.ts';
import { programFiles } from '../../../pipeline/image/own-node.ts';
import { dockerArchive } from '../../../pipeline/image/stored-image.ts';
import { engineSocket } from '../../support/engine-socket.ts';
import { skipFor, skipWithoutEngine } from '../../support/runtime-base.ts';
import { commit, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { FIRST } from '../push/pushed-sources.ts';
import { loadSmallBase, NOTHING } from './small-base.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const BASE = `kiln-test-node-git:${process.pid}`;
const TOOL = `kiln-test-tool:${process.pid}`;
const RUNTIME = `kiln-test-base:tool-${process.pid}`;
const FACTS = { application: 'base', revision: '0', source: null, created: new Date(0), definition: '', schema: '' };
/** Nobody in particular, where the tests may give files away. */
const OWNER = process.getuid?.() === 0 ? 4711 : (process.getuid?.() ?? 0);

describe('the image of the command line', () => {
  let engine: DockerEngine;
  let folder: string;

  before(async function () {
    skipFor(
      this,
      'tests of the image of the command line',
      process.platform === 'linux' ? undefined : 'they need Linux',
    );
    skipWithoutEngine(this);
    engine = await DockerEngine.connect();
    await loadBase();
    const staged = temporaryFolder();
    execFileSync(process.execPath, [join(ROOT, 'ci/tool/stage.mjs'), staged]);
    docker('build', '--quiet', '--build-arg', `NODE_IMAGE=${BASE}`, '--tag', TOOL, staged);
    folder = ownedProject();
  });

  after(async () => {
    // `image rm` keeps what an older builder made on the way where it is not asked to go along.
    for (const name of [TOOL, BASE, RUNTIME]) await engine?.untag(name);
  });

  /** What an image of Node with git in it has, as far as it is needed: a shell, Node, git. */
  async function loadBase(): Promise<void> {
    const programs = { 'usr/local/bin/node': process.execPath, 'usr/bin/git': which('git'), 'bin/sh': which('sh') };
    const files = new Map(Object.entries(programs).flatMap(([path, binary]) => [...programFiles(binary, path)]));
    files.set('tmp/.keep', textFile(''));
    const layer = await layerFrom(files);
    const below = { ...NOTHING, config: { Env: ['PATH=/usr/local/bin:/usr/bin:/bin'] } };
    await engine.load(await dockerArchive(below, [layer], imageConfig(below, [layer.diffId], FACTS), [BASE]));
  }

  function ownedProject(): string {
    const project = newRepository(`kiln-test-tool-${process.pid}`);
    write(project, FIRST);
    commit(project);
    if (process.getuid?.() === 0) execFileSync('chown', ['-R', `${OWNER}:${OWNER}`, project]);
    chmodSync(resolve(project, '..'), 0o755);
    return project;
  }

  function kiln(words: readonly string[], ...options: readonly string[]) {
    const all = ['run', '--rm', '--volume', `${folder}:/work`, ...options, TOOL, ...words];
    return spawnSync('docker', all, { encoding: 'utf8' });
  }

  it('checks the project of a mounted folder', () => {
    const { status, stdout, stderr } = kiln(['check']);
    expect(status, stderr).to.equal(0);
    expect(stdout).to.include('Checked 3 files: no errors');
  });

  it('writes what belongs to the owner of the folder', () => {
    for (const words of [
      ['compile', '--output', 'built'],
      ['new', 'fresh', '--template', 'blog'],
    ]) {
      const { status, stderr } = kiln(words);
      expect(status, stderr).to.equal(0);
    }
    for (const path of ['built', 'built/definition.json', 'fresh/compose.yaml']) {
      const { uid, gid } = statSync(join(folder, path));
      expect([uid, gid], path).to.deep.equal([OWNER, OWNER === process.getuid?.() ? process.getgid?.() : OWNER]);
    }
  });

  it('may be told who to be', () => {
    mkdirSync(join(folder, 'open'));
    chmodSync(join(folder, 'open'), 0o777);
    const { status, stderr } = kiln(['compile', 'fresh', '--output', 'open/built'], '--user', '4712:4712');
    expect(status, stderr).to.equal(0);
    expect(statSync(join(folder, 'open/built/schema.sql')).uid).to.equal(4712);
  });

  it('builds an image through the socket of the engine', async () => {
    await loadSmallBase(engine, RUNTIME);
    const socket = `${engineSocket()}:/var/run/docker.sock`;
    const name = `kiln-test-tool-${process.pid}:main`;
    const { status, stdout, stderr } = kiln(['build', '--base', RUNTIME, '--tag', name], '--volume', socket);
    expect(status, stderr).to.equal(0);
    expect((await engine.imageOf(name))?.id).to.equal(stdout.trim().split('\n').at(-1));
    await engine.untag(name);
    expect(statSync(join(folder, '.git/refs/kiln/releases/main')).uid).to.equal(OWNER);
  });
});

function which(program: string): string {
  return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
}

function docker(...words: readonly string[]): string {
  return execFileSync('docker', words, { encoding: 'utf8' }).trim();
}
