/** What an engine loads, and what is kept of its images. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { runtimeSbomIn } from '../../../pipeline/bake/provenance-files.ts';
import { runtimeSbom } from '../../../pipeline/bake/sbom.ts';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { imageConfig } from '../../../pipeline/image/image-config.ts';
import { layerFrom, textFile } from '../../../pipeline/image/layer.ts';
import { dockerArchive } from '../../../pipeline/image/stored-image.ts';
import { skipWithoutEngine } from '../../support/runtime-base.ts';
import { commit, gitIn, newRepository, write } from '../git/git-repository.ts';
import { runKiln } from '../run-kiln.ts';
import { loadSmallBase, NOTHING } from './small-base.ts';

const FACTS = { application: 'a', revision: '0', source: null, created: new Date(0), definition: '', schema: '' };
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

  it('is not loaded where the build is refused, and nothing is left', async () => {
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

  it('has a base whose Node and packages are read from its files', async () => {
    const { id, archive } = await newImage({
      'kiln/sbom.cdx.json': runtimeSbom('1.0.0', []),
      'usr/lib/os-release': 'ID=debian\nVERSION_ID="12"\n',
      'var/lib/dpkg/status.d/libc6': 'Package: libc6\nVersion: 2.36\nArchitecture: amd64\n',
    });
    await engine.load(archive);
    const base = { ...NOTHING, id, config: { Env: ['NODE_VERSION=24.1.0'] } };
    const text = await runtimeSbomIn(engine, base);
    const { components, compositions } = JSON.parse(text ?? '');
    expect(components.map(({ name, version }: { name: string; version: string }) => [name, version])).to.deep.equal([
      ['node', '24.1.0'],
      ['debian', '12'],
      ['libc6', '2.36'],
    ]);
    expect(compositions).to.equal(undefined);
  });

  it('may have a base without a document', async () => {
    const { id, archive } = await newImage();
    await engine.load(archive);
    expect(await runtimeSbomIn(engine, { ...NOTHING, id })).to.equal(null);
    expect(await runtimeSbomIn(engine, { ...NOTHING, id: `sha256:${'0'.repeat(64)}` })).to.equal(null);
  });
});
