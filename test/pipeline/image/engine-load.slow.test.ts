/** What an engine is told before an image is there, and what is kept of its images. */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import Docker from 'dockerode';
import { bakeMeanwhile, baseIn, configOf } from '../../../pipeline/bake/bake.ts';
import { prepareRelease } from '../../../pipeline/bake/build-release.ts';
import { runtimeSbomIn } from '../../../pipeline/bake/runtime-sbom.ts';
import { runtimeSbom } from '../../../pipeline/bake/sbom.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { DockerEngine, imageIn } from '../../../pipeline/image/docker-engine.ts';
import { imageConfig } from '../../../pipeline/image/image-config.ts';
import { layerFrom, textFile } from '../../../pipeline/image/layer.ts';
import { dockerArchive } from '../../../pipeline/image/stored-image.ts';
import { Steps } from '../../../pipeline/smoke/steps.ts';
import { engineSocket } from '../../support/engine-socket.ts';
import { skipWithoutEngine } from '../../support/runtime-base.ts';
import { until } from '../../support/until.ts';
import { commit, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { KILN, runKiln } from '../run-kiln.ts';
import { loadSmallBase, NOTHING } from './small-base.ts';
import { StandInEngine } from './stand-in-engine.ts';

const FACTS = { application: 'a', revision: '0', source: null, created: new Date(0), definition: '', schema: '' };
/** Of the file that comes before an archive. */
const START = 'kiln\0\0';

describe('an image on its way into an engine', () => {
  const names: string[] = [];
  let engine: DockerEngine;

  before(async function () {
    skipWithoutEngine(this);
    engine = await DockerEngine.connect();
  });

  after(async () => {
    for (const name of names) await engine.untag(name);
  });

  /** With files that no other image has, and a name that is removed afterwards. */
  async function newImage(files: Readonly<Record<string, string>> = {}) {
    const name = `kiln-test-load-${randomBytes(6).toString('hex')}:1`;
    names.push(name);
    const entries = Object.entries({ ...files, unique: name }).map(([path, text]) => [path, textFile(text)] as const);
    const layer = await layerFrom(new Map(entries));
    const config = imageConfig(NOTHING, [layer.diffId], FACTS);
    return { name, id: config.id, archive: await dockerArchive(NOTHING, [layer], config, [name]) };
  }

  it('may come long after the request', async () => {
    const { name, archive } = await newImage();
    const opened = await engine.openLoad();
    await pause(300);
    await opened.load(archive);
    expect(await engine.imageOf(name)).to.have.property('os', 'linux');
    opened.abandon();
    expect(await engine.imageOf(name)).not.to.equal(null);
  });

  it('is sent again where the request did not last until then', async () => {
    const { name, archive } = await newImage();
    const proxy = await CuttingProxy.start();
    try {
      const through = await DockerEngine.connect(new Docker({ host: '127.0.0.1', port: proxy.port }));
      const opened = await through.openLoad();
      await until(() => proxy.hasSeen('/images/load'));
      proxy.cut();
      await pause(100);
      expect(proxy.hasSeen(START)).to.equal(true);
      proxy.forget();
      await opened.load(archive);
      expect([proxy.hasSeen('manifest.json'), proxy.hasSeen(START)]).to.deep.equal([true, false]);
    } finally {
      proxy.stop();
    }
    expect(await engine.imageOf(name)).not.to.equal(null);
  });

  it('is not told of before it is there where the engine is behind a network', async () => {
    const base = `kiln-test-load-${randomBytes(6).toString('hex')}:base`;
    names.push(base, `${base}-built`);
    await loadSmallBase(engine, base);
    expect(engine.canWaitForArchive).to.equal(true);
    const folder = newRepository(`far-${randomBytes(6).toString('hex')}`);
    write(folder, { 'blog.kiln': 'model Post {' });
    commit(folder);
    const proxy = await CuttingProxy.start();
    try {
      const DOCKER_HOST = `tcp://127.0.0.1:${proxy.port}`;
      const { err } = await runKiln(['build', folder, '--base', base], { DOCKER_HOST });
      expect(err).to.include('error: the sources have errors');
      expect([proxy.hasSeen('/images/'), proxy.hasSeen('/images/load')]).to.deep.equal([true, false]);
      write(folder, { 'blog.kiln': 'model Post { field title { type string } }' });
      commit(folder);
      const built = await runKiln(['build', folder, '--base', base, '--tag', `${base}-built`], { DOCKER_HOST });
      expect([built.status, proxy.hasSeen('/images/load')], built.err).to.deep.equal([0, true]);
    } finally {
      proxy.stop();
    }
  });

  it('is told of in vain where the build is refused: the command ends, and nothing is left', async () => {
    const base = `kiln-test-load-${randomBytes(6).toString('hex')}:base`;
    names.push(base, `${base}-built`);
    await loadSmallBase(engine, base);
    const folder = newRepository(`refused-${randomBytes(6).toString('hex')}`);
    write(folder, { 'blog.kiln': 'model Post {' });
    commit(folder);
    const refused = async (named: string, why: string) => {
      const { status, err } = await runKiln(['build', folder, '--base', named]);
      expect([status, err.includes(why)], err).to.deep.equal([1, true]);
    };
    await refused(base, 'error: the sources have errors');
    await refused(`${base}-none`, `The base image ${base}-none is not in the Docker engine`);
    expect(gitIn(folder, 'for-each-ref', 'refs/kiln')).to.equal('');
    write(folder, { 'blog.kiln': 'model Post { field title { type string } }' });
    commit(folder);
    const built = await runKiln(['build', folder, '--base', base, '--tag', `${base}-built`]);
    expect(built.status, built.err).to.equal(0);
  });

  /** The release of a new repository, and how its image is called. */
  async function newRelease() {
    const name = `kiln-test-load-${randomBytes(6).toString('hex')}:base`;
    names.push(name, `${name}-built`);
    await loadSmallBase(engine, name);
    const folder = newRepository(`recorded-${randomBytes(6).toString('hex')}`);
    write(folder, { 'blog.kiln': 'model Post { field title { type string } }' });
    const input = { repository: openRepository(folder), revision: commit(folder), branch: 'main', folder: '' };
    const built = await prepareRelease(input, new Steps(() => undefined));
    const base = await baseIn(engine, name);
    return { base, built, folder, name: `${name}-built`, id: configOf(base, built).id };
  }

  /** Its release is recorded when it is told to be, or is not. */
  function bakedMeanwhile(
    { base, built, name }: Omit<Awaited<ReturnType<typeof newRelease>>, 'folder'>,
    stop = new AbortController(),
  ) {
    let record = (): void => undefined;
    let fail = (): void => undefined;
    const recorded = new Promise<void>((resolve, reject) => {
      record = resolve;
      fail = () => reject(new Error('overtaken'));
    });
    const { signal } = stop;
    return { baking: bakeMeanwhile(engine, base, built, [name], recorded, signal), record, fail };
  }

  const isHere = async (name: string) => (await engine.imageOf(name)) !== null;

  it('gets its names when its release is recorded, and not before', async () => {
    const release = await newRelease();
    const { baking, record } = bakedMeanwhile(release);
    await until(() => isHere(release.id));
    expect(await isHere(release.name)).to.equal(false);
    record();
    expect(await baking).to.equal(release.id);
    expect((await engine.imageOf(release.name))?.id).to.equal(release.id);
  });

  it('is removed where its release is not recorded, unless another build has named it', async () => {
    const release = await newRelease();
    for (const isNamed of [false, true]) {
      const { baking, fail } = bakedMeanwhile(release);
      await until(() => isHere(release.id));
      if (isNamed) await engine.name(release.id, [release.name]);
      fail();
      expect(await baking.catch(({ message }: Error) => message)).to.equal('overtaken');
      expect(await isHere(release.id)).to.equal(isNamed);
    }
  });

  it('is removed where the build is stopped before it has a name', async () => {
    const release = await newRelease();
    const stop = new AbortController();
    const { baking, record } = bakedMeanwhile(release, stop);
    await until(() => isHere(release.id));
    stop.abort();
    record();
    expect(await baking.catch(({ name }: Error) => name)).to.equal('AbortError');
    expect(await isHere(release.id)).to.equal(false);
  });

  it('is removed where a signal ends the command while the engine loads it', async () => {
    const { base, folder, name, id } = await newRelease();
    const proxy = await CuttingProxy.start();
    try {
      const env = { ...process.env, DOCKER_HOST: `tcp://127.0.0.1:${proxy.port}` };
      const words = [KILN, 'build', folder, '--base', base.name, '--tag', name];
      const child = spawn(process.execPath, words, { env, stdio: 'ignore' });
      const ended = once(child, 'exit');
      await until(() => proxy.hasSeen('manifest.json'));
      child.kill('SIGINT');
      expect(await ended).to.deep.equal([null, 'SIGINT']);
    } finally {
      proxy.stop();
    }
    // What the engine has been sent, it may load after the command is gone.
    await pause(1000);
    expect([await isHere(id), await isHere(name)]).to.deep.equal([false, false]);
  });

  it('is not removed where a registry knows it', async () => {
    const version = { Version: '28', ApiVersion: '1.48' };
    // It refuses to remove anything.
    const removal = async (digests: readonly string[]) => {
      const other = await StandInEngine.start({ version, digests });
      const { hostname: host, port } = new URL(other.host);
      const connected = await DockerEngine.connect(new Docker({ host, port }));
      return connected
        .removeUnnamed('base')
        .then(
          () => 'left',
          () => 'tried',
        )
        .finally(() => other.stop());
    };
    expect([await removal([]), await removal(['base@sha256:11'])]).to.deep.equal(['tried', 'left']);
  });

  it('is loaded again where somebody has removed it before it got its names', async () => {
    const release = await newRelease();
    const { baking, record } = bakedMeanwhile(release);
    await until(() => isHere(release.id));
    await engine.removeUnnamed(release.id);
    record();
    expect(await baking).to.equal(release.id);
    expect(await isHere(release.name)).to.equal(true);
  });

  it('is loaded when its release is recorded by an engine that knows images by other ids', async () => {
    const version = { Version: '28', ApiVersion: '1.48' };
    const digests = { 'base@sha256:1': false, 'base@sha256:11': true };
    for (const [digest, isIdOfConfig] of Object.entries(digests)) {
      const other = await StandInEngine.start({ version, digests: [digest] });
      const { hostname: host, port } = new URL(other.host);
      const image = await imageIn(new Docker({ host, port }), 'base');
      other.stop();
      expect(image).to.deep.include({ isIdOfConfig });
    }
    const release = await newRelease();
    const { baking, record } = bakedMeanwhile({ ...release, base: { ...release.base, isIdOfConfig: false } });
    await pause(300);
    expect(await isHere(release.id)).to.equal(false);
    record();
    expect(await baking).to.equal(release.id);
    expect(await isHere(release.name)).to.equal(true);
  });

  it('is not loaded again where it is there: it gets its names', async () => {
    const { base, name } = await newRelease();
    names.push(`${name}-again`);
    const folder = newRepository(`again-${randomBytes(6).toString('hex')}`);
    write(folder, { 'blog.kiln': 'model Post { field title { type string } }' });
    commit(folder);
    const proxy = await CuttingProxy.start();
    const built = (tag: string) =>
      runKiln(['build', folder, '--base', base.name, '--tag', tag], { DOCKER_HOST: `tcp://127.0.0.1:${proxy.port}` });
    try {
      const first = await built(name);
      expect([first.status, proxy.hasSeen('/images/load')], first.err).to.deep.equal([0, true]);
      proxy.forget();
      const again = await built(`${name}-again`);
      expect([again.status, proxy.hasSeen('/images/load')], again.err).to.deep.equal([0, false]);
    } finally {
      proxy.stop();
    }
    expect((await engine.imageOf(`${name}-again`))?.id).to.equal((await engine.imageOf(name))?.id);
  });

  it('has a base that is read once', async () => {
    const cache = temporaryFolder();
    const { name, id, archive } = await newImage({ 'kiln/sbom.cdx.json': '{"of":"the runtime"}' });
    await engine.load(archive);
    const base = { ...NOTHING, id };
    await withCache(cache, async () => {
      expect(await runtimeSbomIn(engine, base)).to.equal('{"of":"the runtime"}');
      const file = `base-sbom-${id.replace(':', '-')}-linux-${base.architecture}`;
      expect(readdirSync(join(cache, 'kiln'))).to.deep.equal([file]);
      execFileSync('docker', ['image', 'rm', name], { stdio: 'ignore' });
      expect(await runtimeSbomIn(engine, base)).to.equal('{"of":"the runtime"}');
      expect(await runtimeSbomIn(engine, { ...base, architecture: 'another' })).to.equal(null);
    });
    await withCache(temporaryFolder(), async () => expect(await runtimeSbomIn(engine, base)).to.equal(null));
  });

  it('has a base whose Node and packages are read from its files', async () => {
    const { id, archive } = await newImage({
      'kiln/sbom.cdx.json': runtimeSbom('1.0.0', []),
      'usr/lib/os-release': 'ID=debian\nVERSION_ID="12"\n',
      'var/lib/dpkg/status.d/libc6': 'Package: libc6\nVersion: 2.36\nArchitecture: amd64\n',
    });
    await engine.load(archive);
    const base = { ...NOTHING, id, config: { Env: ['NODE_VERSION=24.1.0'] } };
    const text = await withCache(temporaryFolder(), () => runtimeSbomIn(engine, base));
    const { components, compositions } = JSON.parse(text ?? '');
    expect(components.map(({ name, version }: { name: string; version: string }) => [name, version])).to.deep.equal([
      ['node', '24.1.0'],
      ['debian', '12'],
      ['libc6', '2.36'],
    ]);
    expect(compositions).to.equal(undefined);
  });

  it('has a base of which nothing is kept where it has no document', async () => {
    const cache = temporaryFolder();
    const { id, archive } = await newImage();
    await engine.load(archive);
    await withCache(cache, async () => expect(await runtimeSbomIn(engine, { ...NOTHING, id })).to.equal(null));
    expect(readdirSync(cache)).to.deep.equal([]);
  });
});

async function withCache<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const before = process.env.XDG_CACHE_HOME;
  process.env.XDG_CACHE_HOME = folder;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
  }
}

/** Before a real engine, and cuts what is open when it is told to, as proxies do with requests that take too long. */
class CuttingProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  readonly #seen: string[];

  private constructor(server: Server, port: number, sockets: Set<Socket>, seen: string[]) {
    this.#server = server;
    this.port = port;
    this.#sockets = sockets;
    this.#seen = seen;
  }

  static async start(): Promise<CuttingProxy> {
    const sockets = new Set<Socket>();
    const seen: string[] = [];
    const server = createServer((socket) => {
      const inner = connect(engineSocket());
      for (const each of [socket, inner]) {
        sockets.add(each);
        each.on('error', () => undefined).on('close', () => sockets.delete(each));
      }
      inner.on('close', () => socket.destroy());
      socket.on('data', (bytes) => seen.push(bytes.toString('latin1')));
      socket.pipe(inner).pipe(socket);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    return new CuttingProxy(server, typeof address === 'object' && address ? address.port : 0, sockets, seen);
  }

  hasSeen(text: string): boolean {
    return this.#seen.some((each) => each.includes(text));
  }

  forget(): void {
    this.#seen.length = 0;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.cut();
    this.#server.close();
  }
}
