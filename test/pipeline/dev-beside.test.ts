import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const KILN = resolve(import.meta.dirname, '../../dist/kiln.js');
const HOOK = 'hook label { arg title title, source label from "label" }';
const APIS = `
api { entrypoint Post as post { response { id, title }, list endpoint {}, create endpoint { response { label } } } }
api Public { entrypoint Post as post { response { id }, list endpoint {} } }
populator Dev { populate Post { repeat as i 3  set title "Post " + i.current } }`;
const LABEL = `interface Args {
  readonly title: string;
}

export function label({ title }: Args): string {
  if (title === 'broken') throw new Error('no label for it');
  return title;
}
`;

/** What `kiln dev` says, and what other commands do to its database meanwhile. */
describe('kiln dev, with other commands beside it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-beside-'));
  let database: TestDatabase;
  let child: ChildProcess;
  let said = '';
  let url = '';

  before(async () => {
    mkdirSync(join(folder, 'hooks'));
    writeFileSync(join(folder, 'hooks/label.ts'), LABEL);
    write('field title { type string }');
    database = await createDatabase();
    child = spawn(process.execPath, [KILN, 'dev', folder, '--port', '0'], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk));
    await happened(() => /Ready after/.test(said));
    url = /API\s+(\S+)/.exec(said)?.[1] as string;
  });

  after(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const environment = () => ({ ...process.env, NO_COLOR: '1', DATABASE_URL: database.url });

  function write(...members: readonly string[]): void {
    writeFileSync(join(folder, 'app.kiln'), `model Post {\n  ${[...members, HOOK].join('\n  ')}\n}\n${APIS}\n`);
  }

  function kiln(...words: readonly string[]) {
    return spawnSync(process.execPath, [KILN, ...words], { encoding: 'utf8', env: environment(), input: '' });
  }

  const happened = (isSo: () => boolean | Promise<boolean>) => until(isSo, { otherwise: () => said });

  const posts = async (): Promise<unknown> => (await fetch(`${url}/post`)).json();

  it('says where each API, its page and its document are', async () => {
    const at = url.slice(0, -'/api'.length);
    const lines = said.split('\n').filter((line) => line.startsWith('  '));
    expect(lines).to.deep.equal([
      `  API       ${at}/api`,
      `  API       ${at}/api/public`,
      `  console   ${at}/`,
      `  document  ${at}/openapi.json`,
    ]);
    const addresses = lines.map((line) => line.split(/\s+/).at(-1) as string).slice(2);
    const statuses = await Promise.all(addresses.map(async (address) => (await fetch(address)).status));
    expect(statuses).to.deep.equal([200, 200]);
  });

  it('names the file and the line of a hook that fails', async () => {
    const body = JSON.stringify({ title: 'broken' });
    await fetch(`${url}/post`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    await happened(() => said.includes('no label for it'));
    await happened(() => /\n {2}at \S*hooks\/label\.ts:6:\d+\n/.test(said));
  });

  it('does not begin anew because of a file that is no source', async () => {
    const before = said.length;
    writeFileSync(join(folder, 'log'), 'a line\n');
    await pause(500);
    expect(said.slice(before)).to.not.include('Ready after');
    writeFileSync(join(folder, 'hooks/label.ts'), `${LABEL}\n`);
    await happened(() => said.slice(before).includes('Ready after'));
  });

  it('shows the line of source that would lose data, and follows `kiln db sync`, which was agreed to', async () => {
    const before = said.length;
    write('field title { type string }', 'field stars { type integer, default 3 }');
    await happened(() => said.slice(before).includes('add the column "stars"'));
    const changed = said.length;
    write('field title { type string }');
    await happened(() =>
      said.slice(changed).includes('Nothing was changed; the last good version is still being served.'),
    );
    expect(said.slice(changed))
      .to.include('The sources have changed from what the development database has:')
      .and.match(/--> \S+app\.kiln:1:7\n1 \| model Post \{/);
    expect(kiln('db', 'sync', folder, '--yes').status).to.equal(0);
    await happened(() => said.slice(changed).includes('Another command has changed the database'));
    await happened(() => said.slice(changed).includes('Ready after'));
    expect(await posts()).to.have.lengthOf(3);
  });

  it('follows `kiln db reset`', async () => {
    const before = said.length;
    expect(kiln('db', 'reset', folder, '--yes').status).to.equal(0);
    await happened(() => said.slice(before).includes('Ready after'));
    expect(await posts()).to.deep.equal([]);
  });

  it('follows also after it has lost its connection', async () => {
    const listeners = async (): Promise<readonly number[]> => {
      const { rows } = await database.client.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN kiln_development'",
      );
      return rows.map(({ pid }) => pid);
    };
    const [old] = await listeners();
    await database.client.query('SELECT pg_terminate_backend($1)', [old]);
    await happened(async () => (await listeners()).some((pid) => pid !== old));
    const before = said.length;
    expect(kiln('db', 'reset', folder, '--yes').status).to.equal(0);
    await happened(() => said.slice(before).includes('Another command has changed the database'));
  });

  it('does not take its own changes for those of others', async () => {
    const before = said.length;
    write('field title { type string }', 'field votes { type integer, default 0 }');
    await happened(() => said.slice(before).includes('Ready after'));
    expect(said.slice(before)).to.not.include('Another command');
  });

  it('does not touch the database where its port is in use', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const empty = await createDatabase();
    const { status, stderr } = spawnSync(process.execPath, [KILN, 'dev', folder, '--port', String(port)], {
      encoding: 'utf8',
      env: { ...environment(), DATABASE_URL: empty.url },
    });
    server.close();
    expect(status).to.equal(1);
    expect(stderr).to.equal(`error: the port ${port} is in use; choose another one with \`--port\`\n`);
    const { rows } = await empty.client.query("SELECT count(*) FROM pg_class WHERE relname = 'post'");
    expect(rows).to.deep.equal([{ count: '0' }]);
  });
});
