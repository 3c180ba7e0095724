import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../../bench/api/free-port.ts';
import { definitionText } from '../../../compiler/definition/artifacts.ts';
import { buildOnce } from '../../support/build-once.ts';
import { createDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { ask } from '../http/serving.ts';
import { migrated } from '../migrate/databases.ts';
import { blog, definitionAt } from '../migrate/side-by-side.ts';

const MAIN = resolve(import.meta.dirname, '../../../dist/runtime/main.mjs');

describe('an image with WORKERS=2', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-workers-'));
  let environment: Readonly<Record<string, string | undefined>>;
  let port = 0;
  let child: ChildProcess | undefined;
  let output = '';

  before(async () => {
    buildOnce();
    const { url } = await createDatabase();
    const chain = await blog(1);
    await migrated(chain, url);
    writeFileSync(join(folder, 'definition.json'), definitionText(await definitionAt(1)));
    writeFileSync(join(folder, 'releases.json'), JSON.stringify(chain));
    writeFileSync(join(folder, 'openapi.json'), '{}');
    environment = {
      ...process.env,
      KILN_APP: folder,
      DATABASE_URL: url,
      HOST: '127.0.0.1',
      WORKERS: '2',
      SHUTDOWN_GRACE: '0',
    };
  });

  beforeEach(async () => {
    port = await freePort();
  });

  afterEach(() => void child?.kill('SIGKILL'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  function start(metricsPort = port): ChildProcess {
    output = '';
    const env = { ...environment, PORT: String(port), METRICS_PORT: String(metricsPort) };
    const started = spawn(process.execPath, [MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    child = started;
    return started;
  }

  const count = (text: string): number => output.split(text).length - 1;

  /** Each on a connection of its own, as the processes take turns in accepting them. */
  const askOften = (times: number) =>
    Promise.all(Array.from({ length: times }, () => ask(port, '/api/post', { headers: { connection: 'close' } })));

  it('serves from two processes, adds up their metrics, replaces one that crashes, and stops both', async () => {
    const primary = start();
    await until(() => count('"listening"') === 2);
    const answers = await askOften(20);
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    const counted = await shares(port);
    expect(counted.requests).to.equal(20);
    expect((await ask(port, '/readyz')).status).to.equal(200);

    const [crashing = 0] = workersOf(primary);
    process.kill(crashing, 'SIGKILL');
    await until(() => count('a worker has ended') === 1);
    expect((await askOften(5)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
    await until(() => count('"listening"') === 3);
    expect(workersOf(primary)).to.have.length(2).and.not.include(crashing);

    primary.kill('SIGTERM');
    const [code] = await once(primary, 'exit');
    expect(code).to.equal(0);
    expect(count('"stopped"')).to.equal(2);
    expect(await ask(port, '/healthz').catch(() => 'refused')).to.equal('refused');
  });

  it('says once that the port is taken, and ends with 1', async () => {
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    const [code] = await once(start(), 'close');
    other.close();
    expect(code).to.equal(1);
    expect(count(`Port ${port} is in use.`)).to.equal(1);
  });

  it('says once that the port of the metrics is taken, and ends with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port: taken } = other.address() as AddressInfo;
    const [code] = await once(start(taken), 'close');
    other.close();
    expect(code).to.equal(1);
    expect(count(`Port ${taken} is in use.`)).to.equal(1);
  });

  it('ends while it starts, when it is told to', async () => {
    const primary = start(await freePort());
    await until(() => count('"listening"') > 0);
    primary.kill('SIGTERM');
    const [code] = await once(primary, 'exit');
    expect(code).to.equal(0);
  });
});

/** The sum over all workers. */
async function shares(port: number): Promise<{ readonly requests: number }> {
  const { text } = await ask(port, '/metrics');
  const [, requests = '0'] =
    /^http_request_duration_seconds_count\{[^}]*route="\/api\/post"[^}]*\} (\d+)$/m.exec(text) ?? [];
  return { requests: Number(requests) };
}

function workersOf({ pid }: ChildProcess): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
