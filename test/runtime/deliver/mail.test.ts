/** Mails through a real mail server, which may be down, refuse, or fall silent. */
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { type Running, run, stopAll } from '../operations/running.ts';
import { type MailServer, mailServer } from './mail-server.ts';

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
    await app.ask('POST /api/customer', { email: 'ada@example.com', name: 'Ada <3' });
    await app.ask('POST /api/order', { customer_id: 1, number: 'A-1' });
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
});
