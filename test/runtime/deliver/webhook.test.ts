/** Webhooks to receivers that take them, refuse them, or do wrong. */
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { checkedLookup, isPublic, type Resolve } from '../../../runtime/deliver/public-address.ts';
import { receiverOf, secondsFrom, waitAfterWebhook } from '../../../runtime/deliver/webhook.ts';
import { until } from '../../support/until.ts';
import { withClient } from '../../support/with-client.ts';
import { type Running, run, stopAll } from '../operations/running.ts';
import { type Receiver, receiver, status } from './receiver.ts';

const SECRETS = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [string, string];

const SOURCE = `
model Shop { field name { type string }  relation hooks { from Hook through shop } }
model Hook {
  reference shop { to Shop }
  field url { type string }
  field secret { type string, secret }
  field old_secret { type string, secret, nullable }
  field active { type boolean, default true }
}
model Order {
  reference shop { to Shop }
  field total { type decimal(10, 2) }
  field paid { type boolean, default false }
}
shape OrderCard of Order { id, total, paid, shop { name } }

webhook "order.paid" {
  on update of Order as order when order.paid and not before.paid
  to order.shop.hooks as hook { url hook.url, secret hook.secret, secret hook.old_secret, when hook.active }
  body OrderCard
  gone { update hook { set active false } }
}

api {
  entrypoint Shop { create endpoint {} }
  entrypoint Hook { create endpoint {}  update endpoint {}  get endpoint {} }
  entrypoint Order as order {
    create endpoint {}
    POST one "pay" { action { update order { set paid true } } }
    POST one "fail" { action { update order { set paid true }  refuse "no" } }
  }
}`;

interface Stored {
  readonly kind: string;
  readonly attempt: number;
  readonly error: string | null;
  readonly wait: number;
  readonly failed: boolean;
}

