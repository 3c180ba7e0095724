import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { DockerEngine } from '../../../pipeline/image/docker-engine.ts';
import { openPostgres, randomPasswords } from '../../../pipeline/smoke/postgres-server.ts';
import { Sandbox } from '../../../pipeline/smoke/sandbox.ts';
import { type SmokePostgres, USED_FILE } from '../../../pipeline/smoke/smoke-postgres.ts';
import { withTestSandbox } from '../../../pipeline/smoke/test-sandbox.ts';
import { KEPT_SECONDS, keptPostgres, removeKeptPostgres } from '../../support/kept-postgres.ts';
import { POSTGRES_IMAGE, skipWithoutImages } from '../../support/runtime-base.ts';
import { until } from '../../support/until.ts';

const OWNER = `kiln-test-kept-${process.pid}`;
const signal = new AbortController().signal;

describe('the Postgres of a repository', () => {
  let engine: DockerEngine;

  before(async function () {
    skipWithoutImages(this);
    engine = await DockerEngine.connect();
  });

  after(() => removeKeptPostgres(OWNER));

  /** One test of the owner, from the opening of its sandbox to the end. */
  function inTest<T>(
    use: (postgres: SmokePostgres) => Promise<T>,
    keepPostgres = KEPT_SECONDS,
    owner = OWNER,
    image = POSTGRES_IMAGE,
  ): Promise<T> {
    const input = { postgres: image, owner, keepPostgres, signal };
    return withTestSandbox(engine.docker, input, async (sandbox) => use(await (await sandbox).postgres));
  }

  const isReused = () => inTest(async (postgres) => postgres.isReused);

  it('runs on after a test, on no network, and serves the next one', async () => {
    expect(await isReused()).to.equal(false);
    const [id = '', ...others] = keptPostgres(OWNER);
    expect(others).to.deep.equal([]);
    expect(inspected(id, '{{len .NetworkSettings.Networks}} {{.NetworkSettings.Ports}}')).to.equal('0 map[]');
    expect(await isReused()).to.equal(true);
    expect(keptPostgres(OWNER)).to.deep.equal([id]);
  });

  it('keeps nothing of a test: no database, no role, no setting', async () => {
    const before = await inTest(async (postgres) => {
      const role = roleOf(postgres);
      await postgres.firstRows('empty', [
        'CREATE TABLE left_over (id integer)',
        `ALTER ROLE ${role} SET work_mem = '1MB'`,
        `ALTER DATABASE ${databaseOf(postgres)} SET work_mem = '1MB'`,
      ]);
      return role;
    });
    expect(adminRows(LEFT)).to.equal('');
    await inTest(async (postgres) => {
      expect(roleOf(postgres)).not.to.equal(before);
      const [settings, tables] = await postgres.firstRows('empty', [
        'SHOW work_mem',
        "SELECT count(*) FROM pg_class WHERE relname = 'left_over'",
      ]);
      expect([settings, tables]).to.deep.equal([{ work_mem: '4MB' }, { count: '0' }]);
    });
  });

  it('lets a test change nothing but its own databases', async () => {
    await inTest(async (postgres) => {
      const statements = ["ALTER SYSTEM SET work_mem = '1MB'", 'CREATE ROLE another', 'CREATE DATABASE another'];
      const refusals = await Promise.all(statements.map((statement) => refusalOf(postgres, statement)));
      expect(refusals).to.deep.equal([
        'permission denied to set parameter "work_mem"',
        'permission denied to create role',
        'permission denied to create database',
      ]);
      const { username, password } = new URL(postgres.url('empty'));
      for (const database of ['postgres', 'template1'])
        expect(psql(`postgres://${username}:${password}@127.0.0.1/${database}`, 'SELECT 1')).to.include(
          `permission denied for database "${database}"`,
        );
    });
  });

  it('loses what a killed test has left, to the next one', async () => {
    const sandbox = await Sandbox.open(engine.docker, OWNER, []);
    const wanted = { image: POSTGRES_IMAGE, owner: OWNER, seconds: KEPT_SECONDS, passwords: randomPasswords() };
    const killed = await openPostgres(engine.docker, sandbox, wanted, signal);
    expect(killed.isReused).to.equal(true);
    await inTest(async (postgres) => {
      expect(postgres.isReused).to.equal(true);
      const names = adminRows("SELECT datname FROM pg_database WHERE datname LIKE 'empty%'");
      expect(names).to.equal(databaseOf(postgres));
    });
    expect(adminRows(LEFT)).to.equal('');
    await sandbox.close();
    expect(networks()).to.equal('');
  });

  it('is replaced where another one is wanted, and removed where none is', async () => {
    const [before] = keptPostgres(OWNER);
    expect(await inTest(async ({ isReused }) => isReused, KEPT_SECONDS + 60)).to.equal(false);
    const [other] = keptPostgres(OWNER);
    expect(other).not.to.equal(before);
    expect(await inTest(async ({ isReused }) => isReused, 0)).to.equal(false);
    expect(keptPostgres(OWNER)).to.deep.equal([]);
  });

  it('is replaced where it does not answer, has ended, or takes no more databases', async () => {
    expect(await isReused()).to.equal(false);
    for (const breaking of [paused, ended, full]) {
      breaking(keptPostgres(OWNER)[0] ?? '');
      expect(await isReused(), breaking.name).to.equal(false);
      // An engine removes what has ended in its own time.
      await until(() => keptPostgres(OWNER).length === 1);
      expect(await isReused(), breaking.name).to.equal(true);
    }
  });

  it('is not shared by owners, who test at the same time', async () => {
    await inTest(async (postgres) => {
      await inTest(async (other) => expect(other.isReused).to.equal(false), KEPT_SECONDS, `${OWNER}-other`);
      expect(await postgres.firstRows('empty', ['SELECT 1 AS here'])).to.deep.equal([{ here: 1 }]);
    });
    expect(keptPostgres(OWNER)).to.have.length(2);
    removeKeptPostgres(`${OWNER}-other`);
  });

  it('ends by itself when it was not used for a while, and leaves nothing', async () => {
    removeKeptPostgres(OWNER);
    await inTest(async () => undefined, 15);
    const [id = '', ...others] = keptPostgres(OWNER);
    expect(others).to.deep.equal([]);
    const volumes = inspected(id, '{{range .Mounts}}{{.Name}} {{end}}').split(' ').filter(Boolean);
    await until(() => keptPostgres(OWNER).length === 0);
    const left = docker('volume', 'ls', '--quiet')
      .split('\n')
      .filter((name) => volumes.includes(name));
    expect([left, networks()]).to.deep.equal([[], '']);
  });

  for (const lost of [USED_FILE, '/bin/sleep']) {
    it(`ends by itself where ${lost} is lost`, async () => {
      expect(await isReused()).to.equal(false);
      docker('exec', '--user', '0', keptPostgres(OWNER)[0] ?? '', 'rm', lost);
      await until(() => keptPostgres(OWNER).length === 0);
    });
  }

  it('is not kept where its image has nothing that would end it, or it cannot tell of its use', async () => {
    for (const [script, wrapper] of [
      ['rm $(command -v stat)', []],
      ['true', ['sh', '-c', 'rm -rf /tmp/kiln; exec "$@"', 'sh']],
    ] as const) {
      await withImage(script, wrapper, async (image) => {
        const answered = inTest(
          (postgres) => postgres.firstRows('empty', ['SELECT 1 AS here']),
          KEPT_SECONDS,
          OWNER,
          image,
        );
        expect(await answered, script).to.deep.equal([{ here: 1 }]);
        expect(keptPostgres(OWNER), script).to.deep.equal([]);
      });
    }
  });

  it('keeps databases that are none of a test, as images may have, and lets no test use them', async () => {
    expect(await isReused()).to.equal(false);
    adminRows('CREATE DATABASE template_of_image IS_TEMPLATE true');
    expect([await isReused(), await isReused()]).to.deep.equal([true, true]);
    expect(adminRows(LEFT)).to.equal('template_of_image');
    await inTest(async (postgres) => {
      const { username, password } = new URL(postgres.url('empty'));
      const said = psql(`postgres://${username}:${password}@127.0.0.1/template_of_image`, 'SELECT 1');
      expect(said).to.include('permission denied for database "template_of_image"');
    });
    removeKeptPostgres(OWNER);
  });

  // ── What is asked of the engine ───────────────────────────────────────────────────────────────────────────────────

  const paused = (id: string) => docker('pause', id);
  const ended = (id: string) => docker('kill', '--signal', 'INT', id);
  /** The same failure at the same place as that of a full disk: no database can be made. */
  const full = () => adminRows('ALTER DATABASE template1 RENAME TO template3');
});

