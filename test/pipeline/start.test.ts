import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { isPostgres, waitFor } from '../../pipeline/database/data-folder.ts';
import { buildOnce } from '../support/build-once.ts';
import { createDatabase } from '../support/postgres.ts';
import { itSlowly } from '../support/slow.ts';
import { until } from '../support/until.ts';
import { addFiles, projectFolder } from './project-folder.ts';
import { KILN, runKiln, runKilnHere } from './run-kiln.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const SHOP = `
model Product {
  field name { type string }
  field price { type decimal }
  hook label { arg name name, arg price price, source label from "label" }
}
api {
  entrypoint Product { response { id, name, label }, list endpoint {}, create endpoint {} }
}
`;
const LABEL = `import type { Context, LabelArgs } from '../.kiln/hooks.d.ts';

export async function label({ name, price }: LabelArgs, _context: Context): Promise<string> {
  if (name === 'broken') throw new Error('no label for it');
  if (name === 'late') await new Promise(() => setTimeout(() => JSON.parse('late'), 1));
  if (name === 'endless') await new Promise(() => setInterval(() => undefined, 1000));
  if (name === 'slow') {
    console.log('it takes a while');
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return name + ' for ' + price;
}
`;
const JOBS = `
model Trace { field text { type string } }
job Code {
  input text { type string }
  action { execute as made { hook { arg text text, returns { text: string }, inline "({ text: text + '!' })" } } create Trace { set text made.text } }
}
api { entrypoint Trace { list endpoint {} POST many "run" { action { run Code { text: "done" } } } } }
`;
const FILES = { 'shop.kiln': SHOP, 'hooks/label.ts': LABEL };

interface Started {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  output(): string;
  readonly line: string;
  readonly api: string;
  readonly exit: Promise<number | null>;
}

describe('kiln start', () => {
  const children: ChildProcess[] = [];

  before(buildOnce);

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  const environment = (env: Record<string, string | undefined>) => ({
    ...process.env,
    DATABASE_URL: '',
    NO_COLOR: '1',
    ...env,
  });

  const refused = (cwd: string, words: readonly string[], env: Record<string, string | undefined> = {}) =>
    runKilnHere(['start', ...words], environment(env), cwd);
  /** By a process of its own, which one that could have listened on its port ends. */
  const refusedLater = (words: readonly string[], env: Record<string, string | undefined> = {}) =>
    runKiln(['start', ...words], environment(env));

  async function started(
    cwd: string,
    words: readonly string[],
    env: Record<string, string> = {},
    options: SpawnOptions = {},
  ): Promise<Started> {
    const child = spawn('node', [KILN, 'start', '--port', '0', ...words], {
      ...options,
      cwd,
      env: environment(env),
    });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const line = await waitFor(() => {
      if (child.exitCode !== null) throw new Error(`it ended: ${output}`);
      return /^Serving .*$/m.exec(output)?.[0];
    });
    const api = / on (\S+)/.exec(line)?.[1] ?? '';
    return { child, output: () => output, line, api, exit };
  }

  async function create(api: string, name: string): Promise<Response> {
    const body = JSON.stringify({ name, price: '4.25' });
    return fetch(`${api}/product`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  }

  const names = async (api: string) => {
    const records = (await (await fetch(`${api}/product`)).json()) as { readonly name: string }[];
    return records.map(({ name }) => name);
  };

  const postmasterOf = (folder: string) =>
    Number.parseInt(readFileSync(join(folder, '.kiln/postgres/postmaster.pid'), 'utf8'), 10);

  it('serves on a Postgres of its own, keeps what is stored, and leaves nothing behind', async () => {
    const folder = projectFolder(FILES);
    for (const [signal, expected] of [
      ['SIGINT', ['tea']],
      ['SIGTERM', ['tea', 'tea']],
    ] as const) {
      const { child, line, api, exit } = await started(folder, []);
      expect(line).to.match(/^Serving \S+ on http:\/\/localhost:\d+\/api \(database: \.kiln\/postgres\)$/);
      expect(line).to.include(`Serving ${basename(folder)} `);
      const answer = await create(api, 'tea');
      expect(answer.status).to.equal(201);
      expect(await answer.json()).to.deep.include({ name: 'tea', label: 'tea for 4.25' });
      expect(await names(api)).to.deep.equal(expected);
      const postmaster = postmasterOf(folder);
      child.kill(signal);
      expect(await exit).to.equal(0);
      expect(isPostgres(postmaster)).to.equal(false);
    }
    expect(readFileSync(join(folder, '.kiln/hooks.d.ts'), 'utf8')).to.include('interface LabelArgs');
  });

  itSlowly(
    'answers what it was asked when the whole terminal is told to stop, and only then stops Postgres',
    async () => {
      const folder = projectFolder(FILES);
      const { child, api, output, exit } = await started(folder, [], {}, { detached: true });
      const postmaster = postmasterOf(folder);
      const answer = create(api, 'slow');
      await waitFor(() => (output().includes('it takes a while') ? true : undefined));
      process.kill(-(child.pid ?? 0), 'SIGINT');
      expect((await answer).status).to.equal(201);
      expect(await exit).to.equal(0);
      expect(isPostgres(postmaster)).to.equal(false);
      expect(readFileSync(join(folder, '.kiln/postgres.log'), 'utf8')).to.include('database system is shut down');
    },
  );

  itSlowly('stops well while Postgres is still starting', async () => {
    const folder = projectFolder({ 'a.kiln': 'model A { field n { type integer } }' });
    const child = spawn('node', [KILN, 'start'], { cwd: folder, env: environment({}), detached: true });
    children.push(child);
    const exit = new Promise((resolve) => child.once('exit', resolve));
    await waitFor(() => (existsSync(join(folder, '.kiln')) ? true : undefined));
    process.kill(-(child.pid ?? 0), 'SIGINT');
    expect(await exit).to.equal(0);
    expect(existsSync(join(folder, '.kiln/postgres/postmaster.pid'))).to.equal(false);
  });

  it('serves on the database of DATABASE_URL, which it creates, and says so', async () => {
    const folder = projectFolder(FILES);
    const { url, client } = await createDatabase();
    const own = url.replace(/\w+$/, 'start_shop');
    const { line, api, child, exit, output } = await started(root, [folder], { DATABASE_URL: own });
    expect(output()).to.match(/^Created the database start_shop on \S+: DATABASE_URL names it, and it did not exist\n/);
    expect(line).to.include(`(database: start_shop on 127.0.0.1:${new URL(own).port})`);
    expect((await create(api, 'tea')).status).to.equal(201);
    child.kill('SIGTERM');
    expect(await exit).to.equal(0);
    expect(existsSync(join(folder, '.kiln/postgres'))).to.equal(false);
    await client.query('DROP DATABASE start_shop');
  });

  it('runs jobs with code of their own', async () => {
    const { url } = await createDatabase();
    const { api, output } = await started(projectFolder({ 'jobs.kiln': JOBS }), [], { DATABASE_URL: url });
    expect((await fetch(`${api}/trace/run`, { method: 'POST' })).status).to.equal(204);
    const traces = async () => (await fetch(`${api}/trace`)).text();
    await until(async () => output().includes('failed') || (await traces()) !== '[]');
    expect(await traces(), output()).to.equal('[{"id":1,"text":"done!"}]');
  });

  it('names the file and the line of a hook that fails', async () => {
    const { url } = await createDatabase();
    const { api, output, child, exit } = await started(projectFolder(FILES), [], { DATABASE_URL: url });
    expect((await create(api, 'broken')).status).to.equal(500);
    child.kill('SIGINT');
    await exit;
    expect(output()).to.include('hooks/label.ts:4:');
  });

  it('ends although code of a hook that took too long still waits', async () => {
    const { url } = await createDatabase();
    const environment = { DATABASE_URL: url, HOOK_TIMEOUT: '50ms' };
    const { api, child, exit } = await started(projectFolder(FILES), [], environment);
    expect((await create(api, 'endless')).status).to.equal(504);
    child.kill('SIGTERM');
    expect(await exit).to.equal(0);
  });

  it('answers what is running after a throw in a timer of a hook, stops Postgres, and ends with 1', async () => {
    const folder = projectFolder(FILES);
    const { api, output, exit } = await started(folder, []);
    const postmaster = postmasterOf(folder);
    const answer = create(api, 'slow');
    await waitFor(() => (output().includes('it takes a while') ? true : undefined));
    expect((await create(api, 'late')).status).to.equal(500);
    expect((await answer).status).to.equal(201);
    expect(await exit).to.equal(1);
    expect(output()).to.include('"hook":"`label` of hooks/label.ts"').and.include('nothing catches it');
    expect(isPostgres(postmaster)).to.equal(false);
  });

  itSlowly('uses the Postgres of another `kiln start` in the same project, and says so', async () => {
    const folder = projectFolder(FILES);
    const first = await started(folder, []);
    const second = await started(folder, []);
    expect(second.line).to.include(`(database: .kiln/postgres, run by process ${first.child.pid})`);
    await create(first.api, 'tea');
    expect(await names(second.api)).to.deep.equal(['tea']);
    second.child.kill('SIGINT');
    expect(await second.exit).to.equal(0);
    expect(await names(first.api)).to.deep.equal(['tea']);
    first.child.kill('SIGINT');
    expect(await first.exit).to.equal(0);
  });

  it('refuses a port that is in use before it touches a database', async () => {
    const folder = projectFolder(FILES);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { err, ...done } = await refusedLater([folder, '--port', String(port)]);
    server.close();
    expect(done).to.deep.equal({ status: 1, out: '' });
    expect(err).to.equal(`error: the port ${port} is in use; choose another one with \`--port\`\n`);
    expect(existsSync(join(folder, '.kiln/postgres'))).to.equal(false);
  });

  it('refuses sources with errors, as `kiln check` shows them', async () => {
    const folder = projectFolder({ 'a.kiln': 'model A { reference b { to Nowhere } }' });
    const { err } = await runKilnHere(['check'], {}, folder);
    expect(await refused(folder, [])).to.deep.equal({ status: 1, out: '', err });
  });

  it('refuses hooks that cannot be bundled, with the place', async () => {
    const folder = projectFolder(FILES);
    addFiles(folder, { 'hooks/label.ts': "import pay from 'pay';\nexport const label = () => pay;\n" });
    const shown = [
      'error[hook-import-missing]: `hooks/label.ts` imports `pay`, which is not installed',
      '  --> hooks/label.ts:1:17',
      "1 | import pay from 'pay';",
      '  |                 ^^^^^ not found',
      "  = help: run `npm install pay` in the project's folder",
      '',
      '1 error in 1 file',
      'For more: kiln explain hook-import-missing',
      '',
    ].join('\n');
    expect(await refused(folder, [])).to.deep.equal({ status: 1, out: '', err: shown });
  });

  it('names all settings that are missing or wrong, and reads `.env` for those that are not set', async () => {
    const shop = `setting TITLE {}\nsetting MOST { type integer }\nsetting KEY { secret }\n${SHOP}
api Public { entrypoint Product { GET many "title" { action { respond { body setting(TITLE) } } } } }`;
    const folder = projectFolder({ ...FILES, 'shop.kiln': shop, '.env': 'MOST=many\nUNKNOWN=1\nhush\nTITEL=x\n' });
    const { status, err } = await refused(folder, [], { PORT: 'x' });
    expect(status).to.equal(1);
    expect(err.trim().split('\n')).to.deep.equal([
      '.env:4 has TITEL, which no setting declares; did you mean TITLE?',
      'error: PORT must be a whole number from 0 to 65535, but it is `x`',
      'error: .env:3 is not `NAME=value`; put a value with spaces, quotes or # into quotes',
      'error: KEY is not set: it is a setting of the application (string); write `KEY=…` into `.env`',
      'error: MOST must be an integer, but it is `many` (.env:1)',
      'error: TITLE is not set: it is a setting of the application (string); write `TITLE=…` into `.env`',
    ]);
    addFiles(folder, { '.env': 'MOST=3\nKEY="k"\nTITLE=from the file\nPORT=x\n' });
    expect((await refused(folder, [])).err).to.include(
      'error: PORT must be a whole number from 0 to 65535, but it is `x` (.env:4)\n',
    );
    const { url } = await createDatabase();
    const { api, child, exit } = await started(folder, [], { DATABASE_URL: url, TITLE: 'from outside', PORT: '0' });
    expect(await (await fetch(`${api}/public/product/title`)).json()).to.equal('from outside');
    child.kill('SIGTERM');
    expect(await exit).to.equal(0);
  });

  it('refuses what the environment says wrong, all at once and without a password', async () => {
    const folder = projectFolder(FILES);
    const { status, err } = await refused(folder, [], { DATABASE_URL: 'mysql://me:secret@host/shop', PORT: 'x' });
    expect(status).to.equal(1);
    expect(err.trim().split('\n')).to.have.length(2);
    expect(err)
      .to.match(/^error: DATABASE_URL /m)
      .and.match(/^error: PORT /m);
    expect(err).to.not.include('secret');
  });

  it('reads no PORT of `.env` that is for Compose, and says how to be rid of its DATABASE_URL', async () => {
    const url = 'postgres://me:secret@127.0.0.1:1/shop';
    const folder = projectFolder({ ...FILES, '.env': `PORT=127.0.0.1:\nDATABASE_URL=${url}\n` });
    expect((await refusedLater([folder], { DATABASE_URL: undefined })).err).to.equal(
      "error: Postgres cannot be reached at 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1. DATABASE_URL in `.env` names it; remove that line to use Kiln's own Postgres.\n",
    );
  });

  itSlowly('refuses a database that does not answer, that does not let it in, or that does not fit', async () => {
    const folder = projectFolder(FILES);
    const said = async (url: string) => {
      const { status, err } = await refusedLater([folder], { DATABASE_URL: url });
      expect(status).to.equal(1);
      return err;
    };
    expect(await said('postgres://me:secret@127.0.0.1:1/shop')).to.equal(
      "error: Postgres cannot be reached at 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1. DATABASE_URL names it; unset it to use Kiln's own Postgres.\n",
    );
    const { url, client } = await createDatabase();
    expect(await said(url.replace('postgres:postgres@', 'postgres:wrong@'))).to.match(
      /Postgres at \S+ rejects the user `postgres` or its password\. Check DATABASE_URL\. DATABASE_URL names it; /,
    );
    await client.query('CREATE TABLE product (id bigint, name text)');
    expect(await said(url)).to.match(
      /^error: the database `\w+` does not match the sources; .*\n(.*\n)* {2}The column "product.price" is missing\.\n/,
    );
  });

  it('refuses a folder that is not there, or has no sources, or a port that is no port', async () => {
    const folder = projectFolder({ 'readme.md': 'nothing' });
    expect(await refused(folder, ['gone'])).to.deep.equal({
      status: 2,
      out: '',
      err: 'error: `gone` does not exist\n',
    });
    expect((await refused(folder, [])).err).to.equal(
      'error: there are no sources in `.`: no file in it or below it ends in `.kiln`\n',
    );
    const { status, err } = await refused(folder, ['--port', '70000']);
    expect(status).to.equal(2);
    expect(err).to.match(
      /^error: option '-p, --port <number>' argument '70000' is invalid\. It must be a number from 0 to 65535\./,
    );
  });
});

