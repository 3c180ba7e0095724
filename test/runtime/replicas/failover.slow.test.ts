/** A primary that goes away, and a standby that takes its place, with synchronous replication. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { createProxy, type TcpProxy } from '../database/tcp-proxy.ts';
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
} from './clusters.ts';

const COUNTERS = `
model Counter { field name { type string, unique }  field value { type integer, default 0 } }
api { entrypoint Counter as counter { identify { through name }  create endpoint {}  update endpoint {}  get endpoint {} } }`;

const NAMES = Array.from({ length: 6 }, (_, at) => `client-${at}`);
const READ_ONLY = 'ALTER SYSTEM SET default_transaction_read_only = on';
const ALONE = "ALTER SYSTEM SET synchronous_standby_names = ''";
const RELOAD = 'SELECT pg_reload_conf()';

describe('a promoted standby', () => {
  let primary: Server;
  let standby: Server;
  let proxies: readonly [TcpProxy, TcpProxy];

  /** Each server has a proxy, which has its address in the eyes of the application. */
  beforeEach(async () => {
    primary = await startPrimary(['synchronous_commit=on']);
    standby = await startReplica(primary, 'standby');
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await primary.query(RELOAD);
    await until(async () => {
      const [row] = await primary.query('SELECT sync_state FROM pg_stat_replication');
      return row?.sync_state === 'sync';
    });
    proxies = [await createProxy(primary.url), await createProxy(standby.url)];
    for (const proxy of proxies) await proxy.open();
  });

  afterEach(async () => {
    await stopApplications();
    for (const proxy of proxies) await proxy.shut();
    await stopServers();
  });

  const severalHosts = () => {
    const [one, two] = proxies.map(({ url }) => new URL(url));
    return `${one?.href.replace(`@${one.host}`, `@${one.host},${two?.host}`)}?target_session_attrs=read-write`;
  };
  const serveBoth = () => serve(COUNTERS, primary.url, [], severalHosts());

  it('behind the name of the primary has every write that was confirmed, and is used within 5 seconds', async () => {
    const [proxy] = proxies;
    const clients = await startClients(await serve(COUNTERS, proxy.url, []));
    // The old primary still runs, and nobody confirms its commits any more.
    await proxy.shut();
    await standby.query('SELECT pg_promote()');
    proxy.redirect(standby.url);
    await proxy.open();
    await clients.end(standby);
  });

  it('at one of several hosts has every write that was confirmed, and is used within 5 seconds', async () => {
    const app = await serveBoth();
    const clients = await startClients(app);
    await primary.cluster.stop();
    await standby.query('SELECT pg_promote()');
    await clients.end(standby);
    // The old primary comes back as a standby.
    const [proxy] = proxies;
    const { url } = await startReplica(standby, 'returned');
    await proxy.shut();
    proxy.redirect(url);
    await proxy.open();
    const again = await startClients(app);
    await proxies[1].shut();
    await proxies[1].open();
    await again.end(standby);
  });

  it('is waited for beside a host that does not answer at all', async () => {
    const clients = await startClients(await serveBoth());
    proxies[0].isolate();
    await standby.query('SELECT pg_promote()');
    await sleep(1000);
    await proxies[0].shut();
    await proxies[0].open();
    proxies[0].isolate();
    await clients.end(standby);
  });

  it('is the only one that answers, also reads, where the old primary was made read-only', async () => {
    const clients = await startClients(await serveBoth());
    // One that only reads learns nothing from failed writes.
    const app = await asking({ definition: await definitionOf(COUNTERS), databaseUrl: severalHosts() }, []);
    await app.ask('POST /api/counter', { body: { name: 'apart' } });
    expect((await app.ask('GET /api/counter/apart')).json).to.include({ value: 0 });
    await primary.query(READ_ONLY);
    await primary.query(RELOAD);
    await until(
      async () =>
        (await primary.query('SHOW default_transaction_read_only'))[0]?.default_transaction_read_only === 'on',
    );
    await standby.query('SELECT pg_promote()');
    await standby.query("UPDATE counter SET value = 7 WHERE name = 'apart'");
    await until(async () => {
      const { status, json } = await app.ask('GET /api/counter/apart');
      expect([503, 200]).to.include(status);
      if (status === 200) expect(json).to.include({ value: 7 });
      return status === 200;
    });
    await clients.end(standby);
  });

  it('is not waited for by a write that the old primary has committed while it was made read-only', async () => {
    const app = await serveBoth();
    await primary.query(
      `CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NEW; END'`,
    );
    await primary.query('CREATE TRIGGER wait BEFORE INSERT ON counter FOR EACH ROW EXECUTE FUNCTION wait()');
    const answers = NAMES.map((name) => app.ask('POST /api/counter', { body: { name } }));
    await until(async () => {
      const [row] = await primary.query(`SELECT count(*)::int FROM pg_stat_activity WHERE wait_event = 'PgSleep'`);
      return Number(row?.count) > 0;
    });
    await primary.query(READ_ONLY);
    await primary.query(RELOAD);
    const written = (await Promise.all(answers)).filter(({ status }) => status === 201);
    const [row] = await primary.query('SELECT count(*)::int FROM counter');
    expect(written.length).to.equal(row?.count);
    expect(written.length).to.be.greaterThan(0);
  });

  it('stays the primary where the old one comes back and takes writes', async () => {
    const app = await serveBoth();
    const clients = await startClients(app);
    const [old, other] = proxies;
    await old.shut();
    await standby.query('SELECT pg_promote()');
    await clients.end(standby);
    await primary.query(ALONE);
    await primary.query(RELOAD);
    await primary.query('UPDATE counter SET value = -1');
    await other.shut();
    await old.open();
    const end = performance.now() + 2000;
    while (performance.now() < end) {
      expect((await app.ask('GET /api/counter/client-0')).status).to.equal(503);
      expect((await app.ask('PATCH /api/counter/client-0', { body: { value: 1 } })).status).to.equal(503);
      await sleep(50);
    }
    await other.open();
    await until(async () => (await app.ask('GET /api/counter/client-0')).status === 200);
    expect(Number((await app.ask('GET /api/counter/client-0')).json.value)).to.be.greaterThan(0);
  });
});