/** Postgres as it is after this script of root, started by these words. */
async function withImage(
  script: string,
  wrapper: readonly string[],
  use: (image: string) => Promise<unknown>,
): Promise<void> {
  const name = `kiln-test-kept-image-${process.pid}`;
  const user = inspected(POSTGRES_IMAGE, '{{.Config.User}}') || '0';
  const entry = JSON.parse(inspected(POSTGRES_IMAGE, '{{json .Config.Entrypoint}}')) as readonly string[];
  const changes = [`USER ${user}`, `ENTRYPOINT ${JSON.stringify([...wrapper, ...entry])}`];
  docker('run', '--name', name, '--user', '0', '--entrypoint', 'sh', POSTGRES_IMAGE, '-c', script);
  try {
    docker('commit', ...changes.flatMap((change) => ['--change', change]), name, name);
    await use(name);
  } finally {
    docker('container', 'rm', '--force', '--volumes', name);
    removeKeptPostgres(OWNER);
    docker('image', 'rm', '--force', name);
  }
}

/** Databases and roles that are not of every server. */
const LEFT = `
  SELECT datname FROM pg_database WHERE datname NOT IN ('postgres', 'template0', 'template1')
  UNION ALL SELECT rolname FROM pg_roles WHERE rolname <> 'kiln' AND rolname NOT LIKE 'pg\\_%'`;

function roleOf(postgres: SmokePostgres): string {
  return new URL(postgres.url('empty')).username;
}

function databaseOf(postgres: SmokePostgres): string {
  return new URL(postgres.url('empty')).pathname.slice(1);
}

function refusalOf(postgres: SmokePostgres, statement: string): Promise<string> {
  return postgres.firstRows('empty', [statement]).then(
    () => 'it was done',
    ({ message }: Error) => message,
  );
}

/** As the role that may do everything, inside of the container. */
function adminRows(sql: string): string {
  return psql('postgres://kiln@127.0.0.1/postgres', sql);
}

function psql(url: string, sql: string): string {
  const [id = ''] = keptPostgres(OWNER);
  const script = 'PGPASSWORD=$POSTGRES_PASSWORD psql --no-psqlrc -qAt "$0" -c "$1" 2>&1 || true';
  return docker('exec', id, 'sh', '-c', script, url, sql);
}

function inspected(id: string, format: string): string {
  return docker('inspect', '--format', format, id);
}

function networks(): string {
  return docker('network', 'ls', '--quiet', '--filter', `label=kiln.pipeline=${OWNER}`);
}

function docker(...words: readonly string[]): string {
  return execFileSync('docker', words, { encoding: 'utf8' }).trim();
}
