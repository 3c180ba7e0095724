/** Packages whose private parts are used are pinned, and the build notices when a part is gone. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import knex from 'knex';
import pg from 'pg';

const ROOT = resolve(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const scripts = (name: string) => import(pathToFileURL(join(ROOT, 'scripts', name)).href);

interface PrivateParts {
  readonly USED_BY: Readonly<Record<string, string>>;
  checkPrivateParts(packages?: { readonly pg: object; readonly knex: unknown }): void;
}

interface LeanDockerode {
  withLazySsh(text: string): string;
  missingFiles(seen: ReadonlySet<string>): readonly string[];
}

interface Locked {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

describe('a package whose private parts are used', () => {
  let parts: PrivateParts;
  before(async () => {
    parts = await scripts('private-parts.mjs');
  });

  it('is pinned to the version that is installed and locked', () => {
    const { dependencies, devDependencies } = readJson('package.json') as Record<string, Record<string, string>>;
    const { packages } = readJson('package-lock.json') as Locked;
    for (const name of Object.keys(parts.USED_BY)) {
      const pinned = dependencies?.[name] ?? devDependencies?.[name];
      expect(pinned, name).to.match(/^\d+\.\d+\.\d+$/);
      expect(packages[`node_modules/${name}`]?.version, name).to.equal(pinned);
      expect(require(`${name}/package.json`).version, name).to.equal(pinned);
    }
  });

  it('has them today', () => {
    expect(() => parts.checkPrivateParts()).not.to.throw();
  });

  it('is named, with what is missing, where pg has lost a queue or a method', () => {
    class Client extends pg.Client {
      readonly _queryQueue = undefined;
      readonly getStartupConf = undefined;
    }
    expect(() => parts.checkPrivateParts({ pg: { ...pgExports(), Client }, knex })).to.throw(
      'pg has no method `getStartupConf` in its `Client` any more. See runtime/query/connections/driver.ts, ' +
        'and pin pg to a version that has it.\n' +
        'pg has no array `_queryQueue` in its clients any more.',
    );
  });

  it('is named where pg no longer shows its connection', () => {
    const withoutConnection = { ...pgExports(), Connection: undefined };
    expect(() => parts.checkPrivateParts({ pg: withoutConnection, knex })).to.throw('pg has no `Connection` any more');
  });

  it('is named where transactions of knex no longer wait for the outer one', () => {
    const changed = () => ({ client: { transaction: () => ({ isCompleted: () => false }) } });
    expect(() => parts.checkPrivateParts({ pg: pgExports(), knex: changed })).to.throw(
      /knex has no `_lastChild`.* any more\. See runtime\/hooks\/objection-models\.ts.*\nknex has no `isCompleted`/,
    );
  });
});

function pgExports(): object {
  const { Client, Connection, Query } = pg;
  return { Client, Connection, Query };
}

describe('the build without a part of dockerode', () => {
  let lean: LeanDockerode;
  before(async () => {
    lean = await scripts('lean-dockerode.mjs');
  });

  it('loads ssh2 only where it is needed', () => {
    const text = readFileSync(require.resolve('docker-modem/lib/ssh.js'), 'utf8');
    expect(lean.withLazySsh(text)).to.include("new (require('ssh2').Client)()");
  });

  it('fails where docker-modem loads ssh2 in another way', () => {
    expect(() => lean.withLazySsh("const { Client } = require('ssh2');\n")).to.throw(
      'docker-modem has no line `var Client = require(…)` in lib/ssh.js any more. See scripts/lean-dockerode.mjs',
    );
  });

  it('fails where a file has moved', () => {
    expect(lean.missingFiles(new Set(['session', 'buildkit', 'ssh']))).to.deep.equal([]);
    expect(lean.missingFiles(new Set(['session', 'ssh']))).to.deep.equal([
      'dockerode has no file lib/buildkit.js that is loaded any more. See scripts/lean-dockerode.mjs, and pin dockerode to a version that has it.',
    ]);
  });
});
