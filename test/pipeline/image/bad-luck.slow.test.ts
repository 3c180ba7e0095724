import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../../bench/api/free-port.ts';
import { layerFrom, textFile } from '../../../pipeline/image/layer.ts';
import { skipFor, skipWithoutEngine } from '../../support/runtime-base.ts';
import { commit, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { FIRST } from '../push/pushed-sources.ts';
import { type KilnRun, runKiln } from '../run-kiln.ts';
import { smallBaseArchive } from './small-base.ts';
import { StandInEngine } from './stand-in-engine.ts';

describe('kiln build on a machine that does not play along', () => {
  let folder: string;

  beforeEach(() => {
    folder = newRepository();
    write(folder, FIRST);
    commit(folder);
  });

  const recorded = () => gitIn(folder, 'for-each-ref', 'refs/kiln');

  async function refused(words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<KilnRun> {
    const run = await runKiln(['build', folder, ...words], more);
    expect(run.status, run.err).to.equal(1);
    expect(run.err.trim().split('\n')).to.have.length(1);
    return run;
  }

  it('says that no engine answers, before any work', async () => {
    const host = `tcp://127.0.0.1:${await freePort()}`;
    const { out, err } = await refused([], { DOCKER_HOST: host });
    expect(err).to.include(
      `but none answers at DOCKER_HOST=${host}. Start Docker, or write the image to a file with --output`,
    );
    expect([out, recorded()]).to.deep.equal(['', '']);
  });

  it('says that the engine is too old, be its version 1.9 or 1.40', async () => {
    for (const ApiVersion of ['1.9', '1.40']) {
      const engine = await StandInEngine.start({ version: { Version: '19.03', ApiVersion } });
      const { out, err } = await refused([], { DOCKER_HOST: engine.host });
      engine.stop();
      expect(err).to.include(
        `The Docker engine is too old: 19.03 has API ${ApiVersion}, and 1.41 (Docker 20.10) is needed`,
      );
      expect([out, recorded()]).to.deep.equal(['', '']);
    }
  });

  it('takes a newer engine for one, though 1.100 is less than 1.41 as a number', async () => {
    const loading = [{ stream: 'Loaded image: blog' }];
    const engine = await StandInEngine.start({ version: { Version: '99', ApiVersion: '1.100' }, loading });
    const { status, err } = await runKiln(['build', folder], { DOCKER_HOST: engine.host });
    engine.stop();
    expect(status, err).to.equal(0);
  });

  it('says that the base is for another architecture, before any work', async () => {
    const engine = await StandInEngine.start({
      version: { Version: '28', ApiVersion: '1.48', Os: 'linux', Arch: 's390x' },
    });
    const { out, err } = await refused([], { DOCKER_HOST: engine.host });
    const bare = `${folder}.git`;
    await runKiln(['pipeline', 'init', bare]);
    gitIn(folder, 'push', '--quiet', bare, 'main:refs/heads/before');
    gitIn(bare, 'update-ref', 'refs/heads/main', 'refs/heads/before');
    const resumed = await runKiln(['pipeline', 'resume', bare], { DOCKER_HOST: engine.host });
    engine.stop();
    const what = 'The image kiln-runtime is for linux/amd64, but this Docker engine runs linux/s390x';
    expect(err).to.include(`${what}. Name another base with --base`);
    expect(resumed.err).to.include(`${what}. Name another one with --base of \`kiln build\` or \`kiln pipeline init\``);
    expect([out, recorded()]).to.deep.equal(['', '']);
    expect(gitIn(bare, 'for-each-ref', 'refs/kiln/releases', 'refs/kiln/builds')).to.equal('');
  });

  it('says to a push what to do, which has no options', async () => {
    const bare = `${folder}.git`;
    await runKiln(['pipeline', 'init', bare]);
    gitIn(folder, 'push', '--quiet', bare, 'main:refs/heads/before');
    gitIn(bare, 'update-ref', 'refs/heads/main', 'refs/heads/before');
    const resumed = async (host: string) =>
      (await runKiln(['pipeline', 'resume', bare], { DOCKER_HOST: host })).err.split('\n')[0] ?? '';
    const version = { Version: '28', ApiVersion: '1.48' };
    const [bareEngine, withBase] = [
      await StandInEngine.start({ version, images: [] }),
      await StandInEngine.start({ version, images: ['kiln-runtime'] }),
    ];
    expect(await resumed(`tcp://127.0.0.1:${await freePort()}`)).to.match(
      /\. Start Docker, then run: kiln pipeline resume \S+\.git$/,
    );
    expect(await resumed(bareEngine.host)).to.match(
      /: The base image kiln-runtime is not in the Docker engine\. Make it with `docker build -t kiln-runtime \.` in Kiln's own folder, or name another: kiln pipeline init \S+\.git --base <image>$/,
    );
    expect(await resumed(withBase.host)).to.match(
      /: The image postgres:18 is not in the Docker engine, and cannot be pulled: .*\. Name another: kiln pipeline init \S+\.git --postgres <image>$/,
    );
    for (const engine of [bareEngine, withBase]) engine.stop();
  });

  it("finds a full disk in the engine's progress, and says what to do", async () => {
    const error = 'write /app/definition.json: no space left on device';
    const loading = [{ status: 'Loading layer' }, { errorDetail: { message: error }, error }];
    const engine = await StandInEngine.start({ version: { Version: '28', ApiVersion: '1.48' }, loading });
    const { err } = await refused([], { DOCKER_HOST: engine.host });
    engine.stop();
    expect(err).to.include(
      'no space left on device. Its disk is full: make room, for example with `docker image prune`',
    );
  });

  it('says that the base image is missing, before any work', async function () {
    skipWithoutEngine(this);
    const { out, err } = await refused(['--base', 'kiln-test-no-such-base']);
    expect(err).to.include('The base image kiln-test-no-such-base is not in the Docker engine. Make it with');
    expect([out, recorded()]).to.deep.equal(['', '']);
  });

  describe('to a file', () => {
    let place: string;
    let base: string;

    before(async () => {
      place = temporaryFolder();
      base = join(place, 'base.tar');
      writeFileSync(base, await smallBaseArchive());
    });

    it('says that the folder is missing, or is a file, before any work', async () => {
      mkdirSync(join(place, 'taken'));
      for (const [file, why] of [
        [join(place, 'gone/x.tar'), 'it does not exist'],
        [join(base, 'x.tar'), 'a part of its path is not a folder'],
        [join(place, 'taken'), 'is a folder, but the image is one file'],
      ] as const) {
        const { out, err } = await refused(['--base-archive', base, '--output', file]);
        expect(err).to.include(file).and.to.include(why);
        expect([out, recorded()]).to.deep.equal(['', '']);
      }
    });

    it('says that the base archive is missing before any work, and that it holds no image before the release', async () => {
      const output = join(place, 'x.tar');
      const gone = await refused(['--base-archive', join(place, 'none.tar'), '--output', output]);
      expect([gone.out, recorded()]).to.deep.equal(['', '']);
      expect(gone.err).to.include('cannot be read: it does not exist. `docker save kiln-runtime -o');
      const odd = join(place, 'odd.tar');
      const damaged = (await layerFrom(new Map([['manifest.json', textFile('[{')]]))).tar;
      for (const content of ['', 'not a tar archive', Buffer.alloc(2048), damaged]) {
        writeFileSync(odd, content);
        const { err } = await refused(['--base-archive', odd, '--output', output]);
        expect(err).to.include(odd);
        expect([existsSync(output), recorded()]).to.deep.equal([false, '']);
      }
    });

    describe('on a full disk', () => {
      let disk: string;

      before(function () {
        disk = temporaryFolder();
        const mounted =
          process.getuid?.() === 0 && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk]).status === 0;
        skipFor(this, 'tests of full disks', mounted ? undefined : 'they need root, to mount a small one');
      });

      after(() => void spawnSync('umount', [disk]));

      it('says so, and leaves no half of a file behind', async () => {
        const file = join(disk, 'image.tar');
        const fat = join(place, 'fat.tar');
        writeFileSync(fat, await smallBaseArchive(randomBytes(100_000).toString('hex')));
        const { err } = await refused(['--base-archive', fat, '--output', file]);
        expect(err).to.equal(`error: \`${file}\` cannot be written: the disk is full\n`);
        expect(readdirSync(disk)).to.deep.equal([]);
      });
    });
  });
});
