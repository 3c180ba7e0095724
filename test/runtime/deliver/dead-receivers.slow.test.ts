/** Receivers that take a connection and never answer, or answer a letter at a time: others do not wait for them. */
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { type Running, run, stopAll } from '../operations/running.ts';
import { type Receiver, receiver } from './receiver.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const HOSTS = 1000;

const SOURCE = `
model Shop { field name { type string }  relation hooks { from Hook through shop } }
model Hook { reference shop { to Shop }  field url { type string }  field secret { type string, secret } }
model Order { reference shop { to Shop } }
model Note { field text { type string } }
job Write { action { create Note { set text "done" } } }

webhook "order.created" {
  on create of Order as order
  to order.shop.hooks as hook { url hook.url, secret hook.secret }
  body { id }
}

api {
  entrypoint Shop { create endpoint {} }
  entrypoint Order { create endpoint {} }
  entrypoint Note { list endpoint {}  POST many "write" { action { run Write {} } } }
}`;

describe('dead receivers', function () {
  this.timeout(120_000);
  let dead: Server;
  let connections = 0;
  let live: Receiver;
  let app: Running;

  before(async () => {
    dead = createSocketServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      // The first one drips a header that never ends.
      if (connections === 1) {
        socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
        const drip = setInterval(() => socket.write('x'), 100);
        socket.on('close', () => clearInterval(drip));
      }
    });
    await new Promise<void>((resolve) => void dead.listen(0, '0.0.0.0', resolve));
    live = await receiver();
    app = await run(SOURCE, { environment: { WEBHOOK_PRIVATE: 'allow', JOBS: '2' } });
    for (const name of ['dead', 'live']) await app.ask('POST /api/shop', { name });
    const { port } = dead.address() as AddressInfo;
    const host = "'http://127.1.' || n / 250 || '.' || 1 + n % 250 || ':' || $2";
    await app.database.client.query(
      `INSERT INTO hook (shop_id, url, secret) SELECT 1, ${host}, $1 FROM generate_series(0, ${HOSTS - 1}) AS n`,
      [SECRET, String(port)],
    );
    await app.database.client.query('INSERT INTO hook (shop_id, url, secret) VALUES (2, $1, $2)', [live.url, SECRET]);
  });
  after(async () => {
    await stopAll();
    await live.close();
    dead.close();
  });

  const delayOf = async (isDone: () => boolean | Promise<boolean>, methodAndPath: string, body?: object) => {
    const start = performance.now();
    await app.ask(methodAndPath, body);
    await until(isDone, { limit: 20_000 });
    return performance.now() - start;
  };

  it(`${HOSTS} of them delay neither a live one nor other jobs`, async () => {
    await app.ask('POST /api/order', { shop_id: 1 });
    await until(() => connections >= HOSTS, { limit: 60_000 });
    const webhook = await delayOf(() => live.received.length === 1, 'POST /api/order', { shop_id: 2 });
    const isWritten = async () => (await app.ask('GET /api/note')).text.includes('done');
    const job = await delayOf(isWritten, 'POST /api/note/write');
    // One that waited for the dead ones would wait for many times 15 seconds.
    expect(webhook).to.be.below(10_000);
    expect(job).to.be.below(10_000);
  });

  it('are given up after 15 seconds, whatever they send', async () => {
    const failed = async () => {
      const { rows } = await app.database.client.query(
        `SELECT count(*)::int AS count FROM kiln_jobs WHERE error = 'there was no answer within 15 s'`,
      );
      return (rows[0] as { count: number }).count;
    };
    await until(async () => (await failed()) === HOSTS, { limit: 60_000 });
  });
});
