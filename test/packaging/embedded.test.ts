/** What `npm run embed` has written, against the files that it comes from. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { embedded, partsOf } from '../../scripts/embed.ts';

const ROOT = resolve(import.meta.dirname, '../..');

describe('embedded texts', () => {
  for (const [path, text] of Object.entries(embedded())) {
    it(`are those of the files; \`npm run embed\` makes them again: ${path}`, () => {
      expect(readFileSync(join(ROOT, path), 'utf8')).to.equal(text);
    });
  }

  it('begin at the first part, and end with a line break', () => {
    const parts = partsOf('const ours = 1;\n\n// #part one\nfirst\n\n// #part two\nsecond\n\n');
    expect(parts).to.deep.equal({ one: 'first\n', two: 'second\n' });
  });
});
