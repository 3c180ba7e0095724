/** Reads on streaming replicas: where they go, and that nobody reads what is older than it may be. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { imageReleaseOf } from '../../../runtime/query/database-release.ts';
import { isSlow, itInBoth } from '../../support/slow.ts';
import { until } from '../../support/until.ts';
import { createProxy } from '../database/tcp-proxy.ts';
import { chainOf } from '../migrate/compiled-chain.ts';
import { migrated } from '../migrate/databases.ts';
import { definitionOf } from '../operations/running.ts';
import {
  type Asking,
  asking,
  type Server,
  serve,
  startPrimary,
  startReplica,
  stopApplications,
  stopServers,
  untilOnReplica,
} from './clusters.ts';

const COUNTERS = `
model Counter {
  field name { type string, unique }
  field value { type integer, default 0 }
  field open { type boolean, default true }
  relation steps { from Step, through counter }
}
model Step { reference counter { to Counter }  field note { type string } }
api {
  entrypoint Counter as counter {
    identify { through name }
    create endpoint {}
    update endpoint {}
    get endpoint { response { name, value } }
    GET one "old" { stale seconds(2)  response { value } }
    entrypoint steps as step {
      create endpoint {}
      list endpoint { authorize { counter.open }  stale seconds(60) }
    }
    GET one "seen" { action { update counter { set value counter.value + 1 } } }
    POST one "twice" { action { update counter { set value counter.value * 2 } create Step { set counter counter, set note "twice" } } }
    POST one "copy" { extra inputs { field to { type string } } action { create Step { set counter counter, set note "copied" } create Counter { set name to } } }
  }
}`;

/** While it is behind, nothing is paused. */
const LATE = "ALTER SYSTEM SET recovery_min_apply_delay = '30s'";
const IN_TIME = 'ALTER SYSTEM RESET recovery_min_apply_delay';
const RELOAD = 'SELECT pg_reload_conf()';

