import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { baseFromArchive } from '../../../pipeline/image/base-archive.ts';
import { type BaseImage, baseDigest, imageConfig } from '../../../pipeline/image/image-config.ts';
import { archiveOf, digestOf, type Layer, layerFrom, textFile } from '../../../pipeline/image/layer.ts';
import { OWN_ARCHITECTURE } from '../../../pipeline/image/own-node.ts';
import { ociLayout } from './small-base.ts';

const FACTS = {
  application: 'blog',
  revision: 'a'.repeat(40),
  source: 'https://git.example/blog',
  created: new Date('2026-11-15T04:00:00Z'),
  definition: 'd'.repeat(64),
  schema: 's'.repeat(64),
};

function baseWith(config: BaseImage['config']): BaseImage {
  return { name: 'base:1', id: 'sha256:base', architecture: 'arm64', os: 'linux', layers: ['sha256:one'], config };
}

describe('pipeline/image', () => {
  it('gives the same layer for the same files, in whatever order they come', async () => {
    const one = await layerFrom(
      new Map([
        ['app/b', textFile('b')],
        ['app/a/c', textFile('c')],
      ]),
    );
    const other = await layerFrom(
      new Map([
        ['app/a/c', textFile('c')],
        ['app/b', textFile('b')],
      ]),
    );
    expect(other.tar.equals(one.tar)).to.equal(true);
    expect(other.diffId).to.equal(one.diffId);
  });

  it('gives another layer when a byte of a file changes', async () => {
    const one = await layerFrom(new Map([['app/b', textFile('b')]]));
    const other = await layerFrom(new Map([['app/b', textFile('c')]]));
    expect(other.diffId).not.to.equal(one.diffId);
  });

  it('gives the same image id whatever order an engine tells the settings of the base in', () => {
    const one = imageConfig(baseWith({ User: '1', Cmd: ['serve'], Env: ['A=1'] }), ['sha256:app'], FACTS);
    const other = imageConfig(baseWith({ Env: ['A=1'], Cmd: ['serve'], User: '1' }), ['sha256:app'], FACTS);
    expect(other.id).to.equal(one.id);
  });

  it('gives the same image id whichever engine has the base, and however it names it', () => {
    const health = { Test: ['CMD', 'x'], Interval: 1 };
    const config = {
      Cmd: ['serve'],
      Healthcheck: health,
      Labels: { b: '1', a: '2' },
      ExposedPorts: { '2/tcp': {}, '1/tcp': {} },
    };
    const one = imageConfig(baseWith(config), ['sha256:app'], FACTS);
    const told = {
      ...config,
      Healthcheck: { Interval: 1, Test: ['CMD', 'x'] },
      Labels: { a: '2', b: '1' },
      ExposedPorts: { '1/tcp': {}, '2/tcp': {} },
      Hostname: 'machine',
      OnBuild: [],
    };
    const other = imageConfig({ ...baseWith(told), id: 'sha256:manifest' }, ['sha256:app'], FACTS);
    expect(other.text).to.equal(one.text);
    const renamed = imageConfig({ ...baseWith(config), name: 'registry.example/base:2' }, ['sha256:app'], FACTS);
    expect(renamed.text).to.equal(one.text);
  });

  it('says in labels what the image is made of', () => {
    const { text } = imageConfig(baseWith({ Labels: { vendor: 'x' } }), ['sha256:app'], FACTS);
    expect(JSON.parse(text).config.Labels).to.deep.equal({
      vendor: 'x',
      'kiln.definition': FACTS.definition,
      'kiln.schema': FACTS.schema,
      'org.opencontainers.image.base.digest': baseDigest(baseWith({ Labels: { vendor: 'x' } })),
      'org.opencontainers.image.created': '2026-11-15T04:00:00Z',
      'org.opencontainers.image.revision': FACTS.revision,
      'org.opencontainers.image.source': FACTS.source,
      'org.opencontainers.image.title': 'blog',
      'org.opencontainers.image.version': 'a'.repeat(12),
    });
  });

  it('tells bases apart by their layers, their settings and their platform', () => {
    const base = baseWith({ Env: ['A=1'] });
    const others = [
      { ...base, layers: ['sha256:two'] },
      { ...base, config: { Env: ['A=2'] } },
      { ...base, config: { ...base.config, Labels: { vendor: 'x' } } },
      { ...base, architecture: 'amd64' },
    ];
    expect(new Set([base, ...others].map(baseDigest))).to.have.property('size', 5);
  });

  describe('an image in a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kiln-image-'));
    after(() => rmSync(folder, { recursive: true }));

    it('can be read again, layer by layer', async () => {
      const layers = [
        await layerFrom(new Map([['usr/x', textFile('x')]])),
        await layerFrom(new Map([['app/y', textFile('y')]])),
      ];
      const base = { ...baseWith({ Cmd: ['serve'] }), layers: [layers[0]?.diffId ?? ''] };
      const config = imageConfig(base, [layers[1]?.diffId ?? ''], FACTS);
      const file = join(folder, 'app.tar');
      writeFileSync(file, await ociLayout(base, layers, config, 'blog:1'));
      const read = await baseFromArchive(file);
      expect(read.image.id).to.equal(config.id);
      expect(read.image.config.Cmd).to.deep.equal(['serve']);
      expect(read.layers.map(({ tar }) => tar.toString('hex'))).to.deep.equal(
        layers.map(({ tar }) => tar.toString('hex')),
      );
    });

    /** What `docker save` and `docker buildx` write: an image of one layer. */
    async function saved(layer: Layer, stored: Buffer, isNested: boolean): Promise<string> {
      const text = imageConfig({ ...baseWith({}), layers: [] }, [layer.diffId], FACTS).text;
      const blob = (bytes: Buffer | string) =>
        [`blobs/${digestOf(bytes).replace(':', '/')}`, { bytes: Buffer.from(bytes) }] as const;
      const manifest = JSON.stringify({ config: { digest: digestOf(text) }, layers: [{ digest: digestOf(stored) }] });
      const index = JSON.stringify({
        manifests: [
          { digest: digestOf('none'), platform: { architecture: 'unknown' } },
          { digest: digestOf(manifest), platform: { architecture: OWN_ARCHITECTURE } },
        ],
      });
      const top = isNested
        ? ['index.json', { manifests: [{ digest: digestOf(index) }] }]
        : ['manifest.json', [{ Config: blob(text)[0], Layers: [blob(stored)[0]], RepoTags: ['kiln-runtime:latest'] }]];
      const file = join(folder, 'saved.tar');
      const named = [String(top[0]), { bytes: Buffer.from(JSON.stringify(top[1])) }] as const;
      writeFileSync(file, await archiveOf(new Map([named, blob(text), blob(stored), blob(manifest), blob(index)])));
      return file;
    }

    it('is read with compressed layers, and for this machine out of several', async () => {
      const layer = await layerFrom(new Map([['usr/x', textFile('x')]]));
      for (const isNested of [false, true]) {
        const { image, layers } = await baseFromArchive(await saved(layer, gzipSync(layer.tar), isNested));
        expect(layers.map(({ tar }) => tar.equals(layer.tar))).to.deep.equal([true]);
        expect(image.name).to.equal(isNested ? 'base' : 'kiln-runtime:latest');
      }
    });

    it('is refused where its layers are not what its configuration says', async () => {
      const layer = await layerFrom(new Map([['usr/x', textFile('x')]]));
      const refusal = await baseFromArchive(await saved(layer, Buffer.from('other'), false)).catch(
        (error: Error) => error,
      );
      expect(refusal).to.have.property('message').that.includes('not what its configuration says');
    });

    it('is refused in a sentence where it is none', async () => {
      const file = join(folder, 'broken.tar');
      writeFileSync(file, 'no archive');
      const refusal = await baseFromArchive(file).catch((error: Error) => error);
      expect(refusal).to.be.instanceOf(Error).with.property('name', 'ImageRefusal');
    });
  });
});
