import { createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect } from 'chai';
import { buildRelease } from '../../pipeline/bake/build-release.ts';
import {
  provenanceFiles,
  runtimeSbomOf,
  SIGNED_PROVENANCE,
  signedStatement,
  signingKey,
} from '../../pipeline/bake/provenance-files.ts';
import { applicationSbom, baseSbom, baseSystem, runtimeSbom } from '../../pipeline/bake/sbom.ts';
import { openRepository } from '../../pipeline/git/repository.ts';
import { baseDigest } from '../../pipeline/image/image-config.ts';
import { layerFrom } from '../../pipeline/image/layer.ts';
import { readLedger } from '../../pipeline/ledger/ledger.ts';
import { Steps } from '../../pipeline/smoke/steps.ts';
import { commit, newRepository, write } from './git/git-repository.ts';
import { NOTHING } from './image/small-base.ts';
import { FIRST, HOOKED, RENAMED } from './push/pushed-sources.ts';

const RUNTIME = resolve(import.meta.dirname, '../../dist/runtime/sbom.cdx.json');
const BELOW = runtimeSbom('1.0.0', [
  { name: '@acme/kit', version: '2.0.0', license: 'MIT', integrity: null },
  { name: 'pg', version: '8.0.0', license: '(MIT OR Apache-2.0)', integrity: null },
]);

/** As an image without a package manager has them, and as Debian and Alpine do. */
const DISTROLESS = {
  'usr/lib/os-release': 'PRETTY_NAME="Distroless"\nID="debian"\nVERSION_ID="12"\n',
  'var/lib/dpkg/status.d/libc6': 'Package: libc6\nArchitecture: amd64\nVersion: 2.36-9+deb12u10\nDescription: C\n x\n',
  'var/lib/dpkg/status.d/libc6.md5sums': 'd41d8cd98f00b204e9800998ecf8427e  lib/libc.so.6\n',
};
const DEBIAN = {
  'usr/lib/os-release': 'ID=debian\nVERSION_ID="12"\n',
  'var/lib/dpkg/status':
    'Package: bash\nStatus: install ok installed\nArchitecture: amd64\nVersion: 5.2-1\n\n' +
    'Package: gone\nStatus: deinstall ok config-files\nArchitecture: amd64\nVersion: 1\n\n',
};
const ALPINE = {
  'usr/lib/os-release': 'ID=alpine\nVERSION_ID=3.22.1\n',
  'lib/apk/db/installed': 'C:Q1x\nP:musl\nV:1.2.5-r10\nA:x86_64\n\nP:zlib\nV:1.3.1-r2\nA:x86_64\n',
};
const system = (files: Readonly<Record<string, string>>) =>
  baseSystem(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));