/** Clients that each count up, and check that no read goes back behind what was confirmed. */
async function startClients(app: Asking) {
  const confirmed = new Map<string, number>();
  let isOver = false;
  let lastConfirmed = 0;
  const wrong: string[] = [];
  const client = async (name: string): Promise<void> => {
    for (let value = 1; !isOver; value++) {
      const { status } = await app.ask(`PATCH /api/counter/${name}`, { body: { value } });
      if (status === 200) {
        confirmed.set(name, value);
        lastConfirmed = performance.now();
      }
      const read = await app.ask(`GET /api/counter/${name}`);
      const least = confirmed.get(name) ?? 0;
      if (read.status === 200 && !(Number(read.json.value) >= least)) wrong.push(`${read.json.value} < ${least}`);
      const others = [status, read.status].filter((each) => each !== 200 && each !== 503);
      wrong.push(...others.map(String));
      if (status !== 200) await sleep(20);
    }
  };
  for (const name of NAMES) await app.ask('POST /api/counter', { body: { name } });
  const clients = Promise.all(NAMES.map(client));
  await sleep(1000);
  return {
    /** Waits until writes are confirmed again, and compares with what the new primary has. */
    async end(newPrimary: Server): Promise<void> {
      const back = performance.now();
      await until(() => lastConfirmed > back);
      expect(lastConfirmed - back).to.be.lessThan(5000);
      await sleep(500);
      isOver = true;
      await clients;
      expect(confirmed.size).to.equal(NAMES.length);
      expect(wrong).to.deep.equal([]);
      const found = await newPrimary.query('SELECT name, value FROM counter');
      const values = new Map(found.map(({ name, value }) => [name, Number(value)]));
      for (const [name, value] of confirmed) expect(values.get(name), name).to.be.at.least(value);
    },
  };
}
