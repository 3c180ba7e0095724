import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { type Client, createClient, verifyWebhook } from '../../compiler/client/golden/shop.ts';
import { tokenFor } from '../../compiler/openapi/contract-data.ts';
import { exampleDefinition } from '../../compiler/openapi/documents.ts';
import { until } from '../../support/until.ts';
import { receiver, status } from '../deliver/receiver.ts';
import { contractIn } from './contract-in.ts';
import { type Live, startExample } from './live.ts';

describe('client of the shop', () => {
  let live: Live;
  let client: Client;

  before(async () => {
    await loadGrammar();
    live = await startExample('shop', contractIn('shop'));
    client = createClient({ baseUrl: live.url, token: () => tokenFor(exampleDefinition('shop')) });
    await live.database.query(
      `INSERT INTO customer (subject, name, email, staff) VALUES ('seed1', 'Ann', 'ann@example.com', true);
       INSERT INTO category (name, position) VALUES ('Bread', 1)`,
    );
    for (const [sku, price] of [
      ['AB-0001', '4.50'],
      ['AB-0002', '0.30'],
    ] as const) {
      const product = await client.backoffice.products.create({
        sku,
        name: `Loaf ${sku}`,
        price,
        category_name: 'Bread',
        stock: 3,
      });
      expect(product).to.include({ sku, price });
    }
  });

  after(() => live.stop());

  it('keeps decimals as texts, in both directions', async () => {
    const { products } = client.store;
    expect((await products.list({ max_price: '0.30' })).data.map(({ sku }) => sku)).to.deep.equal(['AB-0002']);
    expect((await products('AB-0001').get()).price).to.equal('4.50');
  });

  it('gives what custom code answers with', async () => {
    const quote = await client.store.products('AB-0001').quote.result({ quantity: '2' });
    if (!quote.ok) throw quote.error;
    expect(quote.headers.get('cache-control')).to.equal('no-store');
    expect(quote.data).to.deep.equal({ gross: '9.00', discount: '0.00', net: '9.00' });
    const list = await client.backoffice.products.priceList();
    expect(list).to.be.instanceOf(Response);
    expect(await list.text()).to.include('AB-0001');
  });

  it('goes through an order', async () => {
    const { id } = await client.store.orders.create({ note: null, lines: [] });
    const order = client.store.orders(id);
    expect(await order.place.result({ terms: true })).to.include({ ok: false, code: 'empty-order', status: 422 });
    const line = await order.lines.create({ product_sku: 'AB-0001', quantity: '2' });
    expect(line.product.sku).to.equal('AB-0001');
    expect((await order.lines(line.id).update({ quantity: '3' })).amount).to.equal('13.50');
    expect(await order.lines.list()).to.have.length(1);
    expect((await order.get()).lines).to.have.length(1);
    expect((await client.store.orders.list()).totalCount).to.equal(1);
    expect(await order.payment.get.result()).to.include({ ok: false, code: 'not-found' });
    await order.delete();
    expect(await order.get.result()).to.include({ ok: false, code: 'not-found' });
  });

  it('takes an order with several lines, refuses what is not there, and ships', async () => {
    const lines = [{ product_sku: 'AB-0001', quantity: '2' }, { product_sku: 'AB-0002' }];
    const { id, total } = await client.store.orders.create({ lines });
    expect(total).to.equal('9.30');
    const refused = await client.store.orders.create.result({
      lines: [...lines, { product_sku: 'AB-0001', quantity: '9' }],
    });
    expect(refused).to.include({ ok: false, code: 'sold-out', status: 409 });
    const order = client.store.orders(id);
    const handled = client.backoffice.orders(id);
    expect(await handled.ship.result()).to.include({ ok: false, code: 'not-paid', status: 409 });
    expect(await order.place.result({})).to.include({ ok: false, code: 'terms-not-accepted' });
    await order.place({ terms: true });
    expect(await order.update.result({ note: 'Ring twice' })).to.include({
      ok: false,
      code: 'not-a-cart',
      status: 409,
    });
    await handled.settle();
    await until(async () => (await order.get()).receipt !== null);
    await handled.ship();
    const { tracking_code } = await handled.get();
    expect(tracking_code).to.equal(`SHIP-${id.slice(-12).toUpperCase()}`);
    expect(await handled.cancel.result()).to.include({ ok: false, code: 'already-shipped', status: 409 });
  });

  it('tells partners of a paid order, signed, and forgets one that is gone', async () => {
    const partner = await receiver(status(410));
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    expect(await client.backoffice.partners.create({ url: partner.url, secret })).to.not.have.property('secret');
    const { id } = await client.store.orders.create({ lines: [{ product_sku: 'AB-0001' }] });
    await client.store.orders(id).place({ terms: true });
    await client.backoffice.orders(id).settle();
    await until(async () => (await client.backoffice.partners.list()).length === 0);
    const [{ headers, body }] = partner.received as [(typeof partner.received)[number]];
    const { type, data } = await verifyWebhook(secret, headers, body);
    const lines = [{ quantity: '1.000', product: { sku: 'AB-0001' } }];
    expect({ type, data }).to.deep.equal({ type: 'order.paid', data: { id, shipping: null, lines } });
    await partner.close();
  });

  it('holds what an order needs until nobody has paid it for three days', async () => {
    const made = async () => client.store.orders.create({ lines: [{ product_sku: 'AB-0002', quantity: '2' }] });
    const [first, second] = [await made(), await made()];
    await client.store.orders(first.id).place({ terms: true });
    const place = () => client.store.orders(second.id).place.result({ terms: true });
    expect(await place()).to.include({ ok: false, code: 'sold-out', status: 409 });
    const expired = `UPDATE "order" SET placed_at = now() - interval '73 hours' WHERE id = '${first.id}';
      INSERT INTO kiln_jobs (kind, input) VALUES ('ExpireOrders()', '{}')`;
    await live.database.query(expired);
    await until(async () => (await client.store.orders(first.id).get()).status === 'cancelled');
    expect(await place()).to.include({ ok: true });
    await client.backoffice.orders(second.id).cancel();
  });

  it('calls the other API too', async () => {
    const { products, customers, coupons, reviews, orders } = client.backoffice;
    expect(await products('AB-0002').restock({ amount: 4 })).to.equal(6);
    expect(await products.lowStock({ threshold: 4 })).to.have.length(1);
    await products.discontinue({ category_name: 'Bread' });
    expect((await client.store.categories.list())[0]).to.include({ name: 'Bread', product_count: 2 });
    for (const list of [products.list, customers.list, orders.list, reviews.list])
      expect((await list()).page).to.equal(1);
    expect(await coupons.list()).to.deep.equal([]);
    const names: string[] = [];
    for await (const { sku } of client.store.products.list.all({ pageSize: 1 })) names.push(sku);
    expect(names).to.deep.equal(['AB-0001', 'AB-0002']);
  });

  it('is told who is refused', async () => {
    const visitor = createClient({ baseUrl: live.url });
    expect(await visitor.backoffice.products.list.result()).to.include({
      ok: false,
      code: 'unauthenticated',
      status: 401,
    });
    expect((await visitor.store.products.list()).totalCount).to.equal(2);
  });
});
