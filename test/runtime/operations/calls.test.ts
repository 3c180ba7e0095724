/** `call`: what stands before it is committed, its code runs once and holds nothing, what follows reads again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { pathPattern } from '../../../compiler/definition/contract/routes.ts';
import type { Endpoint } from '../../../compiler/definition/endpoint.ts';
import type { HookContext } from '../../../runtime/hooks/context.ts';
import { planOf } from '../../../runtime/plan/endpoint-plan.ts';
import { until } from '../../support/until.ts';
import { createProxy, type TcpProxy } from '../database/tcp-proxy.ts';
import { bearer, type Code, countOf, type Running, run, stopAll } from './running.ts';

const SHOP = `
model User { field email { type string, unique }, field hash { type string, secret }, relation orders { from Order, through buyer } }
auth { model User, login email, password hash }
model Order {
  reference buyer { to User, nullable, on delete cascade }
  field status { type string, default "open" }
  field reference { type string, nullable }
  field note { type string, default "" }
  relation lines { from Line, through order }
  computed total { coalesce(sum(lines.amount), 0) }
}
model Line { reference order { to Order, on delete cascade }, field amount { type integer } }
model Trace { field text { type string } }
api {
  entrypoint Order as order {
    only { order.status is not "paying" }
    create endpoint {}
    get endpoint {}
    POST one "lines" { action { create order.lines as line { input { amount } } } }
    POST one "pay" {
      action {
        refuse "not-open" when order.status is not "open" { status 409 }
        refuse "empty" when count(order.lines) is 0
        update order { set status "paying" }
        call as payment {
          hook { arg order order.id, arg amount order.total, source charge from "code", returns { id: string } }
          on failure { update order { set status "open" } create Trace { set text "failed" } }
          timeout seconds(1)
        }
        update order { set status "paid", set reference payment.id, set note order.note + "!" }
      }
    }
    POST one "plain" { action { call { hook { source charge from "code" } } } }
    POST one "twice" {
      action {
        create Trace as first { set text "one" }
        call as one { hook { arg text first.text, source charge from "code", returns { id: string } } }
        update first { set text first.text + one.id }
        call as two { hook { arg text first.text, source charge from "code", returns { id: string } } }
        update first as last { set text first.text + two.id }
        respond { body last.text }
      }
    }
    POST one "refused" {
      action {
        update order { set status "called" }
        call { hook { source charge from "code" } }
        update order { set status "never" }
        refuse "too-late" when order.status is "called" { status 409 }
      }
    }
    POST one "mine" {
      authorize { @auth is not null }
      action {
        call { hook { source charge from "code" } }
        update order { set buyer @auth }
      }
    }
    POST one "remove" {
      action {
        delete order {}
        call { hook { source charge from "code" } on failure { create Trace { set text "kept " + order.note } } }
        respond { body order.note }
      }
    }
    delete endpoint { action { delete order {} call { hook { source charge from "code" } } } }
  }
}
`;

interface Call {
  readonly args: Readonly<Record<string, unknown>>;
  readonly id: string;
}

const AT_ONCE = 20;

describe('a call', () => {
  let app: Running;
  let calls: Call[] = [];
  let charge: Code;

  before(async () => {
    app = await run(SHOP, {
      code: {
        charge: (args, context) => {
          calls.push({ args, id: context.call?.id ?? '' });
          return charge(args, context);
        },
      },
      environment: { DATABASE_POOL_MAX: '4' },
    });
  });

  beforeEach(() => {
    calls = [];
    charge = () => ({ id: 'ch' });
  });

  after(stopAll);

  const sql = async (text: string, values: readonly unknown[] = []) =>
    (await app.database.client.query(text, [...values])).rows;

  const newOrder = async (): Promise<number> => {
    const { json } = await app.ask('POST /api/order', {});
    await app.ask(`POST /api/order/${json.id}/lines`, { amount: 7 });
    return Number(json.id);
  };

  const statusOf = async (order: number) => (await sql('SELECT status FROM "order" WHERE id = $1', [order]))[0]?.status;

  it('sees what is before it committed, has its result behind it, and the record as it is then', async () => {
    const order = await newOrder();
    charge = async () => {
      expect(await statusOf(order)).to.equal('paying');
      await sql(`UPDATE "order" SET note = 'changed' WHERE id = $1`, [order]);
      return { id: 'ch_1' };
    };
    expect((await app.ask(`POST /api/order/${order}/pay`)).status).to.equal(204);
    expect(calls.map(({ args }) => args)).to.deep.equal([{ order, amount: 7 }]);
    const [row] = await sql('SELECT status, reference, note FROM "order" WHERE id = $1', [order]);
    expect(row).to.deep.equal({ status: 'paid', reference: 'ch_1', note: 'changed!' });
  });

  it('is not followed by a read of what only the rules before it need', () => {
    const pay = app.definition.endpoints.find(({ path }) => pathPattern(path).endsWith('/pay')) as Endpoint;
    const [first, second] = planOf(pay, app.definition).parts;
    expect(JSON.stringify(pay.records)).to.include('"Line"');
    expect(first?.call).to.not.equal(null);
    expect(second?.again.map(({ record }) => record)).to.deep.equal(['order']);
    expect(JSON.stringify(second?.again)).to.not.include('"Line"');
  });

  it('holds no connection', async () => {
    const orders = await Promise.all(Array.from({ length: AT_ONCE }, newOrder));
    let arrived = 0;
    // Nobody goes on before all are here: with a connection each, four of them would be the most.
    charge = async () => {
      arrived++;
      for (let tries = 0; arrived < AT_ONCE && tries < 500; tries++) await sleep(10);
      return { id: 'ch' };
    };
    const slow = orders.map((order) => app.ask(`POST /api/order/${order}/plain`));
    expect(countOf((await Promise.all(slow)).map(({ status }) => status))).to.deep.equal(new Map([[204, AT_ONCE]]));
    expect(arrived).to.equal(AT_ONCE);
  });

  it('of 20 customers who pay 20 orders at once charges each once, and all are paid', async () => {
    const orders = await Promise.all(Array.from({ length: AT_ONCE }, newOrder));
    charge = ({ order }) => sleep(5).then(() => ({ id: `ch_${order}` }));
    const answers = await Promise.all(orders.map((order) => app.ask(`POST /api/order/${order}/pay`)));
    expect(countOf(answers.map(({ status }) => status))).to.deep.equal(new Map([[204, AT_ONCE]]));
    expect(calls.map(({ args }) => args.order).sort()).to.deep.equal([...orders].sort());
    const paid = await sql(`SELECT id FROM "order" WHERE status = 'paid' AND reference = 'ch_' || id`);
    expect(paid.map(({ id }) => Number(id))).to.include.members(orders);
  });

  it('charges once where many pay one order', async () => {
    const order = await newOrder();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => app.ask(`POST /api/order/${order}/pay`)));
    const statuses = countOf(answers.map(({ status }) => status));
    expect([statuses.get(204), calls.length]).to.deep.equal([1, 1]);
    expect(await statusOf(order)).to.equal('paid');
  });

  for (const [what, fails, status] of [
    ['throws an answer', () => Promise.reject({ status: 402, message: 'No money' }), 402],
    ['fails', () => Promise.reject(new Error('the service is down')), 500],
    ['takes too long', () => sleep(3000), 504],
    ['gives something else than it declares', () => ({ id: 7 }), 500],
  ] as const)
    it(`that ${what} is followed by \`on failure\`, and its error is the answer`, async () => {
      const order = await newOrder();
      await sql('DELETE FROM trace');
      charge = fails as Code;
      expect((await app.ask(`POST /api/order/${order}/pay`)).status).to.equal(status);
      expect(await statusOf(order)).to.equal('open');
      expect(await sql('SELECT text FROM trace')).to.deep.equal([{ text: 'failed' }]);
    });

  it('without `on failure` leaves what is before it', async () => {
    const order = await newOrder();
    charge = () => Promise.reject({ status: 402 });
    expect((await app.ask(`POST /api/order/${order}/refused`)).status).to.equal(402);
    expect(await statusOf(order)).to.equal('called');
  });

  it('whose `on failure` fails answers with the first error, and logs the second', async () => {
    const order = await newOrder();
    charge = async () => {
      await sql('DELETE FROM "order" WHERE id = $1', [order]);
      throw { status: 402, message: 'No money' };
    };
    expect((await app.ask(`POST /api/order/${order}/pay`)).status).to.equal(402);
    expect(app.lines.some(({ msg }) => msg === 'the `on failure` of a call failed')).to.equal(true);
  });

  it('is a 404 where the record is gone behind it', async () => {
    const order = await newOrder();
    charge = async () => {
      await sql('DELETE FROM "order" WHERE id = $1', [order]);
      return { id: 'ch' };
    };
    const { status, json } = await app.ask(`POST /api/order/${order}/pay`);
    expect([status, json.code]).to.deep.equal([404, 'not-found']);
  });

  it('does not miss what the request has deleted itself', async () => {
    const order = await newOrder();
    expect((await app.ask(`DELETE /api/order/${order}`)).status).to.equal(204);
    expect([calls.length, await statusOf(order)]).to.deep.equal([1, undefined]);
  });

  it('has what the request has deleted behind it as it was, and so has its `on failure`', async () => {
    const [one, other] = [await newOrder(), await newOrder()];
    await sql(`UPDATE "order" SET note = 'mine'`);
    expect((await app.ask(`POST /api/order/${one}/remove`)).json).to.equal('mine');
    charge = () => Promise.reject({ status: 402 });
    await sql('DELETE FROM trace');
    expect((await app.ask(`POST /api/order/${other}/remove`)).status).to.equal(402);
    expect(await sql('SELECT text FROM trace')).to.deep.equal([{ text: 'kept mine' }]);
  });

  it('is followed by a transaction of its own: what is refused there undoes nothing else', async () => {
    const order = await newOrder();
    const { status, json } = await app.ask(`POST /api/order/${order}/refused`);
    expect([status, json.code]).to.deep.equal([409, 'too-late']);
    expect(await statusOf(order)).to.equal('called');
  });

  it('may be followed by another one', async () => {
    const order = await newOrder();
    charge = ({ text }) => ({ id: `<${text}>` });
    const { json } = await app.ask(`POST /api/order/${order}/twice`);
    // What is read of a record is a snapshot: the second argument is the text before the update beside it.
    expect(json).to.equal('one<one><one>');
    expect(new Set(calls.map(({ id }) => id)).size).to.equal(2);
  });

  it('has an id that is the same for the same request with the same key', async () => {
    const [one, other] = [await newOrder(), await newOrder()];
    const idOf = async (order: number, headers = {}) => {
      await app.ask(`POST /api/order/${order}/plain`, undefined, headers);
      return calls.at(-1)?.id;
    };
    const key = { 'idempotency-key': 'k1' };
    const id = await idOf(one, key);
    expect(id).to.match(/^[0-9a-f-]{36}$/);
    expect(await idOf(one, key)).to.equal(id);
    expect(await idOf(other, key)).to.not.equal(id);
    expect(await idOf(one, { 'idempotency-key': 'k2' })).to.not.equal(id);
    const [first, second] = [await idOf(one), await idOf(one)];
    expect(first).to.not.equal(second);
    const sameRequest = { 'x-request-id': 'r-1' };
    expect(await idOf(one, sameRequest)).to.equal(await idOf(one, sameRequest));
  });

  it('has no `db`', async () => {
    const order = await newOrder();
    charge = (_, context: HookContext) => context.db.Order;
    expect((await app.ask(`POST /api/order/${order}/plain`)).status).to.equal(500);
    const failed = app.lines.findLast(({ err }) => err !== undefined);
    expect(JSON.stringify(failed)).to.include('has no `db`');
  });

  it('reads the caller again, who may be gone', async () => {
    const order = await newOrder();
    const account = { email: 'a@x.org', password: 'a good password' };
    await app.ask('POST /api/auth/register', account);
    const { token } = (await app.ask('POST /api/auth/login', account)).json;
    expect((await app.ask(`POST /api/order/${order}/mine`, undefined, bearer(token))).status).to.equal(204);
    charge = () => sql('UPDATE "order" SET buyer_id = NULL').then(() => sql('DELETE FROM "user"'));
    expect((await app.ask(`POST /api/order/${order}/mine`, undefined, bearer(token))).status).to.equal(404);
  });

  const payAndGoAway = async (on: Running, order: number) => {
    const controller = new AbortController();
    charge = async () => {
      controller.abort();
      await sleep(800);
      return { id: 'ch' };
    };
    const url = `http://127.0.0.1:${on.port}/api/order/${order}/pay`;
    await fetch(url, { method: 'POST', signal: controller.signal }).catch(() => undefined);
  };

  it('goes on when the client has gone away', async () => {
    const order = await newOrder();
    await payAndGoAway(app, order);
    for (let tries = 0; (await statusOf(order)) !== 'paid' && tries < 200; tries++) await sleep(10);
    expect([calls.length, await statusOf(order)]).to.deep.equal([1, 'paid']);
  });

  it('goes on when the client has gone away and the server stops', async () => {
    const order = await newOrder();
    const databaseUrl = async () => app.database.url;
    const other = await run(SHOP, { code: { charge: (...given) => charge(...given) }, databaseUrl });
    await payAndGoAway(other, order);
    await other.application.stop();
    expect(await statusOf(order)).to.equal('paid');
  });
});

describe('the `on failure` of a call while the database is away', () => {
  let app: Running;
  let proxy: TcpProxy;
  let charge: Code;

  before(async () => {
    app = await run(SHOP, {
      code: { charge: (...given) => charge(...given) },
      databaseUrl: async (url) => {
        proxy = await createProxy(url);
        await proxy.open();
        return proxy.url;
      },
    });
  });

  after(async () => {
    await stopAll();
    await proxy.shut();
  });

  const sql = async (text: string) => (await app.database.client.query(text)).rows;

  /** Pays an order whose code throws after `away`. Gives the answer, and the status that is stored. */
  const pay = async (away: () => Promise<unknown>) => {
    await until(async () => (await app.ask('GET /readyz')).status === 200);
    const { json } = await app.ask('POST /api/order', {});
    await app.ask(`POST /api/order/${json.id}/lines`, { amount: 7 });
    charge = async () => {
      await away();
      throw { status: 402, message: 'No money' };
    };
    const answer = await app.ask(`POST /api/order/${json.id}/pay`);
    const [row] = await sql(`SELECT status FROM "order" WHERE id = ${json.id}`);
    return { answer, stored: row?.status };
  };

  it('is done when it is back, and the error of the code is the answer', async () => {
    const { answer, stored } = await pay(async () => {
      await proxy.shut();
      setTimeout(() => void proxy.open(), 1000);
    });
    expect([answer.status, stored]).to.deep.equal([402, 'open']);
    expect(await sql('SELECT text FROM trace')).to.deep.equal([{ text: 'failed' }]);
  });

  it('is a 503 where it stays away, and the log has the error of the code', async () => {
    const started = performance.now();
    const { answer, stored } = await pay(() => proxy.shut());
    await proxy.open();
    expect([answer.status, answer.json.code, stored]).to.deep.equal([503, 'unavailable', 'paying']);
    expect(answer.json.detail).to.include('may not be undone');
    expect(performance.now() - started).to.be.within(4000, 10_000);
    expect(app.lines.find(({ status }) => status === 503)).to.nested.include({ 'err.cause.message': 'No money' });
  });

  it('is not repeated after its COMMIT was lost, because it may be done', async () => {
    await sql(`CREATE SEQUENCE tries;
      CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM nextval('tries'), pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON trace DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION lose()`);
    const { answer } = await pay(async () => undefined);
    expect([answer.status, answer.json.code]).to.deep.equal([503, 'unavailable']);
    expect((await sql('SELECT last_value::int AS tries FROM tries'))[0]?.tries).to.equal(1);
  });
});
