import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';

const grammarRoom = new URL('../../tree-sitter-grammar/', import.meta.url);
const fingerprints: Record<string, string> = JSON.parse(read('fingerprint.json').toString());

describe('the generated files are those of this grammar', () => {
  it('has a fingerprint of each', () => {
    const files = ['grammar.js', 'src/parser.c', 'parse.c', 'kiln-parser.wasm', 'tree-sitter-kiln.wasm'];
    expect(Object.keys(fingerprints)).to.deep.equal(files);
  });

  for (const [file, fingerprint] of Object.entries(fingerprints)) {
    it(file, () => {
      const advice = `${file} has changed: run npm run grammar, so that parser and WebAssembly are made from the same grammar`;
      expect(createHash('sha256').update(read(file)).digest('hex'), advice).to.equal(fingerprint);
    });
  }
});

function read(file: string): Buffer {
  return readFileSync(new URL(file, grammarRoom));
}
