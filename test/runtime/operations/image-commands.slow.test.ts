import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../../bench/api/free-port.ts';
import { definitionText } from '../../../compiler/definition/artifacts.ts';
import { runProgram } from '../../pipeline/run-kiln.ts';
import { buildOnce } from '../../support/build-once.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { ask } from '../http/serving.ts';
import { blog, definitionAt } from '../migrate/side-by-side.ts';

const MAIN = resolve(import.meta.dirname, '../../../dist/runtime/main.mjs');

describe('the commands of two images', () => {
  let database: TestDatabase;
  const folders: string[] = [];
  const servers: ChildProcess[] = [];

  before(async () => {
    buildOnce();
    database = await createDatabase();
  });

  after(async () => {
    await Promise.all(servers.map(stop));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  async function image(position: number): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'kiln-image-'));
    folders.push(folder);
    writeFileSync(join(folder, 'definition.json'), definitionText(await definitionAt(position)));
    writeFileSync(join(folder, 'releases.json'), JSON.stringify(await blog(position)));
    writeFileSync(join(folder, 'openapi.json'), '{}');
    return folder;
  }

  function start(folder: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const env = { ...process.env, KILN_APP: folder, DATABASE_URL: database.url, HOST: '127.0.0.1', ...more };
    return spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  async function run(folder: string, ...args: readonly string[]) {
    const child = start(folder, args);
    const texts: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => texts.push(String(text)));
    const [code] = await once(child, 'close');
    return { code, said: texts.join('') };
  }

  async function serve(folder: string): Promise<{ readonly child: ChildProcess; readonly port: number }> {
    const port = await freePort();
    const child = start(folder, ['serve'], { PORT: String(port) });
    servers.push(child);
    await until(async () => (await ask(port, '/healthz').catch(() => null)) !== null);
    return { child, port };
  }

  async function stop(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }

  it('bring a release, go back, and contract', async () => {
    const [first, second] = [await image(1), await image(2)];
    expect((await run(first, 'migrate')).code).to.equal(0);
    const old = await serve(first);
    expect((await run(second, 'migrate')).said).to.include('Pending: the contraction of release 2');
    expect((await ask(old.port, '/readyz')).json).to.include({ release: 1, databaseRelease: 2 });
    expect((await ask(old.port, '/api/post')).json).to.deep.equal([]);
    expect(await run(first, 'migrate')).to.deep.include({ code: 0 });
    await stop(old.child);
    expect(await run(second, 'migrate', '--contract')).to.deep.include({ code: 0 });
    expect(await run(first, 'migrate')).to.deep.include({ code: 3 });
    const again = await serve(first);
    expect((await ask(again.port, '/readyz')).json.detail).to.include('Use the image of release 2.');
    expect((await run(second, 'migrate', '--contractt')).code).to.equal(2);
  });

  it('run to their end when nobody reads what they say', async () => {
    const [folder, { url, client }] = [await image(1), await createDatabase()];
    const env = { KILN_APP: folder, DATABASE_URL: url };
    const unread = (...args: readonly string[]) =>
      runProgram('bash', ['-c', '"$@" | true; exit $PIPESTATUS', 'bash', process.execPath, MAIN, ...args], env);
    for (const args of [['migrate', '--dry-run'], ['migrate'], ['settings'], ['version'], ['openapi']])
      expect(await unread(...args), args.join(' ')).to.deep.equal({ status: 0, out: '', err: '' });
    expect((await client.query('SELECT position FROM kiln_releases')).rows).to.deep.equal([{ position: 1 }]);
  });
});