describe('webhooks', () => {
  let partner: Receiver;
  let app: Running;

  before(async () => {
    partner = await receiver();
    app = await run(SOURCE, { environment: { WEBHOOK_PRIVATE: 'allow' } });
    await app.ask('POST /api/shop', { name: 'Books' });
  });
  after(async () => {
    await stopAll();
    await partner.close();
  });
  beforeEach(async () => {
    await app.database.client.query('DELETE FROM kiln_jobs; DELETE FROM hook; ');
    partner.received.length = 0;
    partner.most = 0;
    partner.answer = status(204);
  });

  const hookTo = async (url: string, more: object = {}) => {
    const made = await app.ask('POST /api/hook', { shop_id: 1, url, secret: SECRETS[0], ...more });
    return (made.json as { id: number }).id;
  };
  const paid = async () => {
    const made = await app.ask('POST /api/order', { shop_id: 1, total: '9.90' });
    const { id } = made.json as { id: number };
    await app.ask(`POST /api/order/${id}/pay`);
    return id;
  };
  const stored = async (): Promise<readonly Stored[]> => {
    const { rows } = await app.database.client.query(
      `SELECT kind, attempt, error, failed_at IS NOT NULL AS failed,
        CASE WHEN due_at < 'infinity' THEN extract(epoch FROM due_at - now())::float8 END AS wait FROM kiln_jobs ORDER BY id`,
    );
    return rows as readonly Stored[];
  };
  const tried = async (attempt = 1): Promise<Stored> => {
    const isTried = (job: Stored) => Number(job.attempt) === attempt && job.error !== null;
    await until(async () => (await stored()).some(isTried));
    return (await stored()).find(isTried) as Stored;
  };
  const again = () => app.database.client.query('UPDATE kiln_jobs SET due_at = now()');

  it('are signed as Standard Webhooks say, and carry what was declared', async () => {
    await hookTo(`${partner.url}/hook`);
    const id = await paid();
    await until(() => partner.received.length === 1);
    const { headers, body, path } = partner.received[0] as (typeof partner.received)[number];
    const event = new Webhook(SECRETS[0]).verify(body, headers as Record<string, string>) as Record<string, unknown>;
    expect(path).to.equal('/hook');
    expect(headers['content-type']).to.equal('application/json');
    expect(event).to.deep.include({
      type: 'order.paid',
      data: { id, total: '9.90', paid: true, shop: { name: 'Books' } },
    });
    expect(Math.abs(Date.parse(String(event.timestamp)) - Date.now())).to.be.below(60_000);
    await until(async () => (await stored()).length === 0);
  });

  it('carry what hooks of the record compute, once, whatever the tries', async () => {
    let calls = 0;
    const label = ({ total }: Readonly<Record<string, unknown>>) => `EUR ${total} (${++calls})`;
    const source = SOURCE.replace('shape OrderCard of Order { id,', 'shape OrderCard of Order { label, id,').replace(
      'field paid {',
      'hook label { arg total total, source label from "code.ts" }\n  field paid {',
    );
    const own = await run(source, { code: { label }, environment: { WEBHOOK_PRIVATE: 'allow' } });
    await own.ask('POST /api/shop', { name: 'Books' });
    await own.ask('POST /api/hook', { shop_id: 1, url: partner.url, secret: SECRETS[0] });
    partner.answer = status(500);
    await own.ask('POST /api/order', { shop_id: 1, total: '9.90' });
    calls = 0;
    await own.ask('POST /api/order/1/pay');
    await until(() => partner.received.length === 1);
    await until(
      async () => (await own.database.client.query('SELECT FROM kiln_jobs WHERE error IS NOT NULL')).rowCount === 1,
    );
    await own.database.client.query('UPDATE kiln_jobs SET due_at = now()');
    await until(() => partner.received.length === 2);
    const labels = partner.received.map(({ body }) => (JSON.parse(body) as { data: { label: string } }).data.label);
    expect(labels).to.deep.equal(['EUR 9.90 (1)', 'EUR 9.90 (1)']);
  });

  it('are signed with two secrets while one is replaced', async () => {
    await hookTo(partner.url, { old_secret: SECRETS[1] });
    await paid();
    await until(() => partner.received.length === 1);
    const { headers, body } = partner.received[0] as (typeof partner.received)[number];
    for (const secret of SECRETS) new Webhook(secret).verify(body, headers as Record<string, string>);
    expect(String(headers['webhook-signature']).split(' ')).to.have.length(2);
  });

  it('are signed with one secret where the other is empty', async () => {
    await hookTo(partner.url, { old_secret: '' });
    await paid();
    await until(() => partner.received.length === 1);
    expect(String(partner.received[0]?.headers['webhook-signature']).split(' ')).to.have.length(1);
  });

  it('are told to active receivers only, and not for what is rolled back', async () => {
    await hookTo(partner.url, { active: false });
    await hookTo(`${partner.url}/active`);
    const made = await app.ask('POST /api/order', { shop_id: 1, total: '1.00' });
    expect((await app.ask(`POST /api/order/${(made.json as { id: number }).id}/fail`)).status).to.equal(422);
    await paid();
    await until(async () => partner.received.length > 0 && (await stored()).length === 0);
    expect(partner.received.map(({ path }) => path)).to.deep.equal(['/active']);
  });

  it('are repeated with the same bytes and the same id', async () => {
    partner.answer = status(500);
    await hookTo(partner.url);
    await paid();
    const { error, wait } = await tried();
    expect(error).to.equal('the receiver answered 500');
    expect(wait).to.be.within(2, 6.1);
    await app.ask('POST /api/order', { shop_id: 1, total: '2.00' });
    partner.answer = status(200);
    await again();
    await until(async () => (await stored()).length === 0);
    const [first, second] = partner.received;
    expect(second?.body).to.equal(first?.body);
    expect(second?.headers['webhook-id']).to.equal(first?.headers['webhook-id']);
    new Webhook(SECRETS[0]).verify(second?.body ?? '', second?.headers as Record<string, string>);
  });

  it('follow Retry-After of 429', async () => {
    partner.answer = status(429, { 'retry-after': '4000' });
    await hookTo(partner.url);
    await paid();
    expect((await tried()).wait).to.be.within(3900, 4000);
  });

  it('do not follow redirects', async () => {
    const other = await receiver();
    partner.answer = status(307, { location: other.url });
    await hookTo(partner.url);
    await paid();
    expect((await tried()).error).to.equal('the receiver answered 307: redirects are not followed');
    expect(other.received).to.deep.equal([]);
    await other.close();
  });

  it('do `gone` at 410, and end', async () => {
    partner.answer = status(410);
    const id = await hookTo(partner.url);
    await paid();
    await until(async () => ((await app.ask(`GET /api/hook/${id}`)).json as { active: boolean }).active === false);
    const [job] = await stored();
    expect(job).to.include({ failed: true, error: 'the receiver answered 410' });
  });

  it('do not `gone` after the last try', async () => {
    partner.answer = status(500);
    const id = await hookTo(partner.url);
    await paid();
    await tried();
    await app.database.client.query('UPDATE kiln_jobs SET attempt = 9, due_at = now()');
    await until(async () => (await stored())[0]?.failed === true);
    expect((await app.ask(`GET /api/hook/${id}`)).json).to.include({ active: true });
  });

  it('are tried again where the receiver switches to another protocol', async () => {
    partner.answer = status(101, { connection: 'upgrade', upgrade: 'other' });
    await hookTo(partner.url);
    await paid();
    expect((await tried()).error).to.equal('the receiver closed the connection without an answer');
  });

  it('read nothing behind the status: an answer without an end takes no time and no memory', async () => {
    partner.answer = (response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(1 << 20);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    };
    await hookTo(partner.url);
    await paid();
    await until(async () => partner.received.length === 1 && (await stored()).length === 0, { limit: 10_000 });
  });

  it('fail for good where the secret or the URL cannot be used', async () => {
    await hookTo(partner.url, { secret: 'whsec_short' });
    await hookTo('ftp://example.com');
    await paid();
    await until(async () => (await stored()).filter(({ failed }) => failed).length === 2);
    expect((await stored()).map(({ error }) => error)).to.have.members([
      'the secret of the receiver is not `whsec_` and 24 to 64 bytes in Base64',
      'the URL of the receiver is invalid',
    ]);
    expect(partner.received).to.deep.equal([]);
  });

  it('are given up where the same server claims them again, and only what was claimed last ends them', async () => {
    const open = new Set<ServerResponse>();
    partner.answer = (response) => void open.add(response.on('close', () => open.delete(response)));
    await hookTo(partner.url);
    await paid();
    await until(() => partner.received.length === 1);
    const [first] = open;
    await again();
    await until(() => partner.received.length === 2 && first?.destroyed === true, { limit: 10_000 });
    for (const response of open) response.end();
    await until(async () => (await stored()).length === 0);
  });

  it('go to one host at most two at a time', async () => {
    partner.answer = (response) => void setTimeout(() => response.end(), 20);
    for (let made = 0; made < 10; made += 1) await hookTo(`${partner.url}/${made}`);
    await paid();
    await until(async () => partner.received.length === 10 && (await stored()).length === 0);
    expect(partner.most).to.equal(2);
  });

  it('wait longer after each try, three days in all', () => {
    const waits = Array.from({ length: 9 }, (_, at) => waitAfterWebhook(at + 1, 0.5));
    expect(waits).to.deep.equal([...waits].sort((a, b) => a - b));
    expect(waits.reduce((sum, wait) => sum + wait) / 86_400).to.be.within(3, 3.3);
  });

  it('read Retry-After as seconds or as a date, at most a day', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(secondsFrom('120', now)).to.equal(120);
    expect(secondsFrom('Thu, 01 Jan 2026 00:01:00 GMT', now)).to.equal(60);
    expect(secondsFrom('Wed, 31 Dec 2025 00:00:00 GMT', now)).to.equal(0);
    expect(secondsFrom('999999999', now)).to.equal(86_400);
    expect(secondsFrom('soon', now)).to.equal(null);
  });
});

