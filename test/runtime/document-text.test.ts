import { expect } from 'chai';
import { contractIn, documentText, infoIn } from '../../runtime/console/document-route.ts';

const INFO = { title: 'A "blog"', version: 'abc', description: 'It says:\n  },\n', license: { name: 'none' } };
const DOCUMENT = { openapi: '3.1.0', 'x-kiln-contract': '0123456789abcdef', info: INFO, servers: [{ url: '/' }] };

describe('the text of a document', () => {
  it('has its fingerprint and what it is about at its beginning', () => {
    const text = JSON.stringify(DOCUMENT, null, 2);
    const document = { beginning: text.slice(0, text.indexOf('"servers"')), whole: unread };
    expect(contractIn(document)).to.equal('0123456789abcdef');
    expect(infoIn(document)).to.deep.equal(INFO);
  });

  it('is found on one line, too', () => {
    const beginning = `{\n"openapi": "3.1.0",\n"info": ${JSON.stringify(INFO)},\n"servers": [{"url":"/"}],\n"paths": {\n`;
    expect(infoIn({ beginning, whole: unread })).to.deep.equal(INFO);
  });

  for (const [form, text] of [
    ['without indentation', JSON.stringify(DOCUMENT)],
    ['with another order', JSON.stringify({ paths: { info: {} }, ...DOCUMENT }, null, 4)],
  ] as const) {
    it(`may be written ${form}`, () => {
      expect(infoIn(documentText(text))).to.deep.equal(INFO);
    });
  }

  it('is read as a whole where its beginning is too short', () => {
    const text = JSON.stringify(DOCUMENT, null, 2);
    expect(infoIn({ beginning: text.slice(0, 120), whole: () => text })).to.deep.equal(INFO);
  });
});

function unread(): never {
  throw new Error('the whole text was read');
}
