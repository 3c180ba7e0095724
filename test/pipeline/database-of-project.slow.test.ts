import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { isAlive } from '../../files/is-alive.ts';
import { ensureDatabase } from '../../pipeline/database/connect.ts';
import { isPostgres, waitFor } from '../../pipeline/database/data-folder.ts';
import { openProjectDatabase } from '../../pipeline/database/project-database.ts';
import { projectFolder } from './project-folder.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const isRoot = process.getuid?.() === 0;
const OPENER = `
  import { openProjectDatabase } from '${root}pipeline/database/project-database.ts';
  const database = await openProjectDatabase(process.argv[2]);
  process.stdout.write(JSON.stringify(database) + '\\n');
  process.stdin.on('end', () => database.stop()).resume();
`;

interface Opened {
  readonly url: string;
  readonly startedBy: number | null;
}

describe("a project's own Postgres", () => {
  const children: ChildProcess[] = [];
  let opener: string;

  before(() => {
    opener = join(projectFolder({ 'opener.mts': OPENER }), 'opener.mts');
  });

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  /** Opens the database in a process of its own. */
  async function openElsewhere(folder: string, uid?: number): Promise<{ child: ChildProcess; opened: Opened }> {
    const words = ['--import', 'tsx/esm', opener, folder];
    const child = spawn('node', words, {
      cwd: root,
      stdio: ['pipe', 'pipe', 'inherit'],
      ...(uid && { uid, gid: uid }),
    });
    children.push(child);
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout?.once('data', (chunk) => resolve(String(chunk)));
      child.once('exit', (code) => reject(new Error(`the process ended with ${code}`)));
    });
    return { child, opened: JSON.parse(line) };
  }

  const postmasterOf = (folder: string) =>
    Number.parseInt(readFileSync(join(folder, '.kiln/postgres/postmaster.pid'), 'utf8'), 10);
  const gone = (pid: number) => waitFor(() => (isPostgres(pid) ? undefined : true));
  const ended = ({ pid = 0 }: ChildProcess) => waitFor(() => (isAlive(pid) ? undefined : true));

  async function ask<T extends pg.QueryResultRow>(url: string, sql: string): Promise<readonly T[]> {
    const client = new pg.Client(url);
    await client.connect();
    const { rows } = await client.query<T>(sql);
    await client.end();
    return rows;
  }

  it('is made when it is asked for, sorts as everywhere, and keeps its data', async () => {
    const folder = projectFolder({});
    const first = await openProjectDatabase(folder);
    const pid = postmasterOf(folder);
    await ensureDatabase(first.url);
    await ask(first.url, `CREATE TABLE word AS SELECT unnest(ARRAY['ä', 'b', 'a', 'B']) AS text`);
    await first.stop();
    expect(isPostgres(pid)).to.equal(false);
    const second = await openProjectDatabase(folder);
    expect(await ask(second.url, 'SELECT text FROM word ORDER BY text')).to.deep.equal(
      ['B', 'a', 'b', 'ä'].map((text) => ({ text })),
    );
    const settings = await ask(
      second.url,
      `SELECT current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding`,
    );
    expect(settings).to.deep.equal([{ fsync: 'on', encoding: 'UTF8' }]);
    await second.stop();
    expect(readFileSync(join(folder, '.kiln/.gitignore'), 'utf8')).to.equal('*\n');
  });

  it('lets nobody in without its password', async () => {
    const database = await openProjectDatabase(projectFolder({}));
    const url = database.url.replace(/:[^:@/]+@/, ':postgres@').replace(/\w+$/, 'postgres');
    const refused = await ask(url, 'SELECT 1').catch((error: Error) => error.message);
    await database.stop();
    expect(refused).to.match(/password authentication failed/);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
    it(`stops when its process ends by ${signal}`, async () => {
      const folder = projectFolder({});
      const { child } = await openElsewhere(folder);
      const pid = postmasterOf(folder);
      child.kill(signal);
      await gone(pid);
      expect(existsSync(join(folder, '.kiln/postgres/postmaster.pid'))).to.equal(false);
    });
  }

  it('is stopped and started again where whatever should have stopped it is gone', async () => {
    const folder = projectFolder({});
    const { child } = await openElsewhere(folder);
    const pid = postmasterOf(folder);
    const watcher = spawnSync('pgrep', ['-f', `process\\.kill.* ${pid}$`], { encoding: 'utf8' }).stdout.trim();
    process.kill(Number(watcher), 'SIGKILL');
    child.kill('SIGKILL');
    await ended(child);
    expect(isPostgres(pid)).to.equal(true);
    const database = await openProjectDatabase(folder);
    expect(isPostgres(pid)).to.equal(false);
    expect(database.startedBy).to.equal(null);
    await database.stop();
  });

  it('starts where a crash has left the number of a process that is another one by now', async () => {
    const folder = projectFolder({});
    await (await openProjectDatabase(folder)).stop();
    writeFileSync(
      join(folder, '.kiln/postgres/postmaster.pid'),
      `${process.pid}\n/gone\n1\n5432\n\n127.0.0.1\n\nready\n`,
    );
    const database = await openProjectDatabase(folder);
    expect(postmasterOf(folder)).to.not.equal(process.pid);
    await database.stop();
  });

  for (const mode of [0o755, 0o700]) {
    it(`is shared by two that start at once in a folder of mode ${mode.toString(8)}, and stopped by its starter`, async () => {
      const folder = projectFolder({});
      chmodSync(folder, mode);
      const [one, other] = await Promise.all([openElsewhere(folder), openElsewhere(folder)]);
      const [host, guest] = one.opened.startedBy === null ? [one, other] : [other, one];
      expect(host.opened.startedBy).to.equal(null);
      expect(guest.opened).to.deep.equal({ url: host.opened.url, startedBy: host.child.pid });
      const pid = postmasterOf(folder);
      guest.child.stdin?.end();
      await ended(guest.child);
      expect(isPostgres(pid)).to.equal(true);
      host.child.stdin?.end();
      await gone(pid);
      removeShared(folder);
    });
  }

  it('says why it cannot start', async () => {
    const folder = projectFolder({});
    await (await openProjectDatabase(folder)).stop();
    writeFileSync(join(folder, '.kiln/postgres/PG_VERSION'), '9.6\n');
    const message = await openProjectDatabase(folder).catch((error: Error) => error.message);
    expect(message).to.equal(
      'Postgres does not start on `.kiln/postgres`: database files are incompatible with server; see .kiln/postgres.log',
    );
    rmSync(join(folder, '.kiln'), { recursive: true });
    writeFileSync(join(folder, '.kiln'), '');
    const blocked = await openProjectDatabase(folder).catch((error: Error) => error.message);
    expect(blocked).to.match(/^`.+\/\.kiln` is a file, but a folder is needed there$/);
  });

  it('runs for an ordinary user, and then for root with the same data', async function () {
    if (!isRoot) this.skip();
    const folder = mkdtempSync(join(tmpdir(), 'kiln-ordinary-'));
    chmodSync(folder, 0o777);
    const { child } = await openElsewhere(folder, NOBODY);
    expect(statSync(join(folder, '.kiln/postgres')).uid).to.equal(NOBODY);
    const pid = postmasterOf(folder);
    child.stdin?.end();
    await gone(pid);
    const database = await openProjectDatabase(folder);
    expect(await ask(database.url.replace(/\w+$/, 'postgres'), 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    await database.stop();
    rmSync(folder, { recursive: true });
  });

  it('runs for root in a folder that is closed to everybody else', async function () {
    if (!isRoot) this.skip();
    const folder = projectFolder({});
    chmodSync(folder, 0o700);
    const database = await openProjectDatabase(folder);
    expect(lstatSync(join(folder, '.kiln/postgres')).isSymbolicLink()).to.equal(true);
    expect(await ask(database.url.replace(/\w+$/, 'postgres'), 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    await database.stop();
    const again = await openProjectDatabase(folder);
    expect(new URL(again.url).password).to.equal(new URL(database.url).password);
    await again.stop();
    removeShared(folder);
  });
});

/** What lies outside the project because the project is closed. */
function removeShared(folder: string): void {
  const data = join(folder, '.kiln/postgres');
  if (lstatSync(data).isSymbolicLink()) rmSync(realpathSync(data), { recursive: true });
}

const NOBODY = 65534;
