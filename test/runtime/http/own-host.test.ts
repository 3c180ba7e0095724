/** A server of development, which answers its own pages and programs of this machine, and no web page of others. */
import { expect } from 'chai';
import { closeAll, LANES, ok, route, serve } from './serving.ts';

for (const lane of LANES) {
  describe(`a server with hosts of its own, ${lane}`, () => {
    let calls = 0;
    const routes = [route('GET /a', async () => ok('a')), route('POST /act', async () => ok(++calls))];
    const HOSTS = ['localhost', '127.0.0.1'];
    afterEach(closeAll);

    for (const [what, headers, get, post] of [
      ['a program', { host: 'LOCALHOST:3000' }, 200, 200],
      ['a name that somebody lets point here', { host: 'evil.example:3000' }, 403, 403],
      ['a page of its own', { host: '127.0.0.1:3000', origin: 'http://127.0.0.1:3000' }, 200, 200],
      ['a form of another site', { host: '127.0.0.1:3000', origin: 'https://evil.example' }, 200, 403],
      ['a page without an origin', { host: '127.0.0.1:3000', origin: 'null' }, 200, 403],
      ['an origin of CORS_ORIGIN', { host: '127.0.0.1:3000', origin: 'http://localhost:5173' }, 200, 200],
    ] as const) {
      it(`answers ${what} with ${get}, and its writes with ${post}`, async () => {
        const serving = await serve(routes, { lane, hosts: HOSTS, config: { corsOrigins: ['http://localhost:5173'] } });
        const before = calls;
        expect((await serving.ask('/a', { headers })).status).to.equal(get);
        const type = { 'content-type': 'application/x-www-form-urlencoded' };
        const sent = await serving.ask('/act', { method: 'POST', headers: { ...headers, ...type } });
        expect([sent.status, calls - before]).to.deep.equal([post, post === 200 ? 1 : 0]);
      });
    }

    it('answers probes at any host', async () => {
      const serving = await serve(routes, { lane, hosts: HOSTS });
      expect((await serving.ask('/healthz', { headers: { host: 'pod.example' } })).status).to.equal(200);
    });
  });
}
