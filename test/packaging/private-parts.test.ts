/** Packages whose private parts are used are pinned, so that nobody updates one without a look at them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { type BuildFailure, build, type Plugin } from 'esbuild';
import knex from 'knex';
import pg from 'pg';

const ROOT = resolve(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const scripts = (name: string) => import(pathToFileURL(join(ROOT, 'scripts', name)).href);

/** Every package whose private parts are used, and the file that uses them. */
const USED_BY = {
  pg: 'runtime/query/connections/driver.ts',
  knex: 'runtime/hooks/objection-models.ts',
  dockerode: 'scripts/lean-packages.mjs',
  'docker-modem': 'scripts/lean-packages.mjs',
};

type Replaced = readonly (readonly [filter: RegExp, content: string | ((text: string, path: string) => string)])[];

interface LeanPackages {
  readonly OF_COMMAND_LINE: Replaced;
  leanPackages(replaced: Replaced): Plugin;
}

interface Locked {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

describe('a package whose private parts are used', () => {
  it('is pinned to the version that is installed and locked', () => {
    const { dependencies, devDependencies } = readJson('package.json') as Record<string, Record<string, string>>;
    const { packages } = readJson('package-lock.json') as Locked;
    for (const [name, user] of Object.entries(USED_BY)) {
      const pinned = dependencies?.[name] ?? devDependencies?.[name];
      expect(pinned, `${name}, for ${user}`).to.match(/^\d+\.\d+\.\d+$/);
      expect(packages[`node_modules/${name}`]?.version, name).to.equal(pinned);
      expect(require(`${name}/package.json`).version, name).to.equal(pinned);
    }
  });

  it('has them', () => {
    expect(missingInPg()).to.deep.equal([]);
    expect(missingInKnex()).to.deep.equal([]);
  });
});

type Parts = Readonly<Record<string, unknown>>;

const WIRE_METHODS = ['attachListeners', 'connect', 'requestSsl', 'cancel', 'parse', 'close'];
const CLIENT_METHODS = ['getStartupConf', 'getTransactionStatus'];
const STATEMENTS = ['parsedStatements', 'submittedNamedStatements'];
/** What pg calls on a query of ours. */
const QUERY_CALLBACKS = [
  'handleCommandComplete',
  'handleDataRow',
  'handleEmptyQuery',
  'handleError',
  'handleReadyForQuery',
  'handleRowDescription',
];

function missingInPg(): readonly string[] {
  const client = new pg.Client({ host: '127.0.0.1', port: 1 }) as unknown as Parts;
  const wire = (client.connection ?? {}) as Parts;
  return [
    ...missingMethods('`Client`', client, CLIENT_METHODS),
    ...missingMethods('`Connection`', wire, WIRE_METHODS),
    ...STATEMENTS.filter((name) => typeof wire[name] !== 'object').map((name) => `\`${name}\` in its connections`),
    ...missingMethods('`Query`', pg.Query.prototype as unknown as Parts, QUERY_CALLBACKS),
  ];
}

/** Begins a transaction inside one of ours, as hooks do, and sees what Knex asks of the outer one. No query is sent. */
function missingInKnex(): readonly string[] {
  const { client } = knex({ client: 'pg' });
  if (typeof client.transaction !== 'function') return ['method `transaction` in its clients'];
  const never = new Promise(() => {});
  const outer = { _lastChild: never, isCompleted: () => true, transactor: {} };
  const inner = client.transaction(() => undefined, undefined, outer);
  return [
    ...(outer._lastChild === never ? ['`_lastChild`, for which inner transactions wait,'] : []),
    ...(inner.isCompleted() ? [] : ['`isCompleted` that asks the outer transaction']),
  ];
}

function missingMethods(owner: string, object: Parts, names: readonly string[]): readonly string[] {
  return names.filter((name) => typeof object[name] !== 'function').map((name) => `method \`${name}\` in its ${owner}`);
}

describe('the build without a part of dockerode', () => {
  const SSH = 'docker-modem/lib/ssh.js';
  let lean: LeanPackages;
  before(async () => {
    lean = await scripts('lean-packages.mjs');
  });

  function ssh(text: string): string {
    const content = lean.OF_COMMAND_LINE.find(([filter]) => filter.test(SSH))?.[1];
    return typeof content === 'function' ? content(text, SSH) : '';
  }

  it('loads ssh2 only where it is needed', () => {
    expect(ssh(readFileSync(require.resolve('docker-modem/lib/ssh.js'), 'utf8'))).to.include(
      "new (require('ssh2').Client)()",
    );
  });

  it('fails where docker-modem loads ssh2 in another way', () => {
    expect(() => ssh("const { Client } = require('ssh2');\n")).to.throw(`${SSH} has no \`var Client = require(`);
  });

  it('fails where a file has moved', async () => {
    const building = build({
      stdin: { contents: "import './package.json'", resolveDir: ROOT },
      bundle: true,
      write: false,
      logLevel: 'silent',
      plugins: [
        lean.leanPackages([
          [/moved\.js$/, ''],
          [/package\.json$/, ''],
        ]),
      ],
    });
    const errors = await building.then(
      () => [],
      (error: BuildFailure) => error.errors.map(({ text }) => text),
    );
    expect(errors).to.deep.equal(['no file is loaded any more from moved\\.js$']);
  });
});
