/** A primary that goes away, and a standby that takes its place behind the same name, with synchronous replication. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { createProxy } from '../database/tcp-proxy.ts';
import { serve, startPrimary, startReplica, stopApplications, stopServers } from './clusters.ts';

const COUNTERS = `
model Counter { field name { type string, unique }  field value { type integer, default 0 } }
api { entrypoint Counter as counter { identify { through name }  create endpoint {}  update endpoint {}  get endpoint {} } }`;

describe('a promoted standby behind the name of the primary', () => {
  after(async () => {
    await stopApplications();
    await stopServers();
  });

  it('has every write that was confirmed, and is used within 5 seconds', async () => {
    const primary = await startPrimary(['synchronous_commit=on']);
    const standby = await startReplica(primary, 'standby');
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await primary.query('SELECT pg_reload_conf()');
    await until(async () => {
      const [row] = await primary.query('SELECT sync_state FROM pg_stat_replication');
      return row?.sync_state === 'sync';
    });
    const proxy = await createProxy(primary.url);
    await proxy.open();
    const app = await serve(COUNTERS, proxy.url, []);
    const names = Array.from({ length: 6 }, (_, at) => `client-${at}`);
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
        if (status !== 200) await sleep(20);
      }
    };
    for (const name of names) await app.ask('POST /api/counter', { body: { name } });
    const clients = Promise.all(names.map(client));
    await sleep(1000);
    // The old primary still runs, and nobody confirms its commits any more.
    await proxy.shut();
    await standby.query('SELECT pg_promote()');
    proxy.redirect(standby.url);
    await proxy.open();
    const back = performance.now();
    await until(() => lastConfirmed > back);
    expect(lastConfirmed - back).to.be.lessThan(5000);
    await sleep(500);
    isOver = true;
    await clients;
    expect(wrong).to.deep.equal([]);
    for (const { name, value } of await standby.query('SELECT name, value FROM counter'))
      expect(Number(value), String(name)).to.be.at.least(confirmed.get(String(name)) ?? Number.NaN);
    await proxy.shut();
  });
});
