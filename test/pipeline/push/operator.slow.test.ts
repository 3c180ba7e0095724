import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { freePort } from '../../../bench/api/free-port.ts';
import type { BuildRecord } from '../../../pipeline/bake/build-record.ts';
import { POSTGRES_IMAGE, runtimeBase, skipWithoutImages } from '../../support/runtime-base.ts';
import { until } from '../../support/until.ts';
import { gitIn } from '../git/git-repository.ts';
import { kiln, PushedProject } from './pushed-project.ts';

interface Shape {
  /** Behind the type of the customer. */
  readonly customer?: string;
  /** All fields but the customer. */
  readonly fields: string;
  /** What the populator sets. */
  readonly values?: string;
  readonly name?: string;
}

/** Ends the sessions of all others. */
const OTHERS =
  'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL';

/** Commands hold up this process, so it would not see that a server has closed an idle connection. */
const ALONE = { headers: { connection: 'close' } };

const AMOUNT = 'field amount { type integer }';

function invoices({ customer = '', fields, values = 'set amount 7', name = '"Customer " + i.current' }: Shape): string {
  return `model Invoice { field customer { type string${customer} }  ${fields} }
api { entrypoint Invoice as invoices { list endpoint {} create endpoint {} update endpoint {} } }
populator Dev { populate Invoice { repeat as i 3, set customer ${name}, ${values} } }\n`;
}

