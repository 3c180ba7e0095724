import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { freePort } from '../../../bench/api/free-port.ts';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { filesIn } from '../../../pipeline/image/layer.ts';
import { skipFor, skipWithoutEngine } from '../../support/runtime-base.ts';
import { commit, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { FIRST } from '../push/pushed-sources.ts';
import { KILN, type KilnRun, runKiln } from '../run-kiln.ts';
import { PASSWORD, Registry, registryProgram, USER } from './registry.ts';
import { loadSmallBase } from './small-base.ts';

const BASE = `kiln-test-base:${process.pid}`;
const NAME = `kiln-test-pushed-${process.pid}`;
const SCRIPT = resolve(import.meta.dirname, '../../../ci/build-and-push.sh');
const SOURCE = 'https://git.example/acme/blog';
const BASIC = Buffer.from(`${USER}:${PASSWORD}`).toString('base64');

/** What the base of these tests runs is nothing, so no test of it can pass. */
const WITHOUT_TEST = `#!/bin/sh
for word; do
  shift
  case $last in --test) ;; *) [ "$word" = --test ] || set -- "$@" "$word" ;; esac
  last=$word
done
exec '${process.execPath}' '${KILN}' "$@"
`;

describe('kiln build --push', () => {
  let program: string;
  let engine: DockerEngine;
  let folder: string;
  let revision: string;
  const registries: Registry[] = [];
  const hosts: string[] = [];

  before(async function () {
    skipWithoutEngine(this);
    const found = registryProgram();
    skipFor(
      this,
      'tests of pushes to a registry',
      found ? undefined : 'there is no program docker-registry or registry',
    );
    program = found ?? '';
    engine = await DockerEngine.connect();
    await loadSmallBase(engine, BASE);
    folder = newRepository(NAME);
    write(folder, { ...FIRST, 'kiln.json': JSON.stringify({ name: NAME, source: SOURCE }) });
    revision = commit(folder).slice(0, 12);
  });

  after(async () => {
    await Promise.all(registries.map((registry) => registry.stop()));
    for (const host of hosts) for (const tag of [revision, 'main']) await engine.untag(`${host}/${NAME}:${tag}`);
    await engine?.untag(BASE);
  });

  async function started(options: Parameters<typeof Registry.start>[1] = {}): Promise<Registry> {
    const registry = await Registry.start(program, options);
    registries.push(registry);
    return registry;
  }

  /** What `kiln` writes never has the password in it, in whichever form. */
  async function pushed(host: string, config: unknown, path = ''): Promise<KilnRun> {
    hosts.push(host);
    const docker = temporaryFolder();
    write(docker, { 'config.json': typeof config === 'string' ? config : JSON.stringify(config) });
    const names = [revision, 'main'].flatMap((tag) => ['--tag', `${host}/${NAME}:${tag}`]);
    const environment = { DOCKER_CONFIG: docker, PATH: `${path}:${process.env.PATH}` };
    const run = await runKiln(['build', folder, '--base', BASE, '--push', ...names], environment);
    for (const secret of [PASSWORD, BASIC, 'canary-token']) expect(run.out + run.err).not.to.include(secret);
    return run;
  }

  function helper(name: string, answer: string): string {
    const bin = temporaryFolder();
    const file = `docker-credential-${name}`;
    write(bin, { [file]: `#!/bin/sh\ncat >"${bin}/asked"\n${answer}\n` });
    chmodSync(join(bin, file), 0o755);
    return bin;
  }

  const credentials = `printf '{"Username":"${USER}","Secret":"${PASSWORD}"}'`;

  it('gives the registry the image that was loaded, under both names', async () => {
    const registry = await started();
    const { status, out, err } = await pushed(registry.host, {});
    expect(status, err).to.equal(0);
    const id = out.trim().split('\n').at(-1);
    const manifest = await registry.manifest(NAME, revision);
    expect(manifest?.config.digest).to.equal(id);
    expect(await registry.manifest(NAME, 'main')).to.deep.equal(manifest);
    expect(manifest?.layers).to.have.length(2);
    const config = JSON.parse(String(await registry.blob(NAME, id ?? '')));
    expect(config.config.Labels).to.include({
      'org.opencontainers.image.title': NAME,
      'org.opencontainers.image.source': SOURCE,
    });
    const layer = gunzipSync(await registry.blob(NAME, manifest?.layers[1]?.digest ?? ''));
    expect([...(await filesIn(Readable.from([layer]))).keys()]).to.include('app/definition.json');
  });

  it('says by which digest the registry knows it, and records that', async () => {
    const registry = await started();
    const { out } = await pushed(registry.host, {});
    const digest = await registry.digest(NAME, 'main');
    expect(out).to.include(`  ${registry.host}/${NAME}:${revision}@${digest}\n`);
    const log = await runKiln(['pipeline', 'log', folder, 'main'], {});
    expect(log.out).to.include(`${out.trim().split('\n').at(-1)}, built by \`kiln build\`, not tested\n`);
    expect(log.out).to.include(`  pushed    ${registry.host}/${NAME}:main@${digest}\n`);
    for (const tag of [revision, 'main']) await engine.untag(`${registry.host}/${NAME}:${tag}`);
    const pulled = `${registry.host}/${NAME}@${digest}`;
    const verified = await runKiln(['verify', pulled, folder, '--base', BASE], {});
    await engine.untag(pulled);
    expect(verified.out, verified.err).to.match(
      new RegExp(`^verified: ${pulled} is identical to the build of ${revision}`),
    );
  });

  it('attaches what the image is made of, and by what, to the image in the registry', async () => {
    const registry = await started();
    const { out } = await pushed(registry.host, {});
    const digest = await registry.digest(NAME, 'main');
    expect(out).to.match(/^attach +\d+ ms {2}sbom\.cdx\.json, sbom\.spdx\.json, provenance\.json$/m);
    const attached = await registry.attached(NAME, digest);
    const kept = (file: string) => `${gitIn(folder, 'show', `refs/kiln/reports/main:${commitId()}/${file}`)}\n`;
    const texts = Object.fromEntries(Object.entries(attached).map(([type, { text }]) => [type, text]));
    expect(texts).to.deep.equal({
      'application/vnd.cyclonedx+json': kept('sbom.cdx.json'),
      'application/spdx+json': kept('sbom.spdx.json'),
      'application/vnd.in-toto+json': kept('provenance.json'),
    });
    const { subject, predicate } = JSON.parse(texts['application/vnd.in-toto+json'] ?? '');
    const ledger = gitIn(folder, 'rev-parse', 'refs/kiln/releases/main');
    expect(subject.map((each: { digest: unknown }) => each.digest)).to.deep.include({ sha256: digest.slice(7) });
    expect(predicate.buildDefinition.resolvedDependencies.slice(0, 2)).to.deep.equal([
      { name: 'source', uri: `git+${SOURCE}@${commitId()}`, digest: { gitCommit: commitId() } },
      { name: 'ledger', digest: { gitCommit: ledger } },
    ]);
    expect(Object.values(attached)[0]?.subject.digest).to.equal(digest);
    await pushed(registry.host, {});
    expect(Object.keys(await registry.attached(NAME, digest))).to.have.length(3);
  });

  function commitId(): string {
    return gitIn(folder, 'rev-parse', 'HEAD');
  }

  it("finds who is asking in Docker's configuration, or asks the program that it names", async () => {
    const registry = await started({ asksWho: true });
    const { host } = registry;
    const bin = helper('kilntest', credentials);
    const runs = [
      await pushed(host, { auths: { [host]: { auth: BASIC } } }),
      await pushed(host, { credHelpers: { [host]: 'kilntest' } }, bin),
      await pushed(host, { auths: { [host]: {} }, credsStore: 'kilntest' }, bin),
    ];
    for (const { status, err } of runs) expect(status, err).to.equal(0);
    expect(await registry.manifest(NAME, 'main')).to.have.property('layers');
    expect(Object.keys(await registry.attached(NAME, await registry.digest(NAME, 'main')))).to.have.length(3);
  });

  it('says how to log in where the registry wants to know who is asking, and moves no tag', async () => {
    const registry = await started({ asksWho: true });
    const { host } = registry;
    const wrong = Buffer.from(`${USER}:not-${PASSWORD}`).toString('base64');
    const nobody = await pushed(host, {});
    const refused = await pushed(host, { auths: { [host]: { auth: wrong } } });
    const silent = await pushed(
      host,
      { credsStore: 'nothing' },
      helper('nothing', 'echo canary-token not found >&2; exit 1'),
    );
    expect(nobody.err).to.include(`${host} requires a login. Run \`docker login ${host}\` first.`);
    expect(refused.err).to.include(`${host} rejects the user in Docker's configuration. Run \`docker login ${host}\``);
    expect(silent.err).to.include('requires a login');
    for (const { status, err } of [nobody, refused, silent]) {
      expect(status).to.equal(1);
      expect(err.trim().split('\n')).to.have.length(1);
    }
    expect(await registry.manifest(NAME, revision)).to.equal(undefined);
    expect(await registry.manifest(NAME, 'main')).to.equal(undefined);
  });

  it('says that the registry does not answer', async () => {
    const host = `127.0.0.1:${await freePort()}`;
    const { status, err } = await pushed(host, {});
    expect(status).to.equal(1);
    expect(err).to.match(
      new RegExp(`^error: ${host}/${NAME}:${revision} is not pushed: ${host} does not respond\\. Check `),
    );
  });

  it('says that the registry is read-only, and moves no tag', async () => {
    const registry = await started({ isReadOnly: true });
    const { status, err } = await pushed(registry.host, {});
    expect(status).to.equal(1);
    expect(err).to.include('accepts no images now. It may be read-only for maintenance');
    expect(await registry.manifest(NAME, 'main')).to.equal(undefined);
  });

  it('says what is wrong with the configuration of Docker before anything is recorded', async () => {
    const host = '127.0.0.1:1';
    const other = newRepository(NAME);
    write(other, FIRST);
    commit(other);
    const before = folder;
    folder = other;
    const runs = [
      await pushed(host, `{ "auths": { "${host}": { "auth": "${BASIC}" `),
      await pushed(host, { credsStore: 'gone' }),
      await pushed(host, { credsStore: 'odd' }, helper('odd', 'echo canary-token')),
    ];
    folder = before;
    expect(runs.map(({ status }) => status)).to.deep.equal([1, 1, 1]);
    expect(runs[0]?.err).to.include('where Docker keeps the credentials for registries, is not JSON');
    expect(runs[1]?.err).to.include('names `docker-credential-gone` for 127.0.0.1:1, which cannot be run');
    expect(runs[2]?.err).to.include('its output is not JSON');
    expect(gitIn(other, 'for-each-ref', 'refs/kiln')).to.equal('');
  });

  it('is what `ci/build-and-push.sh` ends in, also for a project in a folder', async () => {
    const registry = await started();
    const bare = join(temporaryFolder(), 'acme.git');
    const clone = newRepository('acme');
    write(clone, Object.fromEntries(Object.entries(FIRST).map(([path, text]) => [`apps/my blog/${path}`, text])));
    const tag = commit(clone).slice(0, 12);
    gitIn(clone, 'clone', '--quiet', '--bare', clone, bare);
    gitIn(clone, 'remote', 'add', 'origin', bare);
    const bin = temporaryFolder();
    const script = () =>
      spawnSync(SCRIPT, {
        cwd: clone,
        encoding: 'utf8',
        env: {
          ...process.env,
          PATH: `${bin}:${process.env.PATH}`,
          DOCKER_CONFIG: bin,
          KILN_IMAGE: `${registry.host}/${NAME}`,
          KILN_BRANCH: 'main',
          KILN_DIRECTORY: 'apps/my blog',
          KILN_BASE_IMAGE: BASE,
          // It is there, and never started.
          KILN_POSTGRES: BASE,
        },
      });
    hosts.push(registry.host);
    symlinkSync(KILN, join(bin, 'kiln'));
    const untested = script();
    expect(untested.stderr).to.include('error: The image runs as root, but it has to name a user by a number');
    expect(untested.status).to.equal(1);
    expect(await registry.manifest(NAME, tag)).to.equal(undefined);
    expect(await engine.imageOf(`${registry.host}/${NAME}:${tag}`)).to.equal(null);
    expect(gitIn(bare, 'for-each-ref', 'refs/kiln')).to.equal('');
    rmSync(join(bin, 'kiln'));
    write(bin, { kiln: WITHOUT_TEST });
    chmodSync(join(bin, 'kiln'), 0o755);
    const { status, stderr } = script();
    await engine.untag(`${registry.host}/${NAME}:${tag}`);
    expect(status, stderr).to.equal(0);
    expect(await registry.manifest(NAME, 'main')).to.deep.equal(await registry.manifest(NAME, tag));
    const ledger = 'refs/kiln/folders/apps%2Fmy%20blog/releases/main';
    expect(gitIn(bare, 'rev-parse', ledger)).to.equal(gitIn(clone, 'rev-parse', ledger));
    expect(gitIn(bare, 'show', ledger.replace('releases', 'builds'))).to.include('"outcome":"built"');
  });
});
