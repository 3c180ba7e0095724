/** Requests of other services: only signed ones are done, and each once. */
import { createHmac, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { serializableEndpoints } from '../../../compiler/definition/serializable.ts';
import { type Asked, ask } from '../http/serving.ts';
import { bearer, type Code, countOf, gate, type Received, type Running, run, stopAll, waiting } from './running.ts';

const SHOP = `
setting STRIPE_SECRET { secret }
setting GITHUB_SECRET { secret }
setting PARTNER_SECRET { secret }
setting LEAST { type integer, default 0 }
model User { field email { type string, unique }, field hash { type string, secret } }
auth { model User, login email, password hash, register off }
model Payment {
  field event { type string }
  field amount { type integer, default 0 }
  field closed { type boolean, default false }
}
model Ticket { field event { type string } }
job Note { input event { type string }  action { create Payment { set event "job " + event } } }
api {
  entrypoint Payment as payment {
    authorize { @auth is not null and setting(LEAST) < 5 }
    inputs under "payment"
    create endpoint {}
    POST many "stripe" {
      signed by stripe { secret STRIPE_SECRET }
      extra inputs { field id { type string }, field data { type json } }
      action {
        execute as read { hook { arg data data, inline "data.object", returns { amount: integer } } }
        create Payment { set event id, set amount read.amount }
        run Note { event: id }
      }
    }
    POST many "other" {
      signed by stripe { secret STRIPE_SECRET }
      extra inputs { field id { type string } }
      action { create Payment { set event "other " + id } }
    }
    POST many "limited" {
      signed by stripe { secret STRIPE_SECRET }
      action {
        query as all { from Ticket, count }
        refuse "full" when all > 100
        create Ticket { set event "limited" }
      }
    }
    POST many "one-write" {
      signed by stripe { secret STRIPE_SECRET }
      action { create Payment { input { event, amount } } }
    }
    POST many "github" {
      signed by github { secret GITHUB_SECRET }
      authorize { @request.header("x-github-event") is not "ping" }
      action { create Payment { set event "github" } }
    }
    POST many "partner" {
      signed by standard { secret PARTNER_SECRET }
      extra inputs { field type { type string } }
      inputs under "message"
      action { create Payment as made { set event type } respond { body { made: made.id } } }
    }
    POST one "close" {
      signed by standard { secret PARTNER_SECRET }
      action {
        refuse "closed" when payment.closed { status 409 }
        update payment { set closed true }
      }
    }
    POST many "code" {
      signed by standard { secret PARTNER_SECRET }
      extra inputs { field type { type string } }
      action {
        create Payment { set event type }
        execute { hook { arg type type, source work from "code" } }
      }
    }
  }
}
`;

const STRIPE_SECRET = 'whsec_of_stripe';
const GITHUB_SECRET = 'It\'s "quoted"';
const PARTNER_SECRET = `whsec_${Buffer.from('a key of twenty-four byte').toString('base64')}`;
const AT_ONCE = 20;

const seconds = (moved = 0) => Math.floor(Date.now() / 1000) + moved;
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

function byStripe(content: object, at = seconds(), secret = STRIPE_SECRET): Message {
  const body = JSON.stringify(content);
  return { body, headers: { 'stripe-signature': `t=${at},v1=${hmac(secret, `${at}.${body}`).digest('hex')}` } };
}

function byGithub(content: object, delivery = randomUUID(), event = 'push'): Message {
  const body = JSON.stringify(content);
  const signature = `sha256=${hmac(GITHUB_SECRET, body).digest('hex')}`;
  return {
    body,
    headers: { 'x-hub-signature-256': signature, 'x-github-delivery': delivery, 'x-github-event': event },
  };
}

function byPartner(content: object, id = randomUUID() as string, at = seconds()): Message {
  const body = JSON.stringify(content);
  const key = Buffer.from(PARTNER_SECRET.slice('whsec_'.length), 'base64');
  const signature = `v1,${hmac(key, `${id}.${at}.${body}`).digest('base64')}`;
  return { body, headers: { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature } };
}

const paid = (id: string, amount = 5) => ({
  id,
  type: 'paid',
  data: { object: { amount, more: [1] } },
  livemode: true,
});

for (const lane of ['fast', 'express'] as const)
  describe(`a signed endpoint (${lane})`, () => {
    let app: Running;
    let code: Code;

    before(async () => {
      app = await run(SHOP, {
        lane,
        code: { work: (args, context) => code(args, context) },
        environment: { STRIPE_SECRET, GITHUB_SECRET, PARTNER_SECRET, DATABASE_POOL_MAX: '4', BODY_LIMIT: '2000' },
      });
    });

    beforeEach(async () => {
      code = () => undefined;
      await app.database.client.query('TRUNCATE payment, ticket');
    });

    after(stopAll);

    function send(path: string, { body, headers }: Message, more: Asked = {}): Promise<Received> {
      const all = { 'content-type': 'application/json', ...headers, ...(more.headers as object) };
      return ask(app.port, `/api/payment/${path}`, { method: 'POST', body, ...more, headers: all } as Asked);
    }

    const events = async (): Promise<readonly string[]> => {
      const { rows } = await app.database.client.query(
        'SELECT event, id FROM payment UNION ALL SELECT event, id FROM ticket ORDER BY id',
      );
      return rows.map(({ event }) => event);
    };

    const until = async (holds: () => Promise<boolean>): Promise<void> => {
      while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
    };

    it('does what a service has signed, without a token, and takes its inputs at the root', async () => {
      const { status, text } = await send('stripe', byStripe(paid('evt_1', 70)));
      expect([status, text]).to.deep.equal([204, '']);
      await until(async () => (await events()).length === 2);
      expect(await events()).to.deep.equal(['evt_1', 'job evt_1']);
      const { rows } = await app.database.client.query('SELECT amount FROM payment ORDER BY id');
      expect(rows[0].amount).to.equal('70');
      expect((await send('github', byGithub({}))).status).to.equal(204);
      expect((await send('one-write', byStripe({ id: 'evt_2', event: 'a', amount: 1 }))).status).to.equal(204);
    });

    it('does not look at a token, which may be that of the service', async () => {
      const { status } = await send('other', byStripe({ id: 'evt_3' }), { headers: bearer('of-the-service') });
      expect(status).to.equal(204);
    });

    it('has the key of its own inputs, and not that of the entrypoint', async () => {
      const { status, json } = await send('partner', byPartner({ message: { type: 'a' } }));
      expect([status, typeof json.made]).to.deep.equal([200, 'number']);
      expect((await send('partner', byPartner({ message: { type: 7 } }))).json).to.deep.include({
        code: 'validation-failed',
      });
    });

    it('does a message once, and answers 200 to its repeats', async () => {
      const message = byPartner({ message: { type: 'once' } });
      const [first, second, third] = [
        await send('partner', message),
        await send('partner', message),
        await send('partner', byPartner({ message: { type: 'once' } }, message.headers['webhook-id'])),
      ];
      expect([first?.status, second?.status, third?.status]).to.deep.equal([200, 200, 200]);
      expect([second?.text, third?.text]).to.deep.equal(['', '']);
      expect(await events()).to.deep.equal(['once']);
    });

    it('does a message once for each endpoint, and each scheme has its own id', async () => {
      const at = seconds();
      expect((await send('stripe', byStripe(paid('evt_5'), at))).status).to.equal(204);
      expect((await send('other', byStripe(paid('evt_5'), at))).status).to.equal(204);
      const delivery = randomUUID();
      const github = [byGithub({ a: 1 }, delivery), byGithub({ a: 1 }, delivery), byGithub({ a: 1 })];
      const statuses = [];
      for (const message of github) statuses.push((await send('github', message)).status);
      expect(statuses).to.deep.equal([204, 200, 204]);
    });

    for (const [path, done] of [
      ['stripe', ['evt_at_once', 'job evt_at_once']],
      ['limited', ['limited']],
    ] as const)
      it(`does one of ${AT_ONCE} that come at the same time to ${path}`, async () => {
        const message = byStripe(paid('evt_at_once'));
        const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(path, message)));
        const statuses = countOf(answers.map(({ status }) => status));
        expect([statuses.get(204), statuses.get(200)]).to.deep.equal([1, AT_ONCE - 1]);
        await until(async () => (await events()).length === done.length);
        expect(await events()).to.deep.equal(done);
      });

    it('is serializable where its rules need that', () => {
      const ids = [...serializableEndpoints(app.definition).keys()];
      expect(ids).to.deep.equal(['payment.limited']);
    });

    it('lets a repeat wait for the first one, and do it if the first one fails', async () => {
      const held = gate();
      const begun = gate();
      let tries = 0;
      code = async () => {
        tries++;
        begun.open();
        await held.passed;
        if (tries === 1) throw new Error('the first one fails');
      };
      const message = byPartner({ type: 'again' });
      const first = send('code', message);
      await begun.passed;
      const second = send('code', message);
      await until(async () => (await waiting(app)) === 1);
      held.open();
      expect([(await first).status, (await second).status, tries]).to.deep.equal([500, 204, 2]);
      expect(await events()).to.deep.equal(['again']);
    });

    it('can be repeated where it was refused', async () => {
      const { rows } = await app.database.client.query(
        "INSERT INTO payment (event, closed) VALUES ('x', true) RETURNING id",
      );
      const message = byPartner({});
      const path = `${rows[0].id}/close`;
      expect((await send(path, message)).json).to.deep.include({ status: 409, code: 'closed' });
      await app.database.client.query('UPDATE payment SET closed = false');
      expect((await send(path, message)).status).to.equal(204);
      expect((await send(path, message)).status).to.equal(200);
    });

    it('answers 404 for a missing record, only to those who have signed', async () => {
      expect((await send('999999/close', byPartner({}))).status).to.equal(404);
      expect((await send('999999/close', { body: '{}', headers: {} })).status).to.equal(401);
    });

    it('refuses with one text what is altered, old, of the future, unsigned or signed by another', async () => {
      const right = byStripe(paid('evt_wrong'));
      const wrong: readonly Message[] = [
        { ...right, body: `${right.body} ` },
        { ...right, body: '' },
        { ...right, headers: {} },
        { ...right, headers: { 'stripe-signature': right.headers['stripe-signature']?.slice(0, -1) ?? '' } },
        byStripe(paid('evt_wrong'), seconds(-310)),
        byStripe(paid('evt_wrong'), seconds(310)),
        byStripe(paid('evt_wrong'), seconds(), 'another'),
        byPartner(paid('evt_wrong')),
      ];
      for (const message of wrong) {
        const { status, json } = await send('stripe', message);
        expect([status, json.code, json.detail]).to.deep.equal([
          401,
          'unauthenticated',
          'The signature is missing, wrong or too old.',
        ]);
      }
      expect(await events()).to.deep.equal([]);
      expect((await send('stripe', byStripe(paid('evt_wrong'), seconds(-290)))).status).to.equal(204);
    });

    it('verifies the bytes before it reads them', async () => {
      const body = '{ not json';
      const at = seconds();
      const headers = { 'stripe-signature': `t=${at},v1=${hmac(STRIPE_SECRET, `${at}.${body}`).digest('hex')}` };
      expect((await send('stripe', { body, headers: {} })).status).to.equal(401);
      expect((await send('stripe', { body, headers })).status).to.equal(400);
      const id = (await send('stripe', byStripe({ type: 'without an id' }))).json;
      expect(id.detail).to.equal('The request has no id by which a repeat could be recognised.');
    });

    it('refuses a body that is too large, or a form', async () => {
      expect((await send('stripe', byStripe({ id: 'evt_large', text: 'x'.repeat(3000) }))).status).to.equal(413);
      const form = await send('github', byGithub({}), {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect([form.status, form.json.detail]).to.deep.equal([
        415,
        'The content-type of the body must be application/json, but it is application/x-www-form-urlencoded.',
      ]);
    });

    it('holds to its own rule, and to what the rule of the entrypoint says about others than the caller', async () => {
      expect((await send('github', byGithub({}, randomUUID(), 'ping'))).status).to.equal(401);
      const other = await run(SHOP, {
        lane,
        code: { work: () => undefined },
        environment: { STRIPE_SECRET, GITHUB_SECRET, PARTNER_SECRET, LEAST: '5' },
      });
      const { body, headers } = byStripe({ id: 'evt_rule' });
      const all = { 'content-type': 'application/json', ...headers };
      const { status } = await ask(other.port, '/api/payment/other', { method: 'POST', body, headers: all });
      expect(status).to.equal(401);
    });

    it('writes no secret and no signature to the log', async () => {
      await send('stripe', byStripe(paid('evt_log')));
      await send('stripe', { body: '{}', headers: {} });
      const log = JSON.stringify(app.lines);
      for (const secret of [STRIPE_SECRET, PARTNER_SECRET, 'v1=']) expect(log).not.to.contain(secret);
    });
  });

describe('what is remembered of signed requests', () => {
  after(stopAll);

  it('is a digest, which is removed after 72 hours', async () => {
    const environment = { STRIPE_SECRET, GITHUB_SECRET, PARTNER_SECRET };
    const app = await run(SHOP, { code: { work: () => undefined }, environment, sweepEvery: 20 });
    const { client } = app.database;
    const { body, headers } = byStripe({ id: 'evt_kept' });
    const message = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
    const statuses = [];
    for (const isOver of [false, false, true]) {
      if (isOver) {
        await client.query("UPDATE kiln_received SET ends_at = ends_at - interval '72 hours'");
        while ((await client.query('SELECT FROM kiln_received')).rowCount !== 0)
          await new Promise((resolve) => setTimeout(resolve, 10));
      }
      statuses.push((await ask(app.port, '/api/payment/other', message)).status);
    }
    expect(statuses).to.deep.equal([204, 200, 204]);
    const { rows } = await client.query(
      "SELECT length(key) AS length, ends_at - now() BETWEEN interval '71 hours' AND interval '72 hours' AS kept FROM kiln_received",
    );
    expect(rows).to.deep.equal([{ length: 32, kept: true }]);
  });

  it('needs a secret of the right form', async () => {
    const environment = { STRIPE_SECRET, GITHUB_SECRET, PARTNER_SECRET: 'secret' };
    const failed = await run(SHOP, { code: { work: () => undefined }, environment }).catch(
      (error: Error) => error.message,
    );
    expect(failed).to.equal('PARTNER_SECRET must be `whsec_` and at least 16 bytes in Base64.');
  });
});
