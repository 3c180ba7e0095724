import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { configOf } from '../../../pipeline/bake/bake.ts';
import { type BuiltRelease, buildRelease } from '../../../pipeline/bake/build-release.ts';
import { envelopeOf, SIGNED_PROVENANCE } from '../../../pipeline/bake/provenance-files.ts';
import { openRepository } from '../../../pipeline/git/repository.ts';
import { NewObjects } from '../../../pipeline/git/write-objects.ts';
import { baseFromArchive } from '../../../pipeline/image/base-archive.ts';
import { digestOf, type LayerFile, layerFrom, textFile } from '../../../pipeline/image/layer.ts';
import type { OwnBase } from '../../../pipeline/image/own-node.ts';
import { writeBuildFiles } from '../../../pipeline/ledger/build-files.ts';
import { readLedger } from '../../../pipeline/ledger/ledger.ts';
import { Steps } from '../../../pipeline/smoke/steps.ts';
import { signatureDifferences, type Verification, verifyImage } from '../../../pipeline/verify/verify-image.ts';
import { commit, gitIn, newRepository, temporaryFolder, write } from '../git/git-repository.ts';
import { ociLayout, smallBaseArchive } from '../image/small-base.ts';
import { FIRST, RENAMED } from '../push/pushed-sources.ts';

const SILENT = new Steps(() => undefined);

const OTHER_RELEASES = 'releases: the releases in the image are not those of the ledger here';

