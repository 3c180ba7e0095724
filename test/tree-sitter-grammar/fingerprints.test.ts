import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const grammarRoom = new URL('../../tree-sitter-grammar/', import.meta.url);
const { 'build/kiln.node': ofAddon, ...ofFiles }: Record<string, string> = JSON.parse(
  read('fingerprint.json').toString(),
);

describe('the generated files are those of this grammar', () => {
  it('has a fingerprint of each', () => {
    expect(Object.keys(ofFiles)).to.deep.equal(['grammar.js', 'src/parser.c', 'tree-sitter-kiln.wasm']);
  });

  for (const [file, fingerprint] of Object.entries(ofFiles)) {
    it(file, () => {
      const advice = `${file} has changed: run npm run grammar, so that parser and WebAssembly are made from the same grammar`;
      expect(fingerprintOf([file]), advice).to.equal(fingerprint);
    });
  }
});

describe('the native engine is built from these files', () => {
  it('has a fingerprint of all of them', () => {
    const bindings = readdirSync(new URL('bindings/node/', grammarRoom)).sort();
    const sources = ['src/parser.c', ...bindings.map((file) => `bindings/node/${file}`)];
    const advice = 'they have changed: run node tree-sitter-grammar/scripts/build-native.mjs';
    expect(fingerprintOf(sources), advice).to.equal(ofAddon);
  });
});

function fingerprintOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(read(file));
  return hash.digest('hex');
}

function read(file: string): Buffer {
  return readFileSync(new URL(file, grammarRoom));
}
