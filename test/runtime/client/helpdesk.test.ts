import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { ApiError, type Client, createClient } from '../../compiler/client/golden/helpdesk.ts';
import { contractIn } from './contract-in.ts';
import { failureOf } from './failure.ts';
import { type Live, startExample } from './live.ts';

const ANN = { email: 'ann@example.com', password: 'a long password' };

describe('client of the helpdesk', () => {
  let live: Live;

  before(async () => {
    await loadGrammar();
    live = await startExample('helpdesk', contractIn('helpdesk'));
    const visitor = createClient({ baseUrl: live.url });
    const { id } = await visitor.auth.register({ name: 'Ann', ...ANN });
    await live.database.query(`INSERT INTO agent (user_id, role) VALUES ($1, 'admin')`, [id]);
  });

  after(() => live.stop());

  const signedIn = async (): Promise<Client> => {
    const client = createClient({ baseUrl: live.url });
    await client.auth.login(ANN, { keepToken: true });
    return client;
  };

  it('keeps the token of a login only where it is asked to, and until logout', async () => {
    const client = createClient({ baseUrl: live.url });
    const { token, expiresAt } = await client.auth.login(ANN);
    expect(Date.parse(expiresAt)).to.be.greaterThan(Date.now());
    expect(await client.auth.me.result()).to.include({ ok: false, code: 'unauthenticated' });
    await client.auth.login(ANN, { keepToken: true });
    expect(await client.auth.me()).to.include({ email: ANN.email });
    await client.auth.logout();
    expect((await failureOf(client.auth.me(), ApiError)).status).to.equal(401);
    const other = createClient({ baseUrl: live.url, token });
    expect(await other.auth.me()).to.include({ email: ANN.email });
  });

  it('forgets a kept token that has ended elsewhere', async () => {
    const client = await signedIn();
    await live.database.query('DELETE FROM kiln_tokens');
    expect(await client.auth.logout.result()).to.include({ code: 'unauthenticated' });
    expect(
      await client.auth.register({ name: 'Bob', email: 'bob@example.com', password: 'a long password' }),
    ).to.include({
      name: 'Bob',
    });
  });

  it('asks functions for the token and the headers before each request', async () => {
    const { token } = await createClient({ baseUrl: live.url }).auth.login(ANN);
    const asked: string[] = [];
    const client = createClient({
      baseUrl: live.url,
      token: async () => {
        asked.push('token');
        return token;
      },
      headers: () => ({ 'X-Request-Id': `call-${asked.length}` }),
    });
    const first = await client.auth.me.result();
    const second = await client.auth.me.result({ headers: { 'x-request-id': 'mine' } });
    expect([first, second].map(({ headers }) => headers?.get('x-request-id'))).to.deep.equal(['call-1', 'mine']);
    expect(asked).to.deep.equal(['token', 'token']);
  });

  it('throws what a function of the caller throws, as it is', async () => {
    const client = createClient({ baseUrl: live.url, token: () => Promise.reject(new RangeError('no token today')) });
    await failureOf(client.auth.me(), RangeError);
    await failureOf(client.auth.me.result(), RangeError);
  });

  it('reaches every depth, single records and routes of several APIs', async () => {
    const client = await signedIn();
    await client.organisations.create({ name: 'Acme', domain: 'acme.example' });
    const [organisation] = (await client.organisations.list()).data;
    expect(organisation).to.include({ name: 'Acme' });
    const acme = client.organisations('acme.example');
    const opened = await acme.tickets.create({ subject: 'It is broken', message: 'Please help.' });
    const ticket = acme.tickets(opened.number);
    expect(await ticket.messages.note({ text: 'Looks easy.' })).to.be.a('number');
    await ticket.take();
    await ticket.rating.create({ stars: 5 });
    expect(await ticket.rating.get()).to.include({ stars: 5 });
    await ticket.rating.delete();
    expect(await ticket.rating.get.result()).to.include({ ok: false, code: 'not-found' });
    expect(await ticket.requester.get()).to.include({ email: ANN.email });
    const bodies: string[] = [];
    for await (const { body } of ticket.messages.list.all({ pageSize: 1 })) bodies.push(body);
    expect(bodies).to.deep.equal(['Please help.', 'Looks easy.']);
    expect(await ticket.solve()).to.equal('solved');
    expect(await client.myTickets.waiting()).to.equal(0);
    expect((await acme.tickets.list({ state: 'solved' })).totalCount).to.equal(1);
    await client.maintenance.tickets.closeSolved();
    expect((await acme.tickets.list({ state: 'closed' })).totalCount).to.equal(1);
    const refused = await ticket.close.result({ reason: 'short' });
    expect(refused).to.include({ ok: false, code: 'validation-failed', status: 422 });
    await ticket.conversation();
    expect((await ticket.messages.list()).totalCount).to.equal(0);
  });

  it('lists', async () => {
    const client = await signedIn();
    expect(await client.agents.list()).to.have.length(1);
    expect((await client.agents(ANN.email).get()).user.email).to.equal(ANN.email);
    expect((await client.myTickets.list()).data).to.be.an('array');
    expect((await client.users(ANN.email).get()).name).to.equal('Ann');
    await client.users(ANN.email).password({ new_password: ANN.password });
  });
});
