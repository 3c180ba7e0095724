import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { buildRelease } from '../../pipeline/bake/build-release.ts';
import { provenanceFiles } from '../../pipeline/bake/provenance-files.ts';
import { applicationSbom, runtimeSbom } from '../../pipeline/bake/sbom.ts';
import { Steps } from '../../pipeline/bake/steps.ts';
import { openRepository } from '../../pipeline/git/repository.ts';
import { baseDigest } from '../../pipeline/image/image-config.ts';
import { readLedger } from '../../pipeline/ledger/ledger.ts';
import { commit, newRepository, write } from './git/git-repository.ts';
import { NOTHING } from './image/small-base.ts';
import { FIRST, HOOKED, RENAMED } from './push/pushed-sources.ts';

const RUNTIME = resolve(import.meta.dirname, '../../dist/runtime/sbom.cdx.json');
const BELOW = runtimeSbom('1.0.0', [
  { name: '@acme/kit', version: '2.0.0', license: 'MIT' },
  { name: 'pg', version: '8.0.0', license: '(MIT OR Apache-2.0)' },
]);

describe('what a build says about its image', () => {
  /** With a hook whose package is committed. */
  async function files(digests: Readonly<Record<string, string>>) {
    const folder = newRepository();
    write(folder, { ...FIRST, ...RENAMED, ...HOOKED });
    write(folder, {
      'kiln.json': '{ "name": "acme/blog", "source": "https://git.example/acme/blog" }',
      'hooks/loud.js': "import { up } from 'up';\nexport const loud = ({ headline }) => up(headline);\n",
      'node_modules/up/package.json': '{ "name": "up", "version": "1.2.3", "license": "ISC", "main": "i.js" }',
      'node_modules/up/i.js': "import './unused.js';\nexport const up = (text) => text.toUpperCase();\n",
      'node_modules/unused/package.json': '{ "name": "unused", "version": "1.0.0" }',
      'node_modules/up/unused.js': '',
    });
    const repository = openRepository(folder);
    const input = { repository, revision: commit(folder), branch: 'main', folder: '' };
    const built = await buildRelease(input, new Steps(() => undefined));
    const image = { id: `sha256:${'1'.repeat(64)}`, digests, base: NOTHING, runtimeSbom: BELOW };
    const ledger = readLedger(repository, 'main').tip;
    return { input, ledger, made: provenanceFiles(input, built, image), again: provenanceFiles(input, built, image) };
  }

  it('lists the packages of the runtime and of hooks, each once', async () => {
    const { made, input } = await files({});
    const sbom = JSON.parse(made['sbom.cdx.json']);
    expect(sbom).to.include({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
    const version = input.revision.slice(0, 12);
    expect(sbom.metadata.component).to.include({ type: 'application', name: 'acme/blog', version });
    expect(sbom.components.map((each: { 'bom-ref': string }) => each['bom-ref'])).to.deep.equal([
      'kiln-runtime@1.0.0',
      'pkg:npm/%40acme/kit@2.0.0',
      'pkg:npm/pg@8.0.0',
      'pkg:npm/up@1.2.3',
    ]);
    expect(sbom.components[1]).to.deep.include({ group: '@acme', name: 'kit', licenses: [{ license: { id: 'MIT' } }] });
    expect(sbom.components[2].licenses).to.deep.equal([{ expression: '(MIT OR Apache-2.0)' }]);
    expect(sbom.dependencies[0]).to.deep.equal({
      ref: `application:acme/blog@${version}`,
      dependsOn: ['kiln-runtime@1.0.0', 'pkg:npm/up@1.2.3'],
    });
  });

  it('says what the image was made of, the same each time', async () => {
    const digest = 'b'.repeat(64);
    const { made, again, input, ledger } = await files({ 'host/blog:main': `sha256:${digest}` });
    expect(again).to.deep.equal(made);
    const { subject, predicate, ...statement } = JSON.parse(made['provenance.json']);
    expect(statement).to.deep.equal({
      _type: 'https://in-toto.io/Statement/v1',
      predicateType: 'https://slsa.dev/provenance/v1',
    });
    expect(subject.map((each: { digest: { sha256: string } }) => each.digest.sha256)).to.deep.equal([
      '1'.repeat(64),
      digest,
    ]);
    const { buildDefinition } = predicate;
    expect(buildDefinition.externalParameters).to.deep.equal({ revision: input.revision, branch: 'main', folder: '' });
    expect(buildDefinition.resolvedDependencies).to.deep.equal([
      {
        name: 'source',
        uri: `git+https://git.example/acme/blog@${input.revision}`,
        digest: { gitCommit: input.revision },
      },
      { name: 'ledger', digest: { gitCommit: ledger } },
      { name: 'base', digest: { sha256: baseDigest(NOTHING).slice(7) } },
    ]);
  });

  it('says that the list is not whole where the base does not say what is in it', () => {
    for (const runtime of [null, 'no JSON', 'null', '[]', '{"components":[]}']) {
      const sbom = JSON.parse(applicationSbom({ title: 'a', version: '1', runtime, hooks: [] }));
      expect(sbom.compositions).to.deep.equal([{ aggregate: 'incomplete', assemblies: ['application:a@1'] }]);
    }
  });

  it('begins with what the runtime in `dist` is made of', () => {
    const { components } = JSON.parse(readFileSync(RUNTIME, 'utf8'));
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).to.include.members(['express', 'jose', 'knex', 'objection', 'pg', 'pino', 'preact']);
    expect(names).not.to.include('esbuild');
    const lock = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package-lock.json'), 'utf8'));
    const pg = components.find(({ name }: { name: string }) => name === 'pg');
    expect(pg.version).to.equal(lock.packages['node_modules/pg'].version);
  });
});
