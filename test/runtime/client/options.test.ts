/** What a caller gives to a client: addresses, tokens, headers, times. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { expect } from 'chai';
import { ApiError, type Client, type ClientOptions, createClient } from '../../compiler/client/golden/blog.ts';
import * as shop from '../../compiler/client/golden/shop.ts';
import { failureOf } from './failure.ts';
import { type SmallServer, startServer } from './live.ts';

describe('the options of a client', () => {
  let server: SmallServer;
  let sent: IncomingHttpHeaders[];

  beforeEach(async () => {
    sent = [];
    server = await startServer((request, response) => {
      sent.push(request.headers);
      json(response, []);
    });
  });

  afterEach(() => server.stop());

  const clientWith = (options: Omit<ClientOptions, 'baseUrl'>): Client =>
    createClient({ baseUrl: server.url, ...options });

  describe('say where the API is', () => {
    for (const baseUrl of ['example.com', 'localhost:3000', 'shop', 'undefined']) {
      it(`but not with "${baseUrl}"`, () => {
        expect(() => createClient({ baseUrl })).to.throw(
          TypeError,
          `baseUrl must begin with "https://" or "/", or be "" for the origin of the page: ${baseUrl}`,
        );
      });
    }

    it('relative to a page only where there is one', async () => {
      const error = await failureOf(createClient({ baseUrl: '/shop/' }).tag.list(), TypeError);
      expect(error.message).to.include('baseUrl is "/shop", which works only in a browser');
    });

    it('relative to whatever their fetch makes of it', async () => {
      const asked: string[] = [];
      const answering: ClientOptions['fetch'] = async (url) => {
        asked.push(url);
        return new Response('[]');
      };
      for (const baseUrl of ['', '/', '/shop', '//cdn.example.com'])
        await createClient({ baseUrl, fetch: answering }).tag.list();
      expect(asked).to.deep.equal(['/api/tag', '/api/tag', '/shop/api/tag', '//cdn.example.com/api/tag']);
    });
  });

  it('have a fetch where the world has none', async () => {
    const { fetch } = globalThis;
    Reflect.deleteProperty(globalThis, 'fetch');
    try {
      const error = await failureOf(clientWith({}).tag.list(), TypeError);
      expect(error.message).to.include('This environment has no fetch');
      expect(await clientWith({ fetch }).tag.list()).to.deep.equal([]);
    } finally {
      globalThis.fetch = fetch;
    }
  });

  describe('have headers', () => {
    const forms = { Headers: new Headers({ 'X-A': '1' }), pairs: [['X-A', '1'] as const], 'an object': { 'X-A': '1' } };
    for (const [form, headers] of Object.entries(forms)) {
      it(`as ${form}, for the client and for a call`, async () => {
        await clientWith({ headers }).tag.list();
        await clientWith({ headers: { 'x-a': '0' } }).tag.list({ headers });
        expect(sent.map((each) => each['x-a'])).to.deep.equal(['1', '1']);
      });
    }

    it('that cannot be told to be others', async () => {
      const headers = { 'x-a': 'a\r\nx-b: b' };
      await failureOf(clientWith({}).tag.list({ headers }), TypeError);
      expect(sent).to.deep.equal([]);
    });
  });

  describe('have a token', () => {
    for (const token of ['', null, undefined]) {
      it(`that is left out where it is ${JSON.stringify(token)}`, async () => {
        await clientWith({ token: () => token }).tag.list();
        expect(sent[0]).to.not.have.property('authorization');
      });
    }

    it('that no error tells to anybody', async () => {
      const { message } = await failureOf(clientWith({ token: 'secret\nsecret' }).tag.list(), TypeError);
      expect(message).to.equal('The token has a character that is invalid in a header, such as a line break.');
    });

    it('that is not waited for when the call is given up', async () => {
      const controller = new AbortController();
      const never = clientWith({ token: () => new Promise<string>(() => setTimeout(() => controller.abort(), 10)) });
      expect(await never.tag.list.result({ timeout: 10 })).to.include({ code: 'timeout' });
      expect(await never.tag.list.result({ signal: controller.signal })).to.include({ code: 'aborted' });
      expect(sent).to.deep.equal([]);
    });

    it('that may fail after the call is given up', async () => {
      const failing = clientWith({
        token: () => new Promise((_, reject) => setTimeout(reject, 20, new Error('late'))),
      });
      expect(await failing.tag.list.result({ timeout: 5 })).to.include({ code: 'timeout' });
      await new Promise((resolve) => setTimeout(resolve, 40));
    });

    it('that nobody is asked for once the call is given up', async () => {
      let asked = 0;
      const client = clientWith({ token: () => `${asked++}` });
      await failureOf(client.tag.list({ signal: AbortSignal.abort() }), ApiError);
      expect(asked).to.equal(0);
    });
  });

  for (const timeout of [Number.POSITIVE_INFINITY, 2 ** 31, Number.NaN]) {
    it(`let a call take as long as it needs with a timeout of ${timeout}`, async () => {
      const client = clientWith({ timeout: 1_000_000 });
      expect(await client.tag.list({ timeout })).to.deep.equal([]);
    });
  }

  it('leave nothing at a signal that outlives the call', async () => {
    const signal = countingSignal();
    await clientWith({}).tag.list({ signal });
    await clientWith({}).author.list.result({}, { signal });
    expect(signal.listeners).to.equal(0);
    server.stop();
    const broken = shop.createClient({ baseUrl: server.url, retries: 0 });
    expect(await broken.backoffice.products.priceList.result({ signal })).to.include({ code: 'network' });
    expect(signal.listeners).to.equal(0);
  });

  it('need no object in front of a method', async () => {
    const { list } = clientWith({}).tag;
    expect(await list()).to.deep.equal([]);
  });

  it('do not keep a test from putting its own method in place', async () => {
    const client = clientWith({});
    Object.assign(client.tag, { list: async () => ['made up'] });
    expect(await client.tag.list()).to.deep.equal(['made up']);
  });
});

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** A signal that knows how many listen to it. */
function countingSignal(): AbortSignal & { listeners: number } {
  const { signal } = new AbortController();
  const { addEventListener, removeEventListener } = signal;
  return Object.assign(signal, {
    listeners: 0,
    addEventListener(this: { listeners: number }, ...args: Parameters<typeof addEventListener>) {
      this.listeners++;
      addEventListener.apply(signal, args);
    },
    removeEventListener(this: { listeners: number }, ...args: Parameters<typeof removeEventListener>) {
      this.listeners--;
      removeEventListener.apply(signal, args);
    },
  });
}