describe('many webhooks at once', () => {
  after(stopAll);

  it('wait for each other, and take no connections from jobs', async () => {
    const partner = await receiver(status(500));
    const environment = { WEBHOOK_PRIVATE: 'allow', JOBS: '1', DATABASE_ACQUIRE_TIMEOUT: '200ms' };
    const job = 'model Note { field text { type string } }\njob Write { action { create Note { set text "done" } } }';
    const { ask, database } = await run(`${job}${SOURCE}`, { environment });
    const numberOf = async (where: string) => {
      const { rows } = await database.client.query(`SELECT count(*)::int AS n FROM kiln_jobs WHERE ${where}`);
      return (rows[0] as { n: number }).n;
    };
    await ask('POST /api/shop', { name: 'Books' });
    for (let made = 0; made < 10; made += 1)
      await ask('POST /api/hook', { shop_id: 1, url: partner.url, secret: SECRETS[0] });
    await ask('POST /api/order', { shop_id: 1, total: '9.90' });
    await ask('POST /api/order/1/pay');
    await until(async () => (await numberOf(`error = 'the receiver answered 500'`)) === 10);
    partner.answer = status(204);
    await withClient(database.url, async (client) => {
      await client.query('BEGIN; LOCK TABLE hook');
      await database.client.query('UPDATE kiln_jobs SET due_at = now()');
      await until(async () => (await numberOf('attempt = 2')) === 10);
      await database.client.query(`INSERT INTO kiln_jobs (kind, input) VALUES ('Write()', '{}')`);
      await until(async () => (await numberOf(`kind = 'Write()'`)) === 0, { limit: 5000 });
      await client.query('ROLLBACK');
    });
    await until(async () => (await numberOf('true')) === 0, { limit: 5000 });
    expect(partner.received).to.have.length(20);
    await partner.close();
  });
});

