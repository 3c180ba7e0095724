import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { baseFromArchive } from '../../../pipeline/image/base-archive.ts';
import { type BaseImage, imageConfig } from '../../../pipeline/image/image-config.ts';
import { layerFrom, textFile } from '../../../pipeline/image/layer.ts';
import { ociLayout } from '../../../pipeline/image/oci-layout.ts';

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
    const one = imageConfig(baseWith({ User: '1', Cmd: ['serve'], Env: ['A=1'] }), 'sha256:app', FACTS);
    const other = imageConfig(baseWith({ Env: ['A=1'], Cmd: ['serve'], User: '1' }), 'sha256:app', FACTS);
    expect(other.id).to.equal(one.id);
  });

  it('says in labels what the image is made of', () => {
    const { text } = imageConfig(baseWith({ Labels: { vendor: 'x' } }), 'sha256:app', FACTS);
    expect(JSON.parse(text).config.Labels).to.deep.equal({
      vendor: 'x',
      'kiln.definition': FACTS.definition,
      'kiln.schema': FACTS.schema,
      'org.opencontainers.image.base.digest': 'sha256:base',
      'org.opencontainers.image.base.name': 'base:1',
      'org.opencontainers.image.created': '2026-11-15T04:00:00Z',
      'org.opencontainers.image.revision': FACTS.revision,
      'org.opencontainers.image.source': FACTS.source,
      'org.opencontainers.image.title': 'blog',
    });
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
      const config = imageConfig(base, layers[1]?.diffId ?? '', FACTS);
      const file = join(folder, 'app.tar');
      writeFileSync(file, await ociLayout(base, layers, config, 'blog:1'));
      const read = await baseFromArchive(file);
      expect(read.image.id).to.equal(config.id);
      expect(read.image.config.Cmd).to.deep.equal(['serve']);
      expect(read.layers.map(({ tar }) => tar.toString('hex'))).to.deep.equal(
        layers.map(({ tar }) => tar.toString('hex')),
      );
    });

    it('is refused in a sentence where it is none', async () => {
      const file = join(folder, 'broken.tar');
      writeFileSync(file, 'no archive');
      const refusal = await baseFromArchive(file).catch((error: Error) => error);
      expect(refusal).to.be.instanceOf(Error).with.property('name', 'ImageRefusal');
    });
  });
});
