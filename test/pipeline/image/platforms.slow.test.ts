import { spawnSync } from 'node:child_process';
import { createReadStream, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../../bench/api/free-port.ts';
import { platformBase } from '../../../pipeline/image/base-archive.ts';
import { filesIn } from '../../../pipeline/image/layer.ts';
import { skipFor, skipWithoutEngine } from '../../support/runtime-base.ts';
import { commit, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { FIRST } from '../push/pushed-sources.ts';
import { type KilnRun, runKiln } from '../run-kiln.ts';
import { PASSWORD, Registry, registryProgram, USER } from './registry.ts';
import { smallBaseArchive } from './small-base.ts';

const NAME = `kiln-test-platforms-${process.pid}`;
const BOTH = ['--platform', 'linux/amd64,linux/arm64'];

interface Descriptor {
  readonly digest: string;
  readonly platform: { readonly architecture: string };
}
interface Manifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string }[];
}

describe('kiln build --platform', () => {
  let folder: string;
  let place: string;
  let archives: readonly string[];

  before(async () => {
    folder = newRepository(NAME);
    write(folder, FIRST);
    commit(folder);
    place = temporaryFolder();
    for (const architecture of ['amd64', 'arm64'])
      writeFileSync(join(place, `${architecture}.tar`), await smallBaseArchive(architecture, 'base:1', architecture));
    archives = ['amd64', 'arm64'].flatMap((name) => ['--base-archive', join(place, `${name}.tar`)]);
  });

  const recorded = () => gitIn(folder, 'for-each-ref', 'refs/kiln');

  async function refused(...words: readonly string[]): Promise<KilnRun> {
    const run = await runKiln(['build', folder, ...words], { DOCKER_HOST: 'unix:///nonexistent.sock' });
    expect(run.err.trim().split('\n').length, run.err).to.be.lessThan(3);
    expect(recorded()).to.equal('');
    return run;
  }

  it('names the platform that has no base, before anything is recorded', async () => {
    const output = join(place, 'none.tar');
    const { status, err } = await refused(...BOTH, ...archives.slice(0, 2), '--output', output);
    expect(status).to.equal(1);
    expect(err).to.include('error: There is no base for linux/arm64: none of the base archives has one (');
    const neither = await refused(...BOTH, '--output', output);
    expect(neither.err).to.include(
      'There is no base for linux/amd64 and linux/arm64: the Docker engine has none as kiln-runtime. Give files with',
    );
    expect(existsSync(output)).to.equal(false);
  });

  it('says what it cannot mean', async () => {
    const output = ['--output', join(place, 'none.tar')];
    const runs = [
      await refused('--platform', 'linux', ...output),
      await refused('--platform', 'linux/amd64,linux/amd64', ...output),
      await refused(...BOTH),
      await refused(...BOTH, '--push', '--test'),
      await refused(...archives, ...output),
    ];
    expect(runs.map(({ err }) => err.split('\n')[0])).to.deep.equal([
      'error: `linux` is not a platform. One is like `linux/amd64` or `linux/arm64`',
      'error: The platform `linux/amd64` is named twice',
      'error: a Docker engine keeps an image for one platform; add --push or --output to make it for several',
      'error: --test runs the image on this machine, and --platform names several; test it without --platform first',
      'error: several --base-archive are for several platforms; say which with --platform',
    ]);
  });

  it('writes a list of images that share the layer of the application', async () => {
    const output = join(place, 'both.tar');
    const { status, out, err } = await runKiln(['build', folder, ...BOTH, ...archives, '--output', output]);
    expect(status, err).to.equal(0);
    const foreign = process.arch === 'arm64' ? 'amd64' : 'arm64';
    const words = ['--base-archive', join(place, `${foreign}.tar`), '--output', join(place, 'foreign.tar')];
    expect((await runKiln(['build', folder, ...words])).out).to.match(
      new RegExp(`base .* base:1, for linux/${foreign}\\n`),
    );
    const files = await filesIn(createReadStream(output));
    const json = <T>(path: string) => JSON.parse(String(files.get(path))) as T;
    const blob = (digest: string) => `blobs/${digest.replace(':', '/')}`;
    const [top] = json<{ manifests: Descriptor[] }>('index.json').manifests;
    expect(top?.digest).to.equal(out.trim().split('\n').at(-1));
    const { manifests } = json<{ manifests: Descriptor[] }>(blob(top?.digest ?? ''));
    expect(manifests.map(({ platform }) => platform.architecture)).to.deep.equal(['amd64', 'arm64']);
    const [one, other] = manifests.map(({ digest }) => json<Manifest>(blob(digest)));
    const layers = (manifest: Manifest | undefined) => manifest?.layers.map(({ digest }) => digest) ?? [];
    expect(layers(one).slice(1)).to.deep.equal(layers(other).slice(1)).and.to.have.length(1);
    expect(layers(one)[0]).not.to.equal(layers(other)[0]);
    for (const digest of [...layers(one), ...layers(other)]) expect(files.has(blob(digest))).to.equal(true);
    const arm = await platformBase(output, { os: 'linux', architecture: 'arm64' });
    expect(arm?.image.id).to.equal(other?.config.digest);
    expect(await platformBase(output, { os: 'linux', architecture: 's390x' })).to.equal(undefined);
  });

  it('is for another machine than this one in an engine too, where the base is', async function () {
    skipWithoutEngine(this);
    const foreign = process.arch === 'arm64' ? 'amd64' : 'arm64';
    const base = `kiln-test-foreign-${process.pid}:1`;
    spawnSync('docker', ['load'], { input: await smallBaseArchive(foreign, base, foreign) });
    const tag = `${NAME}:foreign`;
    const words = ['build', folder, '--base', base, '--tag', tag];
    const none = await runKiln(words);
    const other = await runKiln([...words, '--platform', 'linux/s390x']);
    const loaded = await runKiln([...words, '--platform', `linux/${foreign}`]);
    const seen = spawnSync('docker', ['image', 'inspect', '--format', '{{.Architecture}}', tag], { encoding: 'utf8' });
    spawnSync('docker', ['image', 'rm', tag, base]);
    expect(none.err).to.include(`The image ${base} is for linux/${foreign}, but this Docker engine runs linux/`);
    expect(other.err).to.include(`The base image ${base} is for linux/${foreign}, not for linux/s390x.`);
    expect(loaded.status, loaded.err).to.equal(0);
    expect(seen.stdout.trim()).to.equal(foreign);
  });

  describe('--push', () => {
    let registry: Registry;
    let config: string;

    before(async function () {
      const program = registryProgram();
      skipFor(this, 'tests of pushes to a registry', program ? undefined : 'there is no program docker-registry');
      registry = await Registry.start(program ?? '', { asksWho: true });
      config = temporaryFolder();
      const auth = Buffer.from(`${USER}:${PASSWORD}`).toString('base64');
      write(config, { 'config.json': JSON.stringify({ auths: { [registry.host]: { auth } } }) });
    });
    after(() => registry?.stop());

    const pushed = (name: string, ...words: readonly string[]) =>
      runKiln(['build', folder, ...BOTH, '--push', '--tag', name, ...words], {
        DOCKER_CONFIG: config,
        DOCKER_HOST: 'unix:///nonexistent.sock',
      });

    it('gives a registry the list, without any engine, and finds bases for all platforms there', async () => {
      const name = `${registry.host}/${NAME}`;
      const first = await pushed(`${name}:one`, ...archives);
      expect(first.status, first.err).to.equal(0);
      const second = await pushed(`${name}:two`, '--base', `${name}:one`);
      expect(second.status, second.err).to.equal(0);
      for (const [tag, layers] of [
        ['one', 2],
        ['two', 3],
      ] as const) {
        const { manifests } = (await registry.list(NAME, tag)) as { manifests: Descriptor[] };
        expect(manifests.map(({ platform }) => platform.architecture)).to.deep.equal(['amd64', 'arm64']);
        for (const { digest } of manifests) {
          const manifest = (await registry.list(NAME, digest)) as Manifest;
          expect(manifest.layers).to.have.length(layers);
          const image = JSON.parse(String(await registry.blob(NAME, manifest.config.digest)));
          expect(image.architecture).to.equal(manifests.find((each) => each.digest === digest)?.platform.architecture);
        }
      }
      expect(first.out).to.match(new RegExp(`push .* ${name}:one@sha256:`));
      expect(first.out + second.out + first.err + second.err).not.to.include(PASSWORD);
    });

    it('says what a registry refuses, and that one does not answer', async () => {
      const nobody = await runKiln(
        ['build', folder, ...BOTH, '--push', '--tag', `${registry.host}/${NAME}:x`, ...archives],
        { DOCKER_CONFIG: temporaryFolder() },
      );
      expect(nobody.status).to.equal(1);
      expect(nobody.err).to.include(`${registry.host} requires a login. Run \`docker login`);
      const gone = `127.0.0.1:${await freePort()}/${NAME}`;
      const silent = await pushed(`${gone}:x`, ...archives);
      expect(silent.err).to.include(`${gone}:x is not pushed: `).and.to.include(' does not respond. Check ');
      const missing = await pushed(`${registry.host}/${NAME}:x`, '--base', `${registry.host}/${NAME}:none`);
      expect(missing.err).to.include('There is no base for linux/amd64 and linux/arm64: neither the Docker engine nor');
    });
  });
});