describe('what a build says about its image', () => {
  /** With a hook whose package is committed. */
  async function files(digests: Readonly<Record<string, string>>) {
    const folder = newRepository();
    write(folder, { ...FIRST, ...RENAMED, ...HOOKED });
    write(folder, {
      'kiln.json': '{ "name": "acme/blog", "source": "https://git.example/acme/blog" }',
      'hooks/loud.js': "import { up } from 'up';\nexport const loud = ({ headline }) => up(headline);\n",
      'package-lock.json': JSON.stringify({ packages: { 'node_modules/up': { integrity: 'sha512-AAEC/w==' } } }),
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
    const signed = (key: KeyObject) => provenanceFiles(input, built, image, key)[SIGNED_PROVENANCE] ?? '';
    return {
      signed,
      input,
      ledger,
      made: provenanceFiles(input, built, image),
      again: provenanceFiles(input, built, image),
    };
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
    expect(sbom.components[3].hashes).to.deep.equal([{ alg: 'SHA-512', content: '000102ff' }]);
    expect(sbom.components[2].licenses).to.deep.equal([{ expression: '(MIT OR Apache-2.0)' }]);
    expect(sbom.dependencies[0]).to.deep.equal({
      ref: `application:acme/blog@${version}`,
      dependsOn: ['kiln-runtime@1.0.0', 'pkg:npm/up@1.2.3'],
    });
    const spdx = JSON.parse(made['sbom.spdx.json'] ?? '');
    expect(spdx.packages.map((each: { name: string }) => each.name)).to.deep.equal([
      ...['acme/blog', 'kiln-runtime', '@acme/kit', 'pg', 'up'],
    ]);
    expect(spdx.packages[4]).to.deep.equal({
      SPDXID: 'SPDXRef-4',
      name: 'up',
      versionInfo: '1.2.3',
      downloadLocation: 'NOASSERTION',
      filesAnalyzed: false,
      licenseDeclared: 'ISC',
      checksums: [{ algorithm: 'SHA512', checksumValue: '000102ff' }],
      externalRefs: [
        { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: 'pkg:npm/up@1.2.3' },
      ],
    });
    expect(spdx.creationInfo.created).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(spdx.relationships).to.deep.include({
      spdxElementId: 'SPDXRef-0',
      relationshipType: 'DEPENDS_ON',
      relatedSpdxElement: 'SPDXRef-4',
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

  it('is signed as a DSSE envelope that another program can check, with each kind of key', async () => {
    const { made, signed, input } = await files({});
    expect(made).not.to.have.property(SIGNED_PROVENANCE);
    const keys = [
      generateKeyPairSync('ec', { namedCurve: 'P-256' }),
      generateKeyPairSync('ed25519'),
      generateKeyPairSync('rsa', { modulusLength: 2048 }),
    ];
    const other = generateKeyPairSync('ed25519');
    for (const { privateKey, publicKey } of keys) {
      const text = signed(privateKey);
      const { payloadType, payload, signatures } = JSON.parse(text);
      expect(Buffer.from(payload, 'base64').toString()).to.equal(made['provenance.json']);
      // As the specification of DSSE has it.
      const bytes = Buffer.from(payload, 'base64');
      const signedBytes = Buffer.concat([Buffer.from(`DSSEv1 28 ${payloadType} ${bytes.length} `), bytes]);
      const hash = publicKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
      expect(verify(hash, signedBytes, publicKey, Buffer.from(signatures[0].sig, 'base64'))).to.equal(true);
      expect(signedStatement(text, publicKey)).to.equal(made['provenance.json']);
      const changed = made['provenance.json'].replace(input.revision, '0'.repeat(40));
      const forged = JSON.stringify({ payloadType, payload: Buffer.from(changed).toString('base64'), signatures });
      for (const wrong of [forged, 'no JSON', 'null', '{}', text.replace('in-toto', 'other')])
        expect(signedStatement(wrong, publicKey)).to.equal(undefined);
      expect(signedStatement(text, other.publicKey)).to.equal(undefined);
    }
  });

  it('is signed with the key of the environment, which is never told', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const before = process.env.KILN_SIGNING_KEY;
    const refusal = (value: string) => {
      process.env.KILN_SIGNING_KEY = value;
      try {
        return signingKey();
      } catch (error) {
        return (error as Error).message;
      }
    };
    try {
      const key = refusal(pem);
      expect(createPublicKey(key as KeyObject).equals(publicKey)).to.equal(true);
      expect(refusal('')).to.equal(undefined);
      expect(refusal(pem.replace(/\n\w{8}/, '\n!!!!!!!!'))).to.equal(
        'KILN_SIGNING_KEY is not an unencrypted private key in PEM',
      );
      expect(refusal('/nowhere/key.pem')).to.match(/^the key of KILN_SIGNING_KEY cannot be read: /);
    } finally {
      if (before === undefined) delete process.env.KILN_SIGNING_KEY;
      else process.env.KILN_SIGNING_KEY = before;
    }
  });

  it('says that the list is not whole where the base does not say what is in it', () => {
    for (const runtime of [null, 'no JSON', 'null', '[]', '{"components":[]}']) {
      const sbom = JSON.parse(applicationSbom({ title: 'a', version: '1', runtime, hooks: [] }));
      expect(sbom.compositions).to.deep.equal([{ aggregate: 'incomplete', assemblies: ['application:a@1'] }]);
    }
  });

  it('lists Node and the packages of the system that the base has', () => {
    const refs = (text: string) => JSON.parse(text).components.map((each: { 'bom-ref': string }) => each['bom-ref']);
    const whole = applicationSbom({
      title: 'a',
      version: '1',
      runtime: baseSbom(BELOW, '24.1.0', system(DISTROLESS)),
      hooks: [],
    });
    expect(refs(whole).slice(3)).to.deep.equal([
      'pkg:generic/node@24.1.0',
      'debian@12',
      'pkg:deb/debian/libc6@2.36-9%2Bdeb12u10?arch=amd64&distro=debian-12',
    ]);
    expect(JSON.parse(whole)).not.to.have.property('compositions');
    expect(JSON.parse(whole).dependencies.slice(1)).to.deep.equal([
      {
        ref: 'kiln-runtime@1.0.0',
        dependsOn: ['pkg:npm/%40acme/kit@2.0.0', 'pkg:npm/pg@8.0.0', 'pkg:generic/node@24.1.0', 'debian@12'],
      },
      { ref: 'debian@12', dependsOn: [refs(whole)[5]] },
    ]);
    expect(system(DEBIAN)?.packages.map(({ name }) => name)).to.deep.equal(['bash']);
    expect(refs(baseSbom(BELOW, '24.1.0', system(ALPINE))).slice(-2)).to.deep.equal([
      'pkg:apk/alpine/musl@1.2.5-r10?arch=x86_64&distro=alpine-3.22.1',
      'pkg:apk/alpine/zlib@1.3.1-r2?arch=x86_64&distro=alpine-3.22.1',
    ]);
  });

  it('reads them from the layers of a base, and says where it cannot', async () => {
    const files = new Map(
      Object.entries({ ...DISTROLESS, 'kiln/sbom.cdx.json': BELOW, 'usr/local/bin/node': 'no text' }).map(
        ([path, text]) => [path, { bytes: Buffer.from(text) }] as const,
      ),
    );
    const image = { ...NOTHING, config: { Env: ['PATH=/bin', 'NODE_VERSION=24.1.0'] } };
    const text = await runtimeSbomOf({ image, layers: [await layerFrom(files)] });
    expect(text).to.equal(baseSbom(BELOW, '24.1.0', system(DISTROLESS)));
    for (const known of [baseSbom(BELOW, null, system(DEBIAN)), baseSbom(BELOW, '24.1.0', null)]) {
      const { compositions } = JSON.parse(applicationSbom({ title: 'a', version: '1', runtime: known, hooks: [] }));
      expect(compositions).to.deep.equal([{ aggregate: 'incomplete', assemblies: ['kiln-runtime@1.0.0'] }]);
    }
  });

  it('begins with what the runtime in `dist` is made of', () => {
    const { components } = JSON.parse(readFileSync(RUNTIME, 'utf8'));
    const names = components.map(({ name }: { name: string }) => name);
    expect(names).to.include.members(['express', 'jose', 'knex', 'objection', 'pg', 'pino', 'preact']);
    expect(names).not.to.include('esbuild');
    const lock = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package-lock.json'), 'utf8'));
    const pg = components.find(({ name }: { name: string }) => name === 'pg');
    const { version, integrity } = lock.packages['node_modules/pg'];
    expect(pg.version).to.equal(version);
    expect(pg.hashes).to.deep.equal([
      { alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') },
    ]);
  });
});
