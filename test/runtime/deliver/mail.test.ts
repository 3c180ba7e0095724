/** Mails through a real mail server, which may be down, refuse, or fall silent. */
import { expect } from 'chai';
import { itSlowly } from '../../support/slow.ts';
import { until } from '../../support/until.ts';
import { type Running, run, stopAll } from '../operations/running.ts';
import { type Answer, type MailServer, mailServer } from './mail-server.ts';

const SOURCE = `
model Customer { field email { type string } field name { type string } }
model Order {
  reference customer { to Customer }
  field number { type string }
  field total { type decimal(10, 2), default 10.5 }
  field note { type string, nullable }
}
mail Receipt {
  input order { to Order }
  to order.customer.email
  subject "Order " + order.number
  body "receipt.html"
}
api {
  entrypoint Customer { create endpoint {} }
  entrypoint Order as order {
    create endpoint {}
    POST one "send" { action { send Receipt { order: order } } }
  }
}`;

const FILES = {
  'mails/receipt.html': '<p>Thank you, <b>{{ order.customer.name }}</b>: {{ order.total * 2 }}, {{ order.note }}</p>',
};

describe('mails', () => {
  let server: MailServer;
  let app: Running;

  before(async () => {
    server = await mailServer();
    const environment = { MAIL_URL: server.url, MAIL_FROM: 'Shop <shop@example.com>' };
    app = await run(SOURCE, { files: FILES, environment });
    await addOrder(app);
  });
  beforeEach(async () => {
    server.answer = 'take';
    server.received.length = 0;
    await app.database.client.query(`DELETE FROM kiln_jobs; UPDATE customer SET email = 'ada@example.com'`);
  });
  after(async () => {
    await stopAll();
    await server.close();
  });

  it('are sent with what was declared', async () => {
    expect((await app.ask('POST /api/order/1/send')).status).to.equal(204);
    await until(() => server.received.length === 1);
    const [mail] = server.received;
    expect(mail?.to).to.deep.equal(['ada@example.com']);
    expect(mail?.headers.get('subject')).to.equal('Order A-1');
    expect(mail?.headers.get('from')).to.equal('Shop <shop@example.com>');
    expect(mail?.headers.get('message-id')).to.match(/^<\d+@example\.com>$/);
    expect(mail?.raw).to.include('<p>Thank you, <b>Ada &lt;3</b>: 21.00, </p>');
    expect(mail?.raw).to.include('Thank you, Ada <3: 21.00,');
  });

  it('that a server has refused for now are sent again as the same mail', async () => {
    const mail = await sentWith(451, 1);
    await until(async () => ((await storedJob())?.error ?? '') !== '');
    expect(await storedJob()).to.include({ failed: false, error: 'the mail server answered 451' });
    server.answer = 'take';
    await makeDue();
    await until(() => server.received.length === 2);
    expect(server.received[1]?.headers.get('message-id')).to.equal(mail?.headers.get('message-id'));
    await until(async () => (await storedJob()) === undefined);
  });

  it('that a server has refused for good fail at once, without an address in the log', async () => {
    await sentWith(550, 1);
    await until(async () => (await storedJob())?.failed === true);
    expect((await storedJob())?.error).to.equal('the mail server answered 550');
    expect(JSON.stringify(app.lines)).to.not.include('ada@example.com');
  });

  it('wait while there is no server', async () => {
    await server.close();
    await app.ask('POST /api/order/1/send');
    await until(async () => ((await storedJob())?.error ?? '') !== '');
    expect(await storedJob()).to.include({ failed: false, error: 'the mail server could not be used (ESOCKET)' });
    server = await mailServer({}, server.port);
    await makeDue();
    await until(() => server.received.length === 1);
  });

  itSlowly('whose server says nothing after the data are given up after a time, and sent again', async () => {
    await sentWith('hang', 1);
    await until(async () => ((await storedJob())?.error ?? '') !== '', { limit: 60_000 });
    expect(await storedJob()).to.include({ failed: false, error: 'the mail server could not be used (ETIMEDOUT)' });
    server.answer = 'take';
    await makeDue();
    await until(() => server.received.length === 2);
  });

  it('to an address that is none fail at once', async () => {
    await app.database.client.query(`UPDATE customer SET email = 'ada@example.com\nBcc: eve@example.com'`);
    await app.ask('POST /api/order/1/send');
    await until(async () => (await storedJob())?.failed === true);
    expect(await storedJob()).to.include({ error: 'the address of the mail is not valid' });
    expect(server.received).to.deep.equal([]);
  });

  it('go through TLS, and not to a server whose certificate nobody knows', async () => {
    const secure = await mailServer({ secure: true });
    const environment = { MAIL_URL: secure.url, MAIL_FROM: 'shop@example.com' };
    const other = await run(SOURCE, { files: FILES, environment });
    await addOrder(other);
    await other.ask('POST /api/order/1/send');
    const errorOf = async () => (await other.database.client.query('SELECT error FROM kiln_jobs')).rows[0]?.error;
    await until(async () => (await errorOf()) !== null);
    expect(await errorOf()).to.match(/^the certificate of the mail server is not trusted \(E(TLS|SOCKET)\)$/);
    expect(secure.received).to.deep.equal([]);
    await run(SOURCE, {
      files: FILES,
      environment: { ...environment, MAIL_URL: `${secure.url}?tls.rejectUnauthorized=false` },
    }).then(async (trusting) => {
      await addOrder(trusting);
      await trusting.ask('POST /api/order/1/send');
    });
    await until(() => secure.received.length === 1);
    await secure.close();
  });

  it('are not sent with a password over a connection without TLS', async () => {
    const passwords: unknown[] = [];
    const open = await mailServer({
      allowInsecureAuth: true,
      onAuth: ({ password }, _, done) => {
        passwords.push(password);
        done(null, { user: 'shop' });
      },
    });
    const url = open.url.replace('//', '//shop:a-password@');
    const sending = async (MAIL_URL: string) => {
      const other = await run(SOURCE, { files: FILES, environment: { MAIL_URL, MAIL_FROM: 'shop@example.com' } });
      await addOrder(other);
      await other.ask('POST /api/order/1/send');
      return other;
    };
    const other = await sending(url);
    const errorOf = async () => (await other.database.client.query('SELECT error FROM kiln_jobs')).rows[0]?.error;
    await until(async () => (await errorOf()) !== null);
    expect(await errorOf()).to.equal('the mail server could not be used (ETLS 500)');
    expect(passwords).to.deep.equal([]);
    await sending(`${url}?requireTLS=false`);
    await until(() => open.received.length === 1);
    expect(passwords).to.deep.equal(['a-password']);
    expect(JSON.stringify([app.lines, other.lines])).to.not.include('a-password');
    await open.close();
  });

  async function sentWith(answer: Answer, count: number) {
    server.answer = answer;
    await app.ask('POST /api/order/1/send');
    await until(() => server.received.length === count);
    return server.received.at(-1);
  }

  async function storedJob(): Promise<{ readonly failed: boolean; readonly error: string | null } | undefined> {
    const sql = 'SELECT failed_at IS NOT NULL AS failed, error FROM kiln_jobs';
    return (await app.database.client.query(sql)).rows[0];
  }

  async function makeDue(): Promise<void> {
    await until(
      async () => (await app.database.client.query('SELECT FROM kiln_jobs WHERE running_on IS NULL')).rowCount === 1,
    );
    await app.database.client.query('UPDATE kiln_jobs SET due_at = now()');
  }
});

async function addOrder(app: Running): Promise<void> {
  await app.ask('POST /api/customer', { email: 'ada@example.com', name: 'Ada <3' });
  await app.ask('POST /api/order', { customer_id: 1, number: 'A-1' });
}