describe('replicas', () => {
  let primary: Server;
  let [one, two]: readonly (Server | undefined)[] = [];
  let app: Asking;

  const stepsOf = async (name: string, position?: string | null) =>
    app.ask(`GET /api/counter/${name}/steps`, { position: position ?? null });
  const positionOf = async ({ query }: Server) => {
    const [row] = await query(
      "SELECT lpad(to_hex((pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint), 16, '0') AS position",
    );
    return String(row?.position);
  };
  const pause = (replica: Server) => replica.query('SELECT pg_wal_replay_pause()');
  const fallBehind = async () => {
    await (one as Server).query(LATE);
    await (one as Server).query(RELOAD);
  };
  const catchUp = async () => {
    await (one as Server).query(IN_TIME);
    await (one as Server).query(RELOAD);
  };
  const resume = (replica: Server) => replica.query('SELECT pg_wal_replay_resume()');

  before(async () => {
    primary = await startPrimary();
    [one, two] = [await startReplica(primary, 'one'), await startReplica(primary, 'two')];
  });
  afterEach(stopApplications);
  after(stopServers);

  beforeEach(async () => {
    app = await serve(COUNTERS, primary.url, [(one as Server).url]);
  });

  it('answer where a position or the endpoint allows it, and the primary otherwise', async () => {
    const { status, position } = await app.ask('POST /api/counter', { body: { name: 'a' } });
    expect(status).to.equal(201);
    expect(position).to.match(/^[0-9a-f]{16}$/);
    await untilOnReplica(app, '/api/counter/a', position);
    await untilOnReplica(app, '/api/counter/a/old');
    const before = await app.reads();
    await app.ask('GET /api/counter/a');
    await app.ask('GET /api/counter/a', { position: 'ffffffffffffffff' });
    await app.ask('GET /api/counter/a', { position: 'no position' });
    expect(await app.reads()).to.deep.equal({ ...before, primary: before.primary + 3 });
    expect(await app.lag((one as Server).url)).to.be.within(0, 2);
  });

  it('tell the position after every write, also in a transaction and where it is refused', async () => {
    const created = await app.ask('POST /api/counter', { body: { name: 'b', value: 3 } });
    const doubled = await app.ask('POST /api/counter/b/twice');
    expect([created.status, doubled.status]).to.deep.equal([201, 204]);
    expect(String(doubled.position) > String(created.position)).to.equal(true);
    const seen = await app.ask('GET /api/counter/b/seen');
    expect(String(seen.position) > String(doubled.position)).to.equal(true);
    const refused = await app.ask('POST /api/counter', { body: { name: 'b' } });
    expect([refused.status, refused.position === null]).to.deep.equal([422, false]);
    expect((await app.ask('GET /api/counter/b')).position).to.equal(null);
    await untilOnReplica(app, '/api/counter/b', seen.position);
    expect((await app.ask('GET /api/counter/b', { position: seen.position })).json).to.include({ value: 7 });
  });

  it('tell a client that is refused a position at which the reason can be seen', async () => {
    await app.ask('POST /api/counter', { body: { name: 'mine' } });
    // By another server.
    await primary.query("INSERT INTO counter (name, value, open) VALUES ('taken', 0, true)");
    const before = await positionOf(primary);
    const alone = await app.ask('POST /api/counter', { body: { name: 'taken' } });
    await primary.query("UPDATE counter SET value = 1 WHERE name = 'taken'");
    const later = await positionOf(primary);
    const inTransaction = await app.ask('POST /api/counter/mine/copy', { body: { to: 'taken' } });
    expect([alone.status, inTransaction.status]).to.deep.equal([422, 422]);
    expect(String(alone.position) >= before).to.equal(true);
    expect(String(inTransaction.position) >= later).to.equal(true);
  });

  it('tell a client that has written nothing a position at which all that it has seen can be seen', async () => {
    await app.ask('POST /api/counter', { body: { name: 'seen' } });
    for (const [line, body] of [
      ['PATCH /api/counter/seen', {}],
      ['PATCH /api/counter/nobody', { value: 1 }],
    ] as const) {
      // By another server.
      await primary.query("UPDATE counter SET value = value + 1 WHERE name = 'seen'");
      const before = await positionOf(primary);
      const { position } = await app.ask(line, { body });
      expect(String(position) >= before, line).to.equal(true);
    }
  });

  it('decide no rule: that is done by the primary, before a replica is asked for the list', async () => {
    const { position } = await app.ask('POST /api/counter', { body: { name: 'c' } });
    await untilOnReplica(app, '/api/counter/c/steps', position);
    await fallBehind();
    try {
      await app.ask('PATCH /api/counter/c', { body: { open: false } });
      const before = await app.reads();
      expect((await stepsOf('c')).status).to.equal(401);
      await app.ask('PATCH /api/counter/c', { body: { open: true } });
      await app.ask('POST /api/counter/c/steps', { body: { note: 'new' } });
      // The replica does not have it yet, and the endpoint may be a minute behind.
      expect((await stepsOf('c')).json).to.deep.equal([]);
      expect((await app.reads()).replica).to.be.greaterThan(before.replica);
    } finally {
      await catchUp();
    }
    await until(async () => JSON.stringify((await stepsOf('c')).json).includes('new'));
  });

  it('are left alone while they are paused, and used again', async () => {
    const { position } = await app.ask('POST /api/counter', { body: { name: 'd' } });
    await untilOnReplica(app, '/api/counter/d', position);
    await pause(one as Server);
    await until(() => app.lines.some(({ msg, reason }) => msg === 'the replica is left alone' && reason === 'paused'));
    const { replica } = await app.reads();
    expect((await app.ask('GET /api/counter/d', { position })).status).to.equal(200);
    expect((await app.ask('GET /api/counter/d/old')).status).to.equal(200);
    expect((await app.reads()).replica).to.equal(replica);
    await resume(one as Server);
    await untilOnReplica(app, '/api/counter/d', position);
    expect(app.lines.some(({ msg }) => msg === 'the replica is used again')).to.equal(true);
  });

  it('that are gone, silent or of another cluster are left alone, and requests do not fail', async () => {
    const proxy = await createProxy((one as Server).url);
    await proxy.open();
    const stranger = await startPrimary();
    const via = await serve(COUNTERS, primary.url, [proxy.url, stranger.url]);
    const { position } = await via.ask('POST /api/counter', { body: { name: 'e' } });
    await untilOnReplica(via, '/api/counter/e', position);
    const read = async () => (await via.ask('GET /api/counter/e', { position })).status;
    for (const fail of [() => proxy.shut(), () => proxy.isolate()]) {
      await fail();
      const start = performance.now();
      expect(await Promise.all(Array.from({ length: 20 }, read))).to.deep.equal(Array(20).fill(200));
      expect(performance.now() - start).to.be.lessThan(5000);
      await proxy.shut();
      await proxy.open();
      await untilOnReplica(via, '/api/counter/e', position);
    }
    expect(
      via.lines.filter(
        ({ msg, replica }) => msg === 'the replica is left alone' && replica === new URL(stranger.url).host,
      ),
    ).to.have.length(1);
    await proxy.shut();
  });

  it('that `migrate` has not reached yet are left alone', async () => {
    await stopApplications();
    const definitions = await Promise.all(['name', 'title'].map((field) => definitionOf(program(field))));
    const [first, second] = [chainOf(definitions.slice(0, 1)), chainOf(definitions)];
    await primary.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    expect((await migrated(first, primary.url)).result.kind).to.equal('done');
    const hasFirst = () => (one as Server).query('SELECT FROM kiln_releases').then((rows) => rows.length === 1);
    await until(() => hasFirst().catch(() => false));
    await fallBehind();
    try {
      expect((await migrated(second, primary.url)).result.kind).to.equal('done');
      const release = imageReleaseOf(second);
      const options = { definition: definitions[1] as (typeof definitions)[0], databaseUrl: primary.url, release };
      const image = await asking(options, [(one as Server).url]);
      const isLeft = () => image.lines.some(({ reason }) => String(reason).includes('Run `migrate`'));
      await until(async () => {
        expect((await image.ask('GET /api/post')).status).to.equal(200);
        return isLeft();
      });
      await catchUp();
      await untilOnReplica(image, '/api/post');
    } finally {
      await catchUp();
    }
  });

  itInBoth('never show what is older than a client has written, or than an endpoint allows', async () => {
    const time = isSlow ? 20_000 : 3000;
    const replicas = [one as Server, two as Server] as const;
    app = await serve(
      COUNTERS,
      primary.url,
      replicas.map(({ url }) => url),
    );
    const end = performance.now() + time;
    const found = { reads: 0, stale: [] as string[], failed: [] as string[] };
    const client = async (name: string): Promise<void> => {
      await app.ask('POST /api/counter', { body: { name } });
      const written: { readonly at: number; readonly value: number }[] = [];
      for (let value = 1; performance.now() < end; value++) {
        const { status, position } = await app.ask(`PATCH /api/counter/${name}`, { body: { value } });
        if (status !== 200) found.failed.push(`write ${status}`);
        written.push({ at: performance.now(), value });
        await sleep(Math.random() * (isSlow ? 240 : 120));
        const read = await app.ask(`GET /api/counter/${name}`, { position });
        if (read.json.value !== value) found.stale.push(`${read.status} ${read.json.value} for ${value}`);
        const oldest = performance.now() - 2000;
        const old = await app.ask(`GET /api/counter/${name}/old`);
        const least = written.findLast(({ at }) => at < oldest)?.value ?? 0;
        const isMissing = old.status === 404 && least === 0;
        if (!isMissing && !(Number(old.json.value) >= least))
          found.stale.push(`${old.status} ${old.json.value} < ${least}`);
        found.reads += 2;
      }
    };
    const disturb = async (): Promise<void> => {
      for (let at = 0; performance.now() < end - time / 2; at++) {
        const replica = replicas[at % 2] as Server;
        await pause(replica);
        await sleep(300 + Math.random() * 400);
        await resume(replica);
        await sleep(100);
      }
      await replicas[1].query('SELECT pg_promote()');
    };
    await Promise.all([disturb(), ...Array.from({ length: 8 }, (_, at) => client(`client-${at}`))]);
    expect(found).to.deep.include({ stale: [], failed: [] });
    const { replica } = await app.reads();
    expect(replica, `of ${found.reads}`).to.be.greaterThan(found.reads / 10);
    const isLeft = app.lines.some(
      ({ replica: name, reason }) => reason === 'promoted' && name === new URL(replicas[1].url).host,
    );
    expect(isLeft).to.equal(true);
  });

  it('answer reads with a position while the primary is away', async () => {
    const { position } = await app.ask('POST /api/counter', { body: { name: 'f' } });
    await untilOnReplica(app, '/api/counter/f', position);
    const stopped = primary.cluster.stop();
    // Asked at once: a replica is used for some seconds without its primary.
    await until(async () => (await app.ask('GET /api/counter/f')).status === 503);
    expect((await app.ask('GET /api/counter/f', { position })).status).to.equal(200);
    await stopped;
    expect((await app.ask('PATCH /api/counter/f', { body: { value: 1 } })).position).to.equal(null);
  });
});

function program(field: string): string {
  return `model Post { field ${field} { type string${field === 'title' ? ', was name' : ''} } }
    api { entrypoint Post { list endpoint { stale seconds(60) } } }`;
}