describe('kiln compile', () => {
  it('writes the bundle of the hooks, and their types into the project', async () => {
    const folder = projectFolder(FILES);
    const { out } = await runKilnHere(['compile'], {}, folder);
    expect(out).to.match(/^Wrote definition\.json .*, schema\.sql .*, hooks\/hooks\.mjs \(.+\) to build in /);
    const script = `
      process.setSourceMapsEnabled(true);
      const { default: modules } = await import('${join(folder, 'build/hooks/hooks.mjs')}');
      try { await modules['hooks/label.ts#label']({ name: 'broken' }); } catch (error) { console.log(error.stack); }`;
    const { stdout } = spawnSync('node', ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(stdout).to.include(`${join(folder, 'hooks/label.ts')}:4:`);
    expect(readFileSync(join(folder, '.kiln/hooks.d.ts'), 'utf8')).to.include('interface LabelArgs');
  });

  it('writes nothing where the hooks cannot be bundled', async () => {
    const folder = projectFolder({
      ...FILES,
      'hooks/label.ts': "import './gone.ts';\nexport const label = () => 1;\n",
    });
    const { status, err } = await runKilnHere(['compile'], {}, folder);
    expect(status).to.equal(1);
    expect(err).to.include('error[hook-import-missing]').and.include('hooks/label.ts:1:8');
    expect(existsSync(join(folder, 'build'))).to.equal(false);
  });
});
