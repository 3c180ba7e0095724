import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { freePort } from '../../../bench/api/free-port.ts';
import { POSTGRES_IMAGE, runtimeBase, skipFor, skipWithoutImages } from '../../support/runtime-base.ts';
import { commit, gitIn, temporaryFolder } from '../git/git-repository.ts';
import { runKiln } from '../run-kiln.ts';

const NAME = `kiln-test-compose-${process.pid}`;

/** The plugin of Docker, or the program that came before it; nothing where the machine has neither. */
function composeProgram(): readonly string[] | undefined {
  const programs = [['docker', 'compose'], ['docker-compose']];
  return programs.find(([program = '', ...words]) => spawnSync(program, [...words, 'version']).status === 0);
}

describe('the compose.yaml of a new project', function () {
  this.timeout(120_000);
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
    gitIn(folder, 'init', '--quiet', '-b', 'main');
    commit(folder);
    const { status, err } = await runKiln(['build', folder, '--base', await runtimeBase(), '--tag', `${NAME}:main`]);
    expect(status, err).to.equal(0);
    configure();
  });

  after(() => {
    if (folder === undefined) return;
    run('down', '--volumes', '--timeout', '5');
    spawnSync('docker', ['image', 'rm', '--force', `${NAME}:main`]);
  });

  function configure(): void {
    const file = join(folder, 'compose.yaml');
    // The older program takes the name of the project from its folder, and knows no other way.
    if (compose.length === 1) writeFileSync(file, readFileSync(file, 'utf8').replace(/^name: .*\n/m, ''));
    const example = readFileSync(join(folder, '.env.example'), 'utf8');
    const told = `POSTGRES_PASSWORD=letters123\nPORT=${port}\nPOSTGRES_IMAGE=${POSTGRES_IMAGE}\nIMAGE=${NAME}:main\n`;
    writeFileSync(join(folder, '.env'), `${example.replace(/^(POSTGRES_PASSWORD|PORT|IMAGE)=.*\n/gm, '')}${told}`);
  }

  function run(...words: readonly string[]): { readonly status: number | null; readonly said: string } {
    const [program = '', ...first] = compose;
    const { status, stdout, stderr } = spawnSync(program, [...first, ...words], { cwd: folder, encoding: 'utf8' });
    return { status, said: stdout + stderr };
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

  it('is brought up again with its data, and finds nothing to migrate', async () => {
    expect(run('down', '--timeout', '5').status).to.equal(0);
    const { status, said } = run('up', '--detach');
    expect(status, said).to.equal(0);
    expect(await list()).to.have.property('totalCount', 1);
    expect(run('logs', 'migrate').said).not.to.include('is applied');
  });
});
