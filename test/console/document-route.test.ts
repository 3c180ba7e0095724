import { expect } from 'chai';
import { documentRoute } from '../../runtime/console/document-route.ts';
import type { Exchange } from '../../runtime/request/exchange.ts';

describe('the route of the document', () => {
  it('reads the document once for each form, however often it is asked for', async () => {
    let reads = 0;
    const whole = (): string => {
      reads++;
      return '{}';
    };
    const { handle } = documentRoute(whole);
    const ask = async (encoding: string) =>
      handle({ request: { headers: { 'accept-encoding': encoding } } } as unknown as Exchange);
    const first = await ask('');
    expect(String(first?.body)).to.equal('{}');
    await ask('gzip');
    const before = reads;
    for (const encoding of ['', 'gzip', '']) await ask(encoding);
    expect(reads).to.equal(before);
  });
});
