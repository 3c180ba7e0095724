/** Mails and the processes that send them: without a mail server, and killed between the mail and the commit. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { definitionText } from '../../../compiler/definition/artifacts.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { buildOnce } from '../../support/build-once.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { definitionOf } from '../operations/running.ts';
import { mailServer } from './mail-server.ts';
import { selfSigned } from './self-signed.ts';

const SOURCE = `
mail Welcome { input name { type string } to name + "@example.com" subject "Welcome" body "welcome.html" }
schedule Greet every day at "07:30" { catch up none, run Greeting {} }
job Greeting { action { send Welcome { name: "ada" } } }`;

const MAIN = resolve(import.meta.dirname, '../../../dist/runtime/main.mjs');

describe('processes that send mails', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-mail-'));
  const started: ChildProcess[] = [];
  let database: TestDatabase;
  let output = '';

  before(async () => {
    buildOnce();
    const definition = await definitionOf(SOURCE, {}, { 'mails/welcome.html': '<p>Welcome, {{ name }}</p>' });
    database = await createDatabase();
    await database.client.query(schemaSql(schemaFromDefinition(definition)));
    writeFileSync(join(folder, 'definition.json'), definitionText(definition));
    writeFileSync(join(folder, 'openapi.json'), '{}');
  });
  beforeEach(() => {
    output = '';
  });
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function start(command: string, environment: Readonly<Record<string, string>>): ChildProcess {
    const own = { KILN_APP: folder, DATABASE_URL: database.url, HOST: '127.0.0.1', PORT: '0', SHUTDOWN_GRACE: '0' };
    const child = spawn(process.execPath, [MAIN, command], { env: { ...process.env, ...own, ...environment } });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    started.push(child);
    return child;
  }

  for (const command of ['serve', 'work'])
    it(`do not start without a mail server: ${command}`, async () => {
      const [code] = await once(start(command, { MAIL_FROM: 'nobody' }), 'close');
      expect(code).to.equal(1);
      expect(output).to.equal(
        'MAIL_FROM must be an address such as `shop@example.com` or `Shop <shop@example.com>`, but it is `nobody`.\n',
      );
      output = '';
      await once(start(command, {}), 'close');
      expect(output.split('\n')).to.deep.equal([
        'MAIL_URL is not set: the application sends mail (Welcome). It must look like `smtp://user:password@host:587`.',
        'MAIL_FROM is not set: the application sends mail (Welcome). It must look like `Shop <shop@example.com>`.',
        '',
      ]);
    });

  it('start without a mail server where they run no jobs', async () => {
    start('serve', { JOBS: '0' });
    await until(() => output.includes('listening'), { limit: 20_000 });
  });

  it('trust a mail server by NODE_EXTRA_CA_CERTS, and none without', async function () {
    this.timeout(60_000);
    const { files, key, cert } = selfSigned();
    const error = async () => (await database.client.query('SELECT error FROM kiln_jobs')).rows[0]?.error;
    try {
      for (const secure of [true, false]) {
        const options = secure ? { secure } : { disabledCommands: [] };
        const server = await mailServer({ ...options, key, cert });
        const url = server.url.replace('127.0.0.1', 'localhost');
        const environment = { MAIL_URL: `${url}?requireTLS=true`, MAIL_FROM: 'shop@example.com' };
        await database.client.query(
          `INSERT INTO kiln_jobs (kind, input) VALUES ('Welcome(name string)', '{"name":"ada"}')`,
        );
        const first = start('work', environment);
        await until(async () => Boolean(await error()), { limit: 20_000 });
        expect(await error()).to.equal('the certificate of the mail server is not trusted (ESOCKET)');
        expect(server.received).to.deep.equal([]);
        // Not killed: what it claims in its last moment would be its own for 30 seconds.
        first.kill('SIGTERM');
        await once(first, 'close');
        await database.client.query('UPDATE kiln_jobs SET due_at = now()');
        const second = start('work', { ...environment, NODE_EXTRA_CA_CERTS: files.cert });
        await until(() => server.received.length === 1, { limit: 20_000, otherwise: () => output });
        await until(async () => (await database.client.query('SELECT FROM kiln_jobs')).rowCount === 0);
        second.kill('SIGKILL');
        await server.close();
      }
    } finally {
      rmSync(files.folder, { recursive: true });
    }
  });

  it('and are killed behind the mail leave it to another one, which sends it with the same Message-ID', async function () {
    this.timeout(90_000);
    const server = await mailServer();
    const environment = { MAIL_URL: server.url, MAIL_FROM: 'shop@example.com' };
    server.answer = 'hang';
    const first = start('work', environment);
    await database.client.query(
      `INSERT INTO kiln_jobs (kind, input) VALUES ('Welcome(name string)', '{"name":"ada"}')`,
    );
    await until(() => server.received.length === 1, { limit: 20_000 });
    first.kill('SIGKILL');
    server.answer = 'take';
    start('work', environment);
    await until(() => server.received.length === 2, { limit: 60_000 });
    const ids = server.received.map(({ headers }) => headers.get('message-id'));
    expect(ids).to.deep.equal([ids[0], ids[0]]);
    await until(async () => (await database.client.query('SELECT FROM kiln_jobs')).rowCount === 0);
    expect(output).to.not.include('ada@example.com');
    await server.close();
  });
});
