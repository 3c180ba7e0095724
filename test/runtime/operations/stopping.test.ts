import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { projectFolder } from '../../pipeline/project-folder.ts';
import { buildOnce } from '../../support/build-once.ts';
import { createDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { ask } from '../http/serving.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

const PROGRAM = `
model Post { field title { type string } }
api {
  entrypoint Post {
    list endpoint {}
    POST many "slow" { action { create Post { set title "slow" }, execute { hook { source slow from "code" } } } }
  }
}
`;
/** Goes on when the test has written a file. */
const CODE = `import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { until } from '../../support/until.ts';
export async function slow(): Promise<void> {
  console.log('the hook waits');
  while (!existsSync(process.env.GO_ON ?? '')) await setTimeout(10);
}
`;

describe('a server that is told to stop', () => {
  let child: ChildProcess | undefined;

  before(buildOnce);
  afterEach(() => child?.kill('SIGKILL'));

  it('answers what runs, refuses what comes, ends with 0, and leaves its port and its connections', async () => {
    const folder = projectFolder({ 'main.kiln': PROGRAM, 'hooks/code.ts': CODE });
    const { url, client } = await createDatabase();
    const goOn = join(folder, 'go-on');
    const env = { ...process.env, DATABASE_URL: url, GO_ON: goOn, NO_COLOR: '1' };
    const started = spawn('node', [join(ROOT, 'dist/kiln.js'), 'start', folder, '--port', '0'], { env });
    child = started;
    let output = '';
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    const ended = new Promise<number | null>((done) => started.once('exit', done));
    await until(() => /^Serving .* on http:\/\/localhost:\d+/m.test(output) || started.exitCode !== null);
    const port = Number(/localhost:(\d+)/.exec(output)?.[1]);

    const slow = ask(port, '/api/post/slow', { method: 'POST' });
    await until(() => output.includes('the hook waits'));
    started.kill('SIGTERM');
    await refuses(port);
    expect(started.exitCode).to.equal(null);
    writeFileSync(goOn, '');
    expect((await slow).status).to.equal(204);
    expect(await ended).to.equal(0);

    expect((await client.query('SELECT title FROM post')).rows).to.deep.equal([{ title: 'slow' }]);
    const others = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'kiln'";
    await until(async () => (await client.query(others)).rowCount === 0);
    await canListen(port);
  });
});

/** Until nobody takes new connections there. */
async function refuses(port: number): Promise<void> {
  const isTaken = () =>
    ask(port, '/api/post').then(
      ({ status }) => status !== 503,
      () => false,
    );
  await until(async () => !(await isTaken()));
}

function canListen(port: number): Promise<void> {
  return new Promise((done, fail) => {
    const server = createServer().once('error', fail);
    server.listen(port, '127.0.0.1', () => server.close(() => done()));
  });
}
