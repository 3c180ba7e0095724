/** The package that `npm pack` makes: installed by a new application that depends on it, and used there. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { filesIn } from '../../pipeline/image/layer.ts';
import { buildOnce } from '../support/build-once.ts';
import { until } from '../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
const LARGEST = 1_900_000;

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** What somebody might write with the library. A server is alive before its database is. */
const PROGRAM = `import { compile, createApp, startServer } from 'kiln-lang';

const { definition, diagnostics } = await compile([{ path: 'a.kiln', text: 'model Note { field text { type string } }' }]);
if (definition === undefined) throw new Error(diagnostics[0]?.message);
const wrong = await compile([{ path: 'b.kiln', text: 'model Note { reference author { to Autor } }' }]);
const environment = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent', METRICS_PORT: '0' };
const server = await startServer({ definition, title: 'notes', environment });
const { status } = await fetch(\`\${server.url}/healthz\`);
const mounted = await createApp({ definition, title: 'notes', environment });
const said: string = wrong.diagnostics.map(({ code, file, start }) => \`\${code} \${file}:\${start.line}\`).join();
console.log(definition.models[0]?.name, said, status, typeof mounted.app, await mounted.stop(), await server.stop());
`;

describe('the package', function () {
  this.timeout(180_000);
  const folder = mkdtempSync(join(tmpdir(), 'kiln-package-'));
  const project = join(folder, 'todo');
  const installed = join(project, 'node_modules/kiln-lang');
  let packed: Packed;
  let said = '';
  /** `DATABASE_URL` is empty, so that the project has a Postgres of its own. */
  const env = { ...process.env, NO_COLOR: '1', DATABASE_URL: '', NODE_OPTIONS: '' };

  before(() => {
    // What `npm pack` does first.
    execFileSync(process.execPath, [TSC, '-b', 'pipeline'], { cwd: ROOT });
    buildOnce();
    const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const json = execFileSync('npm', words, { cwd: ROOT, encoding: 'utf8' });
    [packed] = JSON.parse(json) as [Packed];
    const made = { ...env, KILN_PACKAGE: `file:../${packed.filename}` };
    execFileSync(process.execPath, [join(ROOT, 'dist/kiln.js'), 'new', 'todo'], { cwd: folder, env: made });
    said = npm('install');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Gives what npm says on the side, such as warnings. */
  function npm(...words: readonly string[]): string {
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund'];
    const certificates = process.env.KILN_TEST_NPM_CA_CERTS ?? process.env.NODE_EXTRA_CA_CERTS;
    const trusting = { ...process.env, NODE_EXTRA_CA_CERTS: certificates };
    const { status, stderr } = spawnSync('npm', [...words, ...quiet], {
      cwd: project,
      env: trusting,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    return stderr;
  }

  function kiln(cwd: string, ...words: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(join(project, 'node_modules/.bin/kiln'), words, {
      cwd,
      env,
      encoding: 'utf8',
    });
    expect(status, stderr).to.equal(0);
    return stdout;
  }

  it(`has less than ${LARGEST / 1_000_000} MB, and neither sources nor tests`, () => {
    expect(packed.size).to.be.lessThan(LARGEST);
    const folders = new Set(packed.files.map(({ path }) => (path.includes('/') ? path.split('/')[0] : path)));
    expect([...folders].sort()).to.deep.equal([
      'LICENSE',
      'README.md',
      'compiler',
      'dist',
      'examples',
      'package.json',
      'tree-sitter-grammar',
    ]);
    const pages = /^compiler\/diagnostics\/explanations\/[a-z-]+\/[a-z-]+\.md$/;
    const others = packed.files.filter(({ path }) => path.startsWith('compiler/') && !pages.test(path));
    expect(others).to.deep.equal([]);
    expect(packed.files.filter(({ path }) => /\.test\.|(^|\/)\.kiln\/|tsbuildinfo$/.test(path))).to.deep.equal([]);
  });

  it('runs no script of its own while it is installed', () => {
    const { scripts } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(scripts).not.to.have.any.keys('preinstall', 'install', 'postinstall');
  });

  it('can be published', () => {
    const words = ['publish', '--dry-run', '--ignore-scripts', '--no-provenance'];
    const { status, stderr } = spawnSync('npm', words, { cwd: ROOT, env: process.env, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
    expect(
      stderr.split('\n').filter((line) => /^npm warn publish (?!This command requires you to be logged in)/.test(line)),
    ).to.deep.equal([]);
  });

  it('is installed by a new application that decides about every script of its packages', () => {
    expect(said).not.to.match(/allowScripts/);
  });

  it('depends on every package that its code imports, and on no other', () => {
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const code = packed.files.filter(({ path }) => /^dist\/(chunks\/)?[^/]+\.c?js$/.test(path));
    const imported = new Set(code.flatMap(({ path }) => packagesIn(readFileSync(join(installed, path), 'utf8'))));
    expect([...imported].sort()).to.deep.equal(Object.keys(dependencies).sort());
  });

  it('makes an application, and checks it', () => {
    expect(kiln(folder, '--version')).to.match(/^\d+\.\d+\.\d+\n$/);
    expect(kiln(folder, 'explain', 'unknown-model')).to.match(/^unknown-model\n/);
    expect(kiln(folder, 'new', 'store', '--template', 'shop')).to.include('Wrote store, ');
    kiln(join(folder, 'store'), 'check');
  });

  it('is in such an application by its version', () => {
    const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const { devDependencies } = JSON.parse(readFileSync(join(folder, 'store/package.json'), 'utf8'));
    expect(devDependencies).to.deep.equal({ 'kiln-lang': `^${version}` });
    expect(existsSync(join(folder, 'store/vendor'))).to.equal(false);
  });

  it('is packed into an application of a clone as `npm pack` packs it', async () => {
    execFileSync(process.execPath, [join(ROOT, 'dist/kiln.js'), 'new', 'cloned'], { cwd: folder, env });
    const own = await filesOfPackage(join(folder, 'cloned/vendor', packed.filename));
    expect([...own.keys()].sort()).to.deep.equal(packed.files.map(({ path }) => path).sort());
    const theirs = await filesOfPackage(join(folder, packed.filename));
    expect([...own].filter(([path, bytes]) => !theirs.get(path)?.equals(bytes)).map(([path]) => path)).to.deep.equal(
      [],
    );
  });

  it('is all that `npm test` of a new application needs', () => {
    const { status, stdout, stderr } = spawnSync('npm', ['test'], { cwd: project, env, encoding: 'utf8' });
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^\S+ pass 3$/m);
  });

  it('serves it with a database of its own, and with its page', async () => {
    const dev = await startDev(project, join(project, 'node_modules/.bin/kiln'), env);
    try {
      const created = await fetch(`${dev.url}/api/tasks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"title":"Water the plants"}',
      });
      expect(created.status).to.equal(201);
      await pageIsWhole(dev.url);
    } finally {
      await dev.stop();
    }
  });

  it('builds an image without a Docker engine, with all of the page in it', async () => {
    const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: project, stdio: 'ignore' });
    git('init', '--initial-branch', 'main');
    git('add', '--all');
    git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--message', 'Begin');
    kiln(project, 'build', '--output', join(folder, 'image.tar'));
    const page = (await filesOfImage(join(folder, 'image.tar'))).filter((path) => path.startsWith('kiln/console/'));
    expect(page.filter((path) => path.endsWith('.br'))).to.have.length.greaterThan(5);
  });

  it('gives programs a compiler and a server, with types', () => {
    writeFileSync(join(project, 'program.ts'), PROGRAM);
    const types = ['--strict', '--target', 'es2022', '--lib', 'es2023,dom', '--module', 'nodenext', '--types', ''];
    const checked = spawnSync(process.execPath, [TSC, ...types, 'program.ts'], { cwd: project, encoding: 'utf8' });
    expect(checked.stdout).to.equal('');
    const ran = spawnSync(process.execPath, ['program.js'], { cwd: project, env, encoding: 'utf8', timeout: 30_000 });
    expect(ran.stdout, ran.stderr).to.equal('Note unknown-model b.kiln:1 200 function undefined true\n');
  });
});

/** The packages that a bundled module imports or requires, now or later. */
function packagesIn(text: string): readonly string[] {
  const loads = /(?:\bfrom|\bimport|\bimport\(|(?:\b|_)require\d*\(|\.resolve\()["`]((?:@[\w-]+\/)?\w[\w./-]*)["`]/g;
  // The build gives `require` a short name: that of a function which loads modules of Node, too.
  const calls = [...text.matchAll(/(?<![.\w$])(\w{1,2})\(["`]((?:@[\w-]+\/)?\w[\w.:-]*)["`]\)/g)];
  const requires = new Set(calls.filter(([, , name = '']) => isBuiltin(name)).map(([, by]) => by));
  const required = calls.filter(([, by]) => requires.has(by)).map(([, , name = '']) => ['', name]);
  const found = [...text.matchAll(loads), ...required].map(([, name = '']) => name).filter((name) => !isBuiltin(name));
  return found.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
}

interface Dev {
  /** Of the server, without `/api`. */
  readonly url: string;
  stop(): Promise<void>;
}

async function startDev(project: string, kiln: string, env: NodeJS.ProcessEnv): Promise<Dev> {
  const child = spawn(kiln, ['dev', project, '--port', '0'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const url = await addressOf(child).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, stop };
}

async function addressOf(child: ChildProcess): Promise<string> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk));
  const isReady = (): boolean => {
    if (child.exitCode !== null) throw new Error(`kiln dev ended:\n${said}`);
    return /Ready after/.test(said);
  };
  await until(isReady, { otherwise: () => said });
  return new URL(/API\s+(\S+)/.exec(said)?.[1] ?? '').origin;
}

/** In each encoding that a client may ask for. */
async function pageIsWhole(url: string): Promise<void> {
  const page = await (await fetch(`${url}/docs`)).text();
  const [script = ''] = /[^"]*main-[^"]*\.js/.exec(page) ?? [];
  const texts = await Promise.all(
    ['br', 'gzip', 'identity'].map(async (encoding) => {
      const answer = await fetch(new URL(script, `${url}/docs`), { headers: { 'accept-encoding': encoding } });
      expect(answer.status, encoding).to.equal(200);
      expect(answer.headers.get('content-encoding') ?? 'identity').to.equal(encoding);
      return answer.text();
    }),
  );
  expect(new Set(texts).size).to.equal(1);
}

/** By path, without the folder that npm puts around them. */
async function filesOfPackage(file: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = await filesIn(Readable.from([gunzipSync(readFileSync(file))]));
  return new Map([...files].map(([path, bytes]) => [path.replace(/^package\//, ''), bytes]));
}

/** Node and its libraries are in a layer of their own, which takes long to unpack. */
const LARGEST_READ = 20_000_000;

/** The paths in the layers of an OCI layout, but for the one that has Node in it. */
async function filesOfImage(file: string): Promise<readonly string[]> {
  const blobs = await filesIn(createReadStream(file));
  const layers = [...blobs.values()].filter(isSmallLayer);
  const files = await Promise.all(layers.map((layer) => filesIn(Readable.from([gunzipSync(layer)]))));
  return files.flatMap((each) => [...each.keys()]);
}

function isSmallLayer(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes.length < LARGEST_READ;
}
