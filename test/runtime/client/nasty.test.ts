/** A client whose names are those that JavaScript, promises and functions have uses for. */
import { inspect } from 'node:util';
import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { nastyDefinition } from '../../compiler/client/clients.ts';
import { type Client, createClient } from '../../compiler/client/golden/nasty.ts';
import { contractIn } from './contract-in.ts';
import { failureOf } from './failure.ts';
import { type Live, startLive } from './live.ts';

describe('client of nasty names', () => {
  let live: Live;
  let client: Client;

  before(async () => {
    await loadGrammar();
    live = await startLive(nastyDefinition(), contractIn('nasty'));
    client = createClient({ baseUrl: live.url });
    await client.then_.create({ name: 'call', extra: [1], constructor: 'mine', level: 2 });
  });

  after(() => live.stop());

  it('reaches every one of them', async () => {
    const { then_ } = client;
    const texts = [
      then_.name,
      then_.apply,
      then_.bind,
      then_.arguments,
      then_.toString_,
      then_.日本,
      then_.中国,
      then_._,
    ];
    const values = await Promise.all(texts.map((method) => method()));
    expect(values).to.deep.equal(['name', 'apply', 'bind', 'arguments', 'toString', 'nihon', 'zhongguo', 'smile']);
    const numbers = [then_.length, then_._2024, then_.getList];
    expect(await Promise.all(numbers.map((method) => method()))).to.deep.equal([7, 2024, 1]);
    expect([await then_.getAB(), await then_.getAB2()]).to.deep.equal(['a-b', 'a_b']);
    expect(await then_.itSQuoted.andOdd()).to.equal('odd');
    const item = then_('call');
    expect(await Promise.all([item.call(), item.then_(), item.constructor_()])).to.deep.equal(['call', 'call', 'call']);
  });

  it('filters and sorts', async () => {
    const names = async (query: Parameters<typeof client.then_.list>[0]) =>
      (await client.then_.list(query)).data.map(({ name }) => name);
    await client.then_.create({ name: 'filter', extra: [1], level: 1, price: '5.00' });
    expect(await names({ sort: ['-level', 'owner.at'] })).to.deep.equal(['call', 'filter']);
    expect(await names({ level: [1, 2], sort: ['level'] })).to.deep.equal(['filter', 'call']);
    expect(await names({ price: { gte: '5', lt: '6' }, name: { prefix: 'FIL', ne: ['a', 'b'] } })).to.deep.equal([
      'filter',
    ]);
    expect(await names({ prototype: 'class', due: { null: true }, level: undefined })).to.deep.equal([
      'call',
      'filter',
    ]);
    expect(await names({ 'owner.status': 'open' })).to.deep.equal([]);
    const found: string[] = [];
    for await (const each of client.then_.list.all({ pageSize: 1, level: { lte: 2 } })) found.push(each.name);
    expect(found).to.deep.equal(['call', 'filter']);
    await client.then_('filter').delete({ reason: 'done' });
  });

  it('refuses an empty list as a filter, which would ask for everything', async () => {
    for (const [query, name] of [
      [{ level: [] }, 'level'],
      [{ level: [undefined] }, 'level'],
      [{ price: { eq: [] } }, 'price[eq]'],
      [{ price: { eq: [undefined] } }, 'price[eq]'],
    ] as const) {
      const error = await failureOf(client.then_.list(query as object), TypeError);
      expect(error.message).to.equal(
        `An empty list cannot be sent in the query, and without ${name} the API might return every record`,
      );
    }
    expect((await client.then_.list({ name: { ne: [] } })).data.map(({ name }) => name)).to.deep.equal(['call']);
  });

  it('tells methods of one path apart', async () => {
    const item = client.then_('call');
    await item.putState({ state: 'new' });
    expect(await item.getState()).to.equal('new');
    await item.deleteState();
    expect(await item.getState()).to.equal('class');
    expect(await item.putLines()).to.deep.equal(['call']);
    await item.lines.create({ number: 1 });
    expect(await item.lines(1).get()).to.include({ number: 1, ok: true });
  });

  it('takes statuses of refusals for answers where the endpoint means them so', async () => {
    const item = client.then_('call');
    expect(await item.gone.result()).to.include({ ok: true, status: 404, data: 'gone' });
    expect(await client.then_('nobody').gone.result()).to.include({ ok: false, status: 404, code: 'not-found' });
    expect(await item.teapot.result()).to.include({ ok: true, status: 402, data: 'call' });
    expect(await item.refuse.result()).to.include({ ok: false, status: 418, code: 'refused' });
  });

  it('sends parameters of such names, and values of every type in paths', async () => {
    const page = await client.then_.list({
      constructor: 'x',
      // biome-ignore lint/suspicious/noThenProperty: the API calls it so
      then: 'open',
      since: '2026-01-01T00:00:00Z',
      pageSize: 1,
    });
    expect(page.data[0]).to.include({ name: 'call', constructor: 'mine' });
    const at = '2026-01-01T12:30:00.5+01:00';
    await client.constructor_.create({ status: 'open', at });
    expect(await client.constructor_(at).get()).to.include({ status: 'open' });
    await client.constructor_(at).prototype_.create({ name: 'only', extra: 1 });
    expect(await client.constructor_(at).prototype_.get()).to.include({ name: 'only' });
    await client.apply.create({ code: '1.50' });
    expect(await client.apply('1.5').get()).to.deep.include({ code: '1.50' });
    await client.length.create({ day: '2026-02-28' });
    expect(await client.length('2026-02-28').get()).to.include({ day: '2026-02-28' });
    await client.name.create({ body: 'x' });
    expect(await client.name.list()).to.have.length(1);
    expect([await client.name.route.list(), await client.name.route.route()]).to.deep.equal([
      [{ id: 1, body: 'x' }],
      1,
    ]);
    expect(await client.then_('only').delete({ reason: 'a & b = c' })).to.equal(undefined);
  });

  it('gives every record of pages without a total, with an estimate, and of pages by cursor', async () => {
    const days = ['2027-01-01', '2027-01-02', '2027-01-03', '2027-01-04'];
    const { cursor, uncounted, estimated, list } = client.length;
    const known = new Set((await list()).map(({ day }) => day));
    for (const day of days) await client.length.create({ day });
    for (const method of [uncounted, estimated, cursor]) {
      const pages = [1, 2, 3, 100].map(async (pageSize) => {
        const found: string[] = [];
        for await (const { day } of method.all({ pageSize })) if (!known.has(day)) found.push(day);
        return found;
      });
      expect(await Promise.all(pages)).to.deep.equal([days, days, days, days]);
    }
    const { next, pageSize } = await cursor({ pageSize: known.size + 1 });
    const rest: string[] = [];
    for await (const { day } of cursor.all({ after: String(next), pageSize: 2 })) rest.push(day);
    expect([rest, pageSize]).to.deep.equal([days.slice(1), known.size + 1]);
    expect(await cursor.result({ after: 'x' })).to.include({ ok: false, code: 'malformed-request' });
  });

  it('is neither a promise nor anything else that JavaScript calls by itself', async () => {
    expect(await client).to.equal(client);
    expect(await client.then_).to.equal(client.then_);
    expect(await client.then_('a')).to.be.an('object');
    expect(inspect(client, { depth: 5 })).to.include('itSQuoted');
    expect(JSON.stringify(client)).to.equal('{}');
    expect(`${Object.keys(client)}`).to.equal('apply,constructor_,length,name,then_');
  });
});
