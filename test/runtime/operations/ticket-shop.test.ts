/** Tickets that are sold and paid at once: two servers as processes, a payment service beside them, and one of them killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { projectFolder } from '../../pipeline/project-folder.ts';
import { buildOnce } from '../../support/build-once.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { ask, type Received } from '../http/serving.ts';
import { countOf } from './running.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

const PROGRAM = `
model Event {
  field capacity { type integer }
  relation tickets { from Ticket, through event }
  query taken { from tickets as ticket, filter { ticket.status is not "expired" } }
}
model Ticket {
  reference event { to Event }
  field status { type string, default "open", internal }
  field payment { type string, nullable, internal }
}
api {
  entrypoint Event as event {
    create endpoint {}
    POST one "order" {
      action {
        refuse "sold-out" when count(event.taken) >= event.capacity { status 409 }
        create Ticket as ticket { set event event }
        respond { body ticket.id, httpStatus 201 }
      }
    }
  }
  entrypoint Ticket as ticket {
    response { id, status }
    get endpoint {}
    POST one "pay" {
      action {
        refuse "not-open" when ticket.status is not "open" { status 409 }
        update ticket { set status "paying" }
        call as charged {
          hook { arg ticket ticket.id, source charge from "payments", returns { id: string } }
          on failure { update ticket { set status "open" } }
        }
        update ticket { set status "paid", set payment charged.id }
      }
    }
  }
}
`;

const CODE = `interface Context { readonly call: { readonly id: string } }
export async function charge({ ticket }: { readonly ticket: number }, { call }: Context): Promise<unknown> {
  const body = JSON.stringify({ ticket, key: call.id });
  const response = await fetch(process.env.PAYMENTS_URL ?? '', { method: 'POST', body });
  return response.json();
}
`;

interface Charge {
  readonly ticket: number;
  readonly key: string;
}

const AT_ONCE = 20;

describe('a shop of tickets on two servers', () => {
  const children: ChildProcess[] = [];
  const charges: Charge[] = [];
  let isHeld = false;
  let payments: Server;
  let database: TestDatabase;
  let ports: readonly number[] = [];

  before(async () => {
    buildOnce();
    payments = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      charges.push(JSON.parse(body));
      if (!isHeld) response.end(JSON.stringify({ id: `ch_${JSON.parse(body).ticket}` }));
    });
    await new Promise<void>((done) => payments.listen(0, '127.0.0.1', done));
    database = await createDatabase();
    const folder = projectFolder({ 'main.kiln': PROGRAM, 'hooks/payments.ts': CODE });
    // One after the other: the first one makes the tables.
    ports = [await start(folder), await start(folder)];
  });

  after(() => {
    for (const child of children) child.kill('SIGKILL');
    payments.closeAllConnections();
    payments.close();
  });

  beforeEach(() => charges.splice(0));

  async function start(folder: string): Promise<number> {
    const { port } = payments.address() as AddressInfo;
    const PAYMENTS_URL = `http://127.0.0.1:${port}/charges`;
    const env = { ...process.env, DATABASE_URL: database.url, PAYMENTS_URL, NO_COLOR: '1' };
    const child = spawn('node', [join(ROOT, 'dist/kiln.js'), 'start', folder, '--port', '0'], { env });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    await until(() => /^Serving .* on http:\/\/localhost:\d+/m.test(output) || child.exitCode !== null);
    return Number(/localhost:(\d+)/.exec(output)?.[1]);
  }

  const post = (path: string, at = 0, body: unknown = {}): Promise<Received> =>
    ask(ports[at % ports.length] as number, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  const together = (count: number, path: (at: number) => string) =>
    Promise.all(Array.from({ length: count }, (_, at) => post(path(at), at)));

  const statusesOf = (answers: readonly Received[]) =>
    Object.fromEntries(countOf(answers.map(({ status, json }) => `${status} ${json?.code ?? ''}`.trim())));

  const newEvent = async (capacity: number) => (await post('/api/event', 0, { capacity })).json.id;
  const numberOf = async (where: string) =>
    Number((await database.client.query(`SELECT count(*) AS n FROM ticket WHERE ${where}`)).rows[0].n);

  it('charges 20 customers who pay 20 orders at once, once each, and all orders are paid', async () => {
    const event = await newEvent(AT_ONCE);
    const ordered = await together(AT_ONCE, () => `/api/event/${event}/order`);
    const tickets = ordered.map(({ json }) => Number(json));
    const answers = await together(AT_ONCE, (at) => `/api/ticket/${tickets[at]}/pay`);
    expect(statusesOf(answers)).to.deep.equal({ 204: AT_ONCE });
    expect(charges.map(({ ticket }) => ticket).sort()).to.deep.equal(tickets.sort());
    expect(new Set(charges.map(({ key }) => key)).size).to.equal(AT_ONCE);
    expect(await numberOf(`event_id = ${event} AND status = 'paid' AND payment = 'ch_' || id`)).to.equal(AT_ONCE);
  });

  it('sells the last five tickets to five of 20', async () => {
    const event = await newEvent(5);
    const answers = await together(AT_ONCE, () => `/api/event/${event}/order`);
    expect(statusesOf(answers)).to.deep.equal({ 201: 5, '409 sold-out': AT_ONCE - 5 });
    expect(await numberOf(`event_id = ${event}`)).to.equal(5);
  });

  it('answers 200 clients of one event, and loses none of them', async () => {
    const event = await newEvent(150);
    const answers = await together(200, () => `/api/event/${event}/order`);
    expect(statusesOf(answers)).to.deep.equal({ 201: 150, '409 sold-out': 50 });
    expect(await numberOf(`event_id = ${event}`)).to.equal(150);
  });

  it('leaves an order that says `paying` when the server dies between the charge and what follows', async () => {
    const event = await newEvent(1);
    const ticket = Number((await post(`/api/event/${event}/order`)).json);
    isHeld = true;
    const lost = post(`/api/ticket/${ticket}/pay`, 1).catch(() => null);
    await until(() => charges.length === 1);
    children[1]?.kill('SIGKILL');
    expect(await lost).to.equal(null);
    expect((await ask(ports[0] as number, `/api/ticket/${ticket}`)).json).to.deep.equal({
      id: ticket,
      status: 'paying',
    });
    expect(statusesOf([await post(`/api/ticket/${ticket}/pay`)])).to.deep.equal({ '409 not-open': 1 });
    expect(charges).to.have.length(1);
  });
});
