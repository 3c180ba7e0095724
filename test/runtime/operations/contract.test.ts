import { expect } from 'chai';
import { type Running, run, stopAll } from './running.ts';

const NOTES = `
model Note { field text { type string } }
api { entrypoint Note as note { list endpoint {}, GET one "own" { action { execute { hook { source own from "code" } responds } } } } }
`;
const DOCUMENT = '{\n  "openapi": "3.1.0",\n  "x-kiln-contract": "0123456789abcdef",\n  "paths": {}\n}\n';

for (const lane of ['fast', 'express'] as const) {
  describe(`the fingerprint of the contract, on the ${lane} lane`, () => {
    let app: Running;

    before(async () => {
      app = await run(NOTES, { lane, openApi: DOCUMENT, environment: { CORS_ORIGIN: 'https://shop.test' }, code });
    });
    after(stopAll);

    for (const path of ['/api/note', '/api/note/1/own', '/nowhere', '/healthz', '/openapi.json']) {
      it(`comes with the answer to ${path}`, async () => {
        const { headers } = await app.ask(`GET ${path}`);
        expect(headers['kiln-contract']).to.equal('0123456789abcdef');
      });
    }

    it('may be read by pages of other origins', async () => {
      const { headers } = await app.ask('GET /api/note', undefined, { origin: 'https://shop.test' });
      expect(headers['access-control-expose-headers']).to.include('kiln-contract');
    });
  });
}

describe('an application without a document', () => {
  after(stopAll);

  it('has no fingerprint', async () => {
    const app = await run(NOTES, { code });
    expect((await app.ask('GET /api/note')).headers).to.not.have.property('kiln-contract');
  });
});

const code = {
  own: (_: unknown, { response }: { readonly response: { end(text: string): unknown } }) => void response.end('own'),
};
