import { expect } from 'chai';
import { contractIn, infoIn } from '../../runtime/console/document-route.ts';

const INFO = { title: 'A "blog"', version: 'abc', description: 'It says:\n  },\n', license: { name: 'none' } };
const DOCUMENT = { openapi: '3.1.0', 'x-kiln-contract': '0123456789abcdef', info: INFO, servers: [{ url: '/' }] };

describe('the text of a document', () => {
  it('has its fingerprint at its beginning', () => {
    expect(contractIn(JSON.stringify(DOCUMENT, null, 2))).to.equal('0123456789abcdef');
    expect(contractIn(JSON.stringify({ paths: 'x'.repeat(500), ...DOCUMENT }))).to.equal(undefined);
  });

  for (const [form, text] of [
    ['indented', JSON.stringify(DOCUMENT, null, 2)],
    ['without indentation', JSON.stringify(DOCUMENT)],
    ['with another order', JSON.stringify({ paths: { info: {} }, ...DOCUMENT }, null, 4)],
  ] as const) {
    it(`says what it is about, written ${form}`, () => {
      expect(infoIn(text)).to.deep.equal(INFO);
    });
  }
});