describe('the addresses of receivers', () => {
  const parts = (url: string) => ({ url, secret: SECRETS[0], body: '{}' });
  const refused = [
    'https://127.0.0.1',
    'https://169.254.169.254/latest',
    'https://10.1.2.3',
    'https://172.20.0.1',
    'https://192.168.0.9',
    'https://100.64.1.1',
    'https://0.0.0.0',
    'https://224.0.0.1',
    'https://255.255.255.255',
    'https://2130706433',
    'https://0x7f.1',
    'https://017700000001',
    'https://[::1]',
    'https://[::]',
    'https://[::ffff:127.0.0.1]',
    'https://[::ffff:a9fe:a9fe]',
    'https://[fe80::1]',
    'https://[fd00::1]',
    'https://[ff02::1]',
    'https://[64:ff9b::a9fe:a9fe]',
    'https://[2002:7f00:1::]',
    'https://[2001:db8::1]',
    'http://example.com',
    'https://user:pass@example.com',
    'example.com',
  ];

  for (const url of refused)
    it(`${url} is refused`, () => expect(() => receiverOf(parts(url), { isPrivateAllowed: false })).to.throw());

  it('public ones are taken, on any port', () => {
    for (const url of ['https://example.com:8443/a?b', 'https://93.184.216.34', 'https://[2606:2800:220:1::1]'])
      expect(receiverOf(parts(url), { isPrivateAllowed: false }).href).to.include(url);
  });

  it('are refused where one of several addresses of a name is not public', async () => {
    expect(isPublic('8.8.8.8')).to.equal(true);
    await expectRefused(async () => [
      { address: '8.8.8.8', family: 4 },
      { address: '169.254.169.254', family: 4 },
    ]);
    await expectRefused(async () => [{ address: '::ffff:10.0.0.1', family: 6 }]);
  });

  it('are looked up once: a name that changes its address is connected to as it was checked', async () => {
    const answers = ['8.8.8.8', '127.0.0.1'];
    const lookup = checkedLookup(async () => [{ address: answers.shift() as string, family: 4 }]);
    const found = await new Promise((resolve) =>
      lookup('example.com', { all: true }, (error, address) => resolve(error ?? address)),
    );
    expect(found).to.deep.equal([{ address: '8.8.8.8', family: 4 }]);
    expect(answers).to.have.length(1);
  });

  async function expectRefused(resolve: Resolve): Promise<void> {
    const error = await new Promise<unknown>((told) => checkedLookup(resolve)('example.com', {}, told));
    expect((error as Error).message).to.equal('the address of the receiver is not public');
  }
});
