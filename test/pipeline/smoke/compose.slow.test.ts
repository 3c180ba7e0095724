import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { freePort } from '../../../bench/api/free-port.ts';
import { POSTGRES_IMAGE, runtimeBase, skipFor, skipWithoutImages } from '../../support/runtime-base.ts';
import { until } from '../../support/until.ts';
import { commit, gitIn, temporaryFolder } from '../git/git-repository.ts';
import { runKiln } from '../run-kiln.ts';

const PROXY_IMAGE = process.env.KILN_TEST_PROXY_IMAGE || 'haproxy:3.2';

const NAME = `kiln-test-compose-${process.pid}`;

/** A field for a file, which the starter does not have. */
function withNote(source: string): string {
  return source
    .replace('  field done', '  field note { type file, nullable }\n  field done')
    .replace('input { title, done }', 'input { title, done, note }')
    .replace('done, created_at }', 'done, created_at, note }');
}

/** The plugin of Docker, or the program that came before it; nothing where the machine has neither. */
function composeProgram(): readonly string[] | undefined {
  const programs = [['docker', 'compose'], ['docker-compose']];
  return programs.find(([program = '', ...words]) => spawnSync(program, [...words, 'version']).status === 0);
}

describe('the compose.yaml of a new project', function () {
  this.timeout(300_000);
  let compose: readonly string[];
  let folder: string;
  let port: number;

  before(async function () {
    skipWithoutImages(this);
    const found = composeProgram();
    skipFor(this, 'tests of compose.yaml', found ? undefined : 'there is neither `docker compose` nor docker-compose');
    compose = found ?? [];
    port = await freePort();
    folder = join(temporaryFolder(), NAME);
    expect((await runKiln(['new', folder])).status).to.equal(0);
    const source = join(folder, 'tasks.kiln');
    writeFileSync(source, withNote(readFileSync(source, 'utf8')));
    gitIn(folder, 'init', '--quiet', '-b', 'main');
    commit(folder);
    const { status, err } = await runKiln(['build', folder, '--base', await runtimeBase(), '--tag', `${NAME}:main`]);
    expect(status, err).to.equal(0);
    // To Compose another name is another image. What `migrate` of another release says is no matter of these files.
    spawnSync('docker', ['tag', `${NAME}:main`, `${NAME}:next`]);
    configure();
  });

  after(() => {
    if (folder === undefined) return;
    run('down', '--volumes', '--timeout', '5');
    spawnSync('docker', ['image', 'rm', '--force', `${NAME}:main`, `${NAME}:next`]);
  });

  function configure(): void {
    const file = join(folder, 'compose.yaml');
    // The older program takes the name of the project from its folder, and knows no other way.
    if (compose.length === 1) writeFileSync(file, readFileSync(file, 'utf8').replace(/^name: .*\n/m, ''));
    const example = readFileSync(join(folder, '.env.example'), 'utf8');
    const told = `POSTGRES_PASSWORD=letters123\nPORT=${port}\nPOSTGRES_IMAGE=${POSTGRES_IMAGE}\nIMAGE=${NAME}:main\n`;
    writeFileSync(join(folder, '.env'), `${example.replace(/^(POSTGRES_PASSWORD|PORT|IMAGE)=.*\n/gm, '')}${told}`);
  }

  const run = (...words: readonly string[]) => runWith({}, ...words);

  function runWith(variables: Readonly<Record<string, string>>, ...words: readonly string[]) {
    const [program = '', ...first] = compose;
    const env = { ...process.env, ...variables };
    const { status, stdout, stderr } = spawnSync(program, [...first, ...words], { cwd: folder, encoding: 'utf8', env });
    return { status, said: stdout + stderr };
  }

  /** Those that run. */
  function containersOf(service: string): readonly string[] {
    return run('ps', '--quiet', service).said.trim().split('\n');
  }

  function imagesOf(service: string): readonly string[] {
    const words = ['inspect', '--format', '{{.Config.Image}}', ...containersOf(service)];
    return spawnSync('docker', words, { encoding: 'utf8' }).stdout.trim().split('\n');
  }

  /** The application listens a moment after its container has started. */
  async function list(): Promise<unknown> {
    for (let attempt = 0; ; attempt += 1) {
      // A port is published before anybody listens behind it, and a request may be lost there.
      const response = await fetch(tasks(), { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
      if (response) return response.json();
      if (attempt === 100) throw new Error(run('logs').said);
      await sleep(100);
    }
  }

  const note = async () => (await fetch(`${tasks()}/1/note`)).text();
  const tasks = () => `http://127.0.0.1:${port}/api/tasks`;

  it('brings up Postgres, then migrates, then serves', async () => {
    const { status, said } = run('up', '--detach');
    expect(status, said).to.equal(0);
    expect(await list()).to.have.property('totalCount', 0);
    const headers = { 'content-type': 'application/json' };
    const made = await fetch(tasks(), { method: 'POST', headers, body: '{"title":"Compose"}' });
    expect(made.status).to.equal(201);
    expect(run('logs', 'migrate').said).to.include('Release 1 is applied');
  });

  it('keeps files in a volume', async () => {
    const form = new FormData();
    form.append('note', new File(['Compose'], 'note.txt', { type: 'text/plain' }));
    const changed = await fetch(`${tasks()}/1`, { method: 'PATCH', body: form });
    expect(changed.status, `${await changed.text()}\n${run('logs', 'app').said}`).to.equal(200);
    expect(await note()).to.equal('Compose');
  });

  it('goes to another image with IMAGE alone', async () => {
    const { status, said } = runWith({ IMAGE: `${NAME}:next` }, 'up', '--detach');
    expect(status, said).to.equal(0);
    expect(await list()).to.have.property('totalCount', 1);
    expect(imagesOf('app')).to.deep.equal([`${NAME}:next`]);
  });

  it('is brought up again with its data and the image of .env, and finds nothing to migrate', async () => {
    expect(run('down', '--timeout', '5').status).to.equal(0);
    const { status, said } = run('up', '--detach');
    expect(status, said).to.equal(0);
    expect(await list()).to.have.property('totalCount', 1);
    expect(imagesOf('app')).to.deep.equal([`${NAME}:main`]);
    expect(run('logs', 'migrate').said).not.to.include('is applied');
    expect(await note()).to.equal('Compose');
  });

  describe('with its proxy', () => {
    before(function () {
      const has = spawnSync('docker', ['image', 'inspect', PROXY_IMAGE]).status === 0;
      const missing = `the Docker engine has no image ${PROXY_IMAGE} (KILN_TEST_PROXY_IMAGE)`;
      skipFor(this, 'tests of the proxy', has ? undefined : missing);
      const file = join(folder, '.env');
      const lines = readFileSync(file, 'utf8')
        .replace(/^PORT=.*\n/gm, '')
        .replace(/^# (?=[A-Z_]+=)/gm, '');
      writeFileSync(file, `${lines}PROXY_IMAGE=${PROXY_IMAGE}\nPROXY_PORT=${port}\n`);
    });

    it('goes to another image and back without a failed request', async () => {
      expect(run('up', '--detach').status).to.equal(0);
      await ready();
      const load = new AbortController();
      const failures: string[] = [];
      const clients = Array.from({ length: 3 }, () => askUntil(load.signal, failures));
      for (const image of [`${NAME}:next`, `${NAME}:main`]) {
        const { code, said } = await deploy(image);
        expect(code, said).to.equal(0);
        expect(imagesOf('app')).to.deep.equal([image]);
        expect(readFileSync(join(folder, '.env'), 'utf8')).to.match(new RegExp(`^IMAGE=${image}$`, 'm'));
      }
      load.abort();
      const answered = (await Promise.all(clients)).reduce((sum, each) => sum + each, 0);
      expect([...new Set(failures)].join('\n')).to.equal('');
      expect(answered).to.be.greaterThan(100);
    });

    it('waits for an application that does not answer for some seconds', async () => {
      const [application = ''] = containersOf('app');
      // The proxy gives a container up that does not answer for five seconds, which a slow machine may take to wake it.
      for (let isInTime = false; !isInTime; await ready()) {
        const start = performance.now();
        spawnSync('docker', ['pause', application]);
        // For longer than it takes to look at the application twice.
        const answers: Promise<number>[] = [];
        while (performance.now() - start < 3000) {
          answers.push(fetch(tasks()).then(({ status }) => status));
          await sleep(100);
        }
        spawnSync('docker', ['unpause', application]);
        isInTime = performance.now() - start < 5000;
        const statuses = new Set(await Promise.all(answers));
        if (isInTime) expect(statuses).to.deep.equal(new Set([200]));
      }
    });

    it('keeps what is running where the new image does not become ready, or does not exist', async () => {
      const { code, said } = await deploy(`${NAME}:missing`);
      expect(code).to.equal(1);
      expect(said).to.include('The application was not changed');
      expect(imagesOf('app')).to.deep.equal([`${NAME}:main`]);
      expect(await list()).to.have.property('totalCount', 1);
    });
  });

  /** Until the proxy has found the application. */
  async function ready(): Promise<void> {
    await until(async () => (await fetch(tasks()).catch(() => undefined))?.status === 200);
  }

  /** How many requests were answered. */
  async function askUntil(end: AbortSignal, failures: string[]): Promise<number> {
    for (let count = 0; ; count++) {
      if (end.aborted) return count;
      const response = await fetch(tasks()).catch((error: unknown) => error);
      if (!(response instanceof Response)) failures.push(String(response));
      else if (response.status !== 200) failures.push(`${response.status} ${await response.text()}`);
      else await response.arrayBuffer();
      await sleep(50);
    }
  }

  async function deploy(image: string): Promise<{ readonly code: number | null; readonly said: string }> {
    const child = spawn(join(folder, 'compose/deploy.sh'), [image]);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)));
    const [code] = await once(child, 'close');
    return { code, said };
  }
});