describe('the verification of an image', () => {
  const place = temporaryFolder();
  const baseArchive = join(place, 'base.tar');
  let base: OwnBase;
  let folder: string;
  let first: BuiltRelease;
  let second: BuiltRelease;

  before(async () => {
    writeFileSync(baseArchive, await smallBaseArchive());
    base = await baseFromArchive(baseArchive);
    folder = newRepository();
    first = await released(FIRST);
    second = await released(RENAMED);
  });

  async function released(files: Readonly<Record<string, string>>): Promise<BuiltRelease> {
    write(folder, files);
    const input = { repository: openRepository(folder), revision: commit(folder), branch: 'main', folder: '' };
    return buildRelease(input, SILENT);
  }

  /** As a file. `on` is another base. */
  async function image(built: BuiltRelease, on = base): Promise<string> {
    const file = join(place, 'image.tar');
    writeFileSync(
      file,
      await ociLayout(on.image, [...on.layers, ...built.layers], configOf(on.image, built), 'blog:1'),
    );
    return file;
  }

  function verified(name: string, where = folder, rev?: string): Promise<Verification> {
    const repository = openRepository(where);
    return verifyImage({ name, repository, rev, base: 'nowhere', baseArchive, runtimeFolder: '' });
  }

  async function differences(name: string, where = folder, rev?: string): Promise<readonly string[]> {
    return (await verified(name, where, rev)).differences.map(({ of, says }) => `${of}: ${says}`);
  }

  function refusal(work: Promise<unknown>): Promise<string> {
    return work.then(
      () => 'nothing',
      ({ message }: Error) => message,
    );
  }

  it('finds nothing in the image of a release, be it an old one, and in a clone that has the ledger', async () => {
    const clone = join(place, 'clone');
    gitIn(folder, 'clone', '--quiet', '--mirror', folder, clone);
    expect(await differences(await image(first))).to.deep.equal([]);
    const found = await verified(await image(second), clone);
    expect(found).to.deep.include({ differences: [], releases: 2, id: configOf(base.image, second).id });
  });

  it('finds the signature of a key on it, and no other', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const repository = openRepository(folder);
    const { revision, id } = await verified(await image(second));
    const said = (of: { readonly revision: string; readonly id: string }, key = publicKey) =>
      signatureDifferences(repository, of, key).map(({ says }) => says);
    expect(said({ revision, id })).to.deep.equal([
      `no build of ${revision} has left one here; builds sign with KILN_SIGNING_KEY, and \`git fetch origin 'refs/kiln/*:refs/kiln/*'\` fetches what they left`,
    ]);
    const statement = JSON.stringify({ subject: [{ name: 'blog', digest: { sha256: id.slice('sha256:'.length) } }] });
    const envelope = envelopeOf(statement, privateKey);
    writeBuildFiles(repository, 'main', { revision, time: 0 }, { [SIGNED_PROVENANCE]: envelope });
    expect(said({ revision, id })).to.deep.equal([]);
    expect(said({ revision, id: `sha256:${'0'.repeat(64)}` })).to.deep.equal([
      `this key has signed another image of ${revision}`,
    ]);
    expect(said({ revision, id }, generateKeyPairSync('ed25519').publicKey)).to.deep.equal(['it is not of this key']);
  });

  it('says that the chain of releases is another one, and that nothing else is', async () => {
    const clone = join(place, 'elsewhere');
    gitIn(folder, 'clone', '--quiet', folder, clone);
    expect(await differences(await image(second), clone)).to.deep.equal([OTHER_RELEASES]);
  });

  async function withFiles(files: Readonly<Record<string, LayerFile>>): Promise<string> {
    return image({ ...second, layers: [...second.layers, await layerFrom(new Map(Object.entries(files)))] });
  }

  it('names the files that differ, and those that are only in the image', async () => {
    const name = await withFiles({ 'app/schema.sql': textFile('DROP'), 'usr/bin/more': textFile('more') });
    const found = await differences(name);
    expect(found[0]).to.match(/^application: app\/schema\.sql differs: 4 bytes in the image, \d+ here$/);
    expect(found.slice(1)).to.deep.equal(['application: usr/bin/more is only in the image']);
  });

  it('finds a file that is the same but for its mode', async () => {
    const bytes = Buffer.from(JSON.stringify(second.release.chain));
    expect(await differences(await withFiles({ 'app/releases.json': { bytes, isExecutable: true } }))).to.deep.equal([
      'application: the layers have the same files, but other times, owners, modes or links',
    ]);
  });

  /** With another text as its configuration. */
  async function configured(text: string): Promise<string> {
    const file = join(place, 'image.tar');
    const layers = [...base.layers, ...second.layers];
    writeFileSync(file, await ociLayout(base.image, layers, { text, id: digestOf(text) }, 'blog:1'));
    return file;
  }

  it('names labels with their values, and settings without', async () => {
    const { config, ...rest } = JSON.parse(configOf(base.image, { ...second, title: 'other' }).text);
    const more = { ...config, Env: ['PASSWORD=canary'], Tty: false, Labels: { ...config.Labels, vendor: 'x' } };
    const file = await configured(JSON.stringify({ ...rest, docker_version: '20.10', config: more }));
    expect(await differences(file)).to.deep.equal([
      'label: org.opencontainers.image.title is `other` in the image, and `API` here',
      'label: vendor is only in the image',
      'setting: Env, docker_version: not the same',
    ]);
  });

  it('does not take an image with another id for the same one', async () => {
    const { history, ...rest } = JSON.parse(configOf(base.image, second).text);
    expect(await differences(await configured(JSON.stringify({ ...rest, history: history.slice(1) })))).to.deep.equal([
      'setting: the history, or the way in which the configuration is written: not the same',
    ]);
  });

  it('names the base where it is another one, and compares what can be compared', async () => {
    const config = { ...base.image.config, Env: ['PASSWORD=canary'], Labels: { vendor: 'x' } };
    const on = { ...base, image: { ...base.image, config } };
    const { digest } = (await verified(await image(second))).base;
    const [first, ...others] = await differences(await image({ ...second, title: 'other' }, on));
    expect(first).to.match(/^base: the image is made on a base sha256:\w+, and base:1 is sha256:\w+\. Name the right/);
    expect(first).to.include(digest);
    expect(others).to.deep.equal(['label: org.opencontainers.image.title is `other` in the image, and `API` here']);
  });

  it('compares what lies on another base where the image has no history', async () => {
    const on = { ...base.image, layers: [] };
    const text = JSON.stringify({ ...JSON.parse(configOf(on, second).text), history: null });
    const file = join(place, 'image.tar');
    writeFileSync(file, await ociLayout(on, second.layers, { text, id: digestOf(text) }, 'blog:1'));
    const found = await differences(file);
    expect(found).to.have.length(1);
    expect(found[0]).to.match(/^base: /);
  });

  it('holds it against another revision where one is named', async () => {
    const found = await differences(await image(second), folder, first.commit.revision);
    expect(found).to.include(OTHER_RELEASES);
    expect(found.join('\n')).to.include('application: app/definition.json differs');
    expect(found.join('\n')).to.include('label: org.opencontainers.image.revision is');
  });

  it('says that the ledger has recorded what the image has, where this Kiln gives something else', async () => {
    const texts = { ...second.release.texts, 'openapi.json': '{}\n' };
    const repository = openRepository(folder);
    const objects = new NewObjects(repository);
    const files = Object.entries(texts).map(([name, text]) => [name, objects.blob(text)]);
    const tree = objects.tree(Object.fromEntries(files));
    const [parent, tip] = readLedger(repository, 'main').releases.map(({ commit: id }) => id);
    const message = `${gitIn(folder, 'log', '-1', '--format=%B', tip as string)}\n`;
    const changed = objects.commit({ tree, parents: [parent as string], time: 0, message });
    objects.write();
    const clone = join(place, 'changed');
    gitIn(folder, 'clone', '--quiet', '--mirror', folder, clone);
    gitIn(folder, 'push', '--quiet', '--force', clone, `${changed}:refs/kiln/releases/main`);
    const input = { repository: openRepository(clone), revision: second.commit.revision, branch: 'main', folder: '' };
    const found = await verified(await image(await buildRelease(input, SILENT)), clone);
    expect(found).to.deep.include({ isAsRecorded: true });
    expect(found.differences.map(({ says }) => says).join()).to.match(
      /^app\/openapi\.json differs: 3 bytes in the image/,
    );
  });

  describe('refuses in a sentence', () => {
    it('what Kiln has not built', async () => {
      const file = join(place, 'foreign.tar');
      const config = JSON.stringify({ config: {}, rootfs: { diff_ids: [] } });
      writeFileSync(file, await ociLayout(base.image, [], { text: config, id: `sha256:${'0'.repeat(64)}` }, 'a:1'));
      expect(await refusal(verified(file))).to.match(
        /foreign\.tar` is not an image that Kiln has built: it has no label/,
      );
    });

    it('a file that is no archive, and a name that no image has', async () => {
      const file = join(place, 'text');
      writeFileSync(file, 'text');
      expect(await refusal(verified(file))).to.match(/text` cannot be read\.$/);
    });

    it('a commit that the repository does not have', async () => {
      const other = newRepository();
      write(other, { 'other.kiln': '' });
      commit(other, 'Other');
      expect(await refusal(verified(await image(second), other))).to.equal(
        `\`${join(place, 'image.tar')}\` is made of the commit ${second.commit.revision}, which is not in this repository. Fetch it, or name the repository that has it behind the image.`,
      );
    });

    it('a ledger that a newer Kiln has written', async () => {
      const repository = openRepository(folder);
      const [recorded] = readLedger(repository, 'main').releases;
      const release = { ...recorded?.release, steps: [{ kind: 'of-tomorrow' }] };
      const objects = new NewObjects(repository);
      const files = { ...recorded?.files, 'migration.json': objects.blob(JSON.stringify(release)) };
      const message = `${gitIn(folder, 'log', '-1', '--format=%B', recorded?.commit ?? '')}\n`;
      const id = objects.commit({ tree: objects.tree(files), parents: [], time: 0, message });
      objects.write();
      gitIn(folder, 'update-ref', 'refs/kiln/releases/next', id);
      const said = await refusal(verified(await image(second)));
      gitIn(folder, 'update-ref', '-d', 'refs/kiln/releases/next');
      expect(said).to.match(
        /^the release \w{40} was recorded by a newer Kiln: its migration has steps .*; update Kiln$/,
      );
    });
  });
});
