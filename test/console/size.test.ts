/** How much of the console a browser loads. It is built by `npm run build`, as the tests of the page need it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect } from 'chai';

const FOLDER = join(import.meta.dirname, '../../dist/runtime/console');

interface Size {
  readonly name: string;
  readonly compressed: number;
  readonly plain: number;
}

describe('the size of the console', () => {
  let sizes: readonly Size[] = [];

  before(() => {
    sizes = readdirSync(FOLDER)
      .filter((name) => /\.(js|css)\.br$/.test(name))
      .map((name) => {
        const compressed = readFileSync(join(FOLDER, name));
        return { name, compressed: compressed.length, plain: brotliDecompressSync(compressed).length };
      });
    expect(sizes).to.have.length.greaterThan(5);
  });

  const sum = (key: 'compressed' | 'plain') => sizes.reduce((total, size) => total + size[key], 0);

  it('is below 90 KB on the wire, with all views', () => {
    expect(sum('compressed')).to.be.lessThan(90_000);
  });

  it('is below 260 KB in the browser, with all views', () => {
    expect(sum('plain')).to.be.lessThan(260_000);
  });

  it('has each view in a file of its own', () => {
    const named = sizes.filter(({ name }) => /^(reference|models|data|live)-view-/.test(name));
    expect(named).to.have.length(4);
  });
});
