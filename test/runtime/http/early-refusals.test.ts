/** Requests that are refused before a route sees them, and what happens to the connection. */
import { expect } from 'chai';
import { closeAll, LANES, ok, route, type Serving, serve } from './serving.ts';

for (const lane of LANES) {
  describe(`a request that is refused early, ${lane}`, () => {
    let serving: Serving;

    before(async () => {
      const query = route('GET /query', ({ request }) => ok((request as never as { query: unknown }).query), {
        needsExpress: true,
      });
      serving = await serve([query], { lane });
    });
    after(closeAll);

    const asked = (target: string) => serving.askRaw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

    it('has a whole address that can be read', async () => {
      expect(await asked('http://[::1]:80/query?a=1')).to.match(/^HTTP\/1\.1 200 .*\{"a":"1"\}$/s);
    });

    for (const target of ['http://[::1/query', 'http://a:99999/query', 'http://%/query?a=1']) {
      it(`has an address that is none: ${target}`, async () => {
        const said = await asked(target);
        expect(said).to.match(/^HTTP\/1\.1 400 .*"code":"malformed-request"/s);
      });
    }
  });
}