/** What an operator does with the images of pushes, on real containers. Each part goes on where the one before ended. */
describe('an operator', function () {
  this.timeout(300_000);
  let project: PushedProject;
  let base: string;
  const tags: string[] = [];
  const containers: string[] = [];

  before(async function () {
    skipWithoutImages(this);
    base = await runtimeBase();
    project = new PushedProject('--base', base, '--postgres', POSTGRES_IMAGE);
    docker('network', 'create', project.name);
    started('db', '--env', 'POSTGRES_PASSWORD=secret', '--env', 'POSTGRES_DB=shop', POSTGRES_IMAGE);
    await until(() => inDatabase('pg_isready', '--quiet', '--host', '127.0.0.1').status === 0);
  });

  after(() => {
    if (!project) return;
    docker('rm', '--force', '--volumes', ...containers);
    docker('network', 'rm', project.name);
  });

  function docker(...words: readonly string[]) {
    const { status, stdout, stderr } = spawnSync('docker', words, { encoding: 'utf8' });
    return { status, said: stdout + stderr };
  }

  function started(name: string, ...words: readonly string[]): void {
    containers.push(container(name));
    const { status, said } = docker(
      ...['run', '--detach', '--network', project.name, '--name', container(name), ...words],
    );
    expect(status, said).to.equal(0);
  }

  const container = (name: string) => `${project.name}-${name}`;

  function inDatabase(...words: readonly string[]) {
    return docker('exec', '--env', 'PGPASSWORD=secret', container('db'), ...words);
  }

  function sql(text: string, database = 'shop'): string {
    const psql = ['psql', '--quiet', '--no-align', '--tuples-only', '--username=postgres', `--dbname=${database}`];
    const { status, said } = inDatabase(...psql, '--command', text);
    expect(status, said).to.equal(0);
    return said.trim();
  }

  const addressOf = (database: string) => `DATABASE_URL=postgres://postgres:secret@${container('db')}:5432/${database}`;

  function migrate(tag: string | undefined, words: readonly string[] = [], database = 'shop') {
    const place = ['--rm', '--network', project.name, '--env', addressOf(database)];
    return docker('run', ...place, `${project.name}:${tag}`, 'migrate', ...words);
  }

  function mustMigrate(tag: string | undefined, words: readonly string[] = [], database = 'shop'): string {
    const { status, said } = migrate(tag, words, database);
    expect(status, said).to.equal(0);
    return said;
  }

  /** Asks for status, and what the answer says. */
  type Server = (method: string, path: string, body?: object) => Promise<{ status: number; json: Answer }>;
  type Answer = { readonly detail?: string; readonly id?: number; readonly cents?: number };

  async function serve(name: string, tag: string | undefined, database = 'shop'): Promise<Server> {
    const port = await freePort();
    started(
      ...([name, '--publish', `127.0.0.1:${port}:3000`, '--env', addressOf(database)] as const),
      `${project.name}:${tag}`,
    );
    const url = `http://127.0.0.1:${port}`;
    // A port is published before anybody listens behind it, and a request may be lost there.
    const ready = () => fetch(`${url}/readyz`, { ...ALONE, signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    await until(async () => (await ready())?.status === 200, { otherwise: () => docker('logs', container(name)).said });
    return async (method, path, body) => {
      const headers = { 'content-type': 'application/json', ...ALONE.headers };
      const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      return { status: response.status, json: (await response.json()) as Answer };
    };
  }

  async function pushed(shape: Shape, message: string, comment = '') {
    const revision = project.commit({ 'shop.kiln': invoices(shape) + comment }, message);
    const { status, said } = await project.push(['main']);
    const tag = revision.slice(0, 12);
    tags.push(tag);
    const last = said.split('\n').findLast((line) => line.startsWith('remote: error')) ?? '';
    return { tag, said, last, status, revision };
  }

  async function mustPush(...given: Parameters<typeof pushed>) {
    const told = await pushed(...given);
    expect(told.status, told.said).to.equal(0);
    expect(project.images(), told.said).to.have.property(told.tag);
    return told;
  }

  let first: Server;
  let second: Server;

  it('withdraws a release with a wider type that `migrate` cannot complete', async () => {
    const { tag } = await mustPush({ fields: AMOUNT }, 'Invoices');
    mustMigrate(tag);
    first = await serve('first', tag);
    sql(`INSERT INTO invoice (customer, amount) VALUES ('Twice', 1), ('Twice', 2)`);

    const wider = { customer: ', unique', fields: 'field amount { type string }', values: 'set amount "7"' };
    const { tag: given } = await mustPush(wider, 'Unique customers');
    const failed = migrate(given);
    expect(failed.status, failed.said).to.equal(1);
    expect(failed.said).to.include(
      `To give release 2 up instead, revert it in a commit with the line \`Withdraws: ${given}\``,
    );

    const reverted = { fields: AMOUNT, name: '"Ada"' };
    const { tag: third, said, revision } = await mustPush(reverted, `Revert\n\nWithdraws: ${given}`);
    expect(said).to.include(
      `withdraws release 2 (${given}): databases without it come from release 1 without a change`,
    );
    const record = gitIn(project.bare, 'show', `refs/kiln/reports/main:${revision}/build.json`);
    const { verdicts } = JSON.parse(record) as BuildRecord;
    expect(verdicts.find(({ of }) => of === 'withdrawal of release 2')).to.deep.include({
      outcome: 'passed',
      details: [`release 1 (${tag}): every statement fits the database`],
    });
    expect(mustMigrate(third)).to.include(`Release 3 withdraws release 2 (${given}): undoing what was begun`);
    expect(sql('SELECT customer, amount FROM invoice ORDER BY id')).to.equal('Twice|1\nTwice|2');
    expect((await first('GET', '/readyz')).status).to.equal(200);
    expect(migrate(given).status).to.equal(3);
  });

  it('cannot get past a failed upgrade by another commit, and each push upgrades what is live', async () => {
    expect(kiln('pipeline', 'deployed', 'production', String(tags[0]), '--repo', project.bare).status).to.equal(0);
    const shape = { customer: ', unique', fields: AMOUNT, name: '"Ada"' };
    const failed = await pushed(shape, 'Unique again');
    const after = await pushed(shape, 'Comment', '// A comment.\n');
    for (const { tag, said, last } of [failed, after]) {
      expect(said).to.include(
        `\`migrate\` of a database of the previous release (${tags[2]}, filled with Dev) is refused`,
      );
      expect(said).to.include('safe beside release 3: yes').and.not.to.include('the database needs no change');
      expect(last).to.include('Commit a fix and push it; it is tested from release 3 again');
      expect(last).to.include(`end the message with the line \`Withdraws: ${failed.tag}\``);
      expect(project.images()).not.to.have.property(tag);
    }
    expect(after.said).to.include(`compared with release 3, because release 4 (${failed.tag}) failed`);

    const cents = {
      fields: `${AMOUNT}  field cents { type integer, backfill amount * 100 }`,
      values: 'set amount 7, set cents 700',
    };
    const { said } = await mustPush(cents, `Cents\n\nWithdraws: ${failed.tag}`);
    expect(said).to.match(new RegExp(`upgrade .*a database of ${tags[2]}, filled with Dev`));
    const live = `release 1 \\(${tags[0]}\\), live in production`;
    expect(said).to.match(new RegExp(`upgrade .*a database of ${live}, filled with Dev`));
    expect(said).to.match(new RegExp(`since ${live}:`));
  });

  it('splits a field and loses no update of the old release, also after a rollback', async () => {
    const wrong = () => sql('SELECT count(*) FROM invoice WHERE cents <> amount * 100');
    mustMigrate(tags[5]);
    for (const [id, amount] of [
      [1, 30],
      [2, 40],
    ]) {
      expect((await first('PATCH', `/api/invoice/${id}`, { amount })).status).to.equal(200);
    }
    const created = await first('POST', '/api/invoice', { customer: 'New', amount: 50 });
    expect([created.status, wrong()]).to.deep.equal([201, '0']);
    second = await serve('second', tags[5]);
    const { id } = created.json;
    expect((await second('PATCH', `/api/invoice/${id}`, { amount: 51, cents: 5100 })).status).to.equal(200);
    // After a rollback.
    expect((await first('PATCH', `/api/invoice/${id}`, { amount: 52 })).status).to.equal(200);
    expect(wrong()).to.equal('0');
    docker('rm', '--force', container('first'));
    await mustPush({ fields: 'field cents { type integer }  drop amount', values: 'set cents 700' }, 'Cents alone');
    mustMigrate(tags[6]);
    expect(sql('SELECT cents FROM invoice ORDER BY id')).to.equal('3000\n4000\n5200');
  });

  it('goes straight to the newest image, past a release that has to be contracted, when no server needs it', async () => {
    sql('CREATE DATABASE skipped');
    mustMigrate(tags[2], [], 'skipped');
    await serve('third', tags[2], 'skipped');
    sql(`INSERT INTO invoice (customer, amount) VALUES ('One', 1)`, 'skipped');
    const blocked = migrate(tags[6], ['--wait', '1s'], 'skipped');
    expect(blocked.status, blocked.said).to.equal(4);
    expect(blocked.said)
      .to.include('servers of older releases are connected')
      .and.match(/"kiln 3 \w{12}": \d connection/);
    docker('rm', '--force', container('third'));
    const said = mustMigrate(tags[6], [], 'skipped');
    expect(said).to.include('Release 6 is contracted').and.include(`the database is at release 7 (${tags[6]})`);
    expect(sql('SELECT cents FROM invoice', 'skipped')).to.equal('100');
  });

  it('contracts the database under a server that nobody saw, which answers 503 from then on', async () => {
    expect((await second('GET', '/api/invoice')).status).to.equal(200);
    docker('pause', container('second'));
    sql(OTHERS);
    expect(mustMigrate(tags[6], ['--contract'])).to.include('Release 7 is contracted');
    docker('unpause', container('second'));
    const told = 'has removed what this image (release 6) needs. Use the image of release 7.';
    for (const [method, path, body] of [
      ['POST', '/api/invoice', { customer: 'Late', amount: 1, cents: 100 }],
      ['GET', '/api/invoice', undefined],
      ['GET', '/readyz', undefined],
    ] as const) {
      const { status, json } = await second(method, path, body);
      expect([status, json.detail?.endsWith(told)], `${path} ${json.detail}`).to.deep.equal([503, true]);
    }
    expect(sql('SELECT count(*) FROM invoice')).to.equal('3');
  });

  it('sees in /readyz and in responses that the database is read-only, and does not migrate it', async () => {
    const server = await serve('fourth', tags[6]);
    sql('ALTER DATABASE shop SET default_transaction_read_only = on');
    sql(OTHERS);
    expect((await server('GET', '/api/invoice')).status).to.equal(200);
    const { status, json } = await server('POST', '/api/invoice', { customer: 'No', cents: 1 });
    expect([status, json.detail]).to.deep.equal([503, 'The database is read-only.']);
    const ready = await server('GET', '/readyz');
    expect([ready.status, ready.json.detail]).to.satisfy(
      ([code, detail]: [number, string]) => code === 503 && detail.startsWith('The database is read-only'),
    );
    const refused = migrate(tags[6]);
    expect(refused.status, refused.said).to.equal(5);
    expect(refused.said).to.include('`migrate --read-write`');
    mustMigrate(tags[6], ['--read-write']);
  });

  it('tests images of `kiln build` in the same way', () => {
    const built = (customer: string, comment: string) => {
      const source = invoices({ customer, fields: AMOUNT, name: '"Ada"' });
      project.commit({ 'shop.kiln': `${source}// ${comment}\n` }, comment);
      return kiln('build', project.folder, '--base', base, '--test', POSTGRES_IMAGE);
    };
    expect(built('', 'Built').status).to.equal(0);
    for (const comment of ['Unique', 'Commented']) {
      const { status, said } = built(', unique', comment);
      expect(status, said).to.equal(1);
      expect(said)
        .to.include('it is tested from release 1 again')
        .and.to.match(/with the line `Withdraws: \w{12}`/);
    }
  });
});
