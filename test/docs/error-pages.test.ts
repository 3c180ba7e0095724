import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { ERROR_PAGES, errorPages } from '../../scripts/error-docs.ts';

describe('docs/errors', () => {
  before(() => loadGrammar());

  it('is what the catalogue says; `npm run docs:errors` makes it anew', () => {
    const pages = errorPages();
    expect(readdirSync(ERROR_PAGES).sort()).to.deep.equal([...pages.keys()].sort());
    for (const [file, text] of pages) expect(readFileSync(join(ERROR_PAGES, file), 'utf8'), file).to.equal(text);
  });

  it('links to sections that are there', () => {
    const pages = errorPages();
    const links = [...(pages.get('README.md') ?? '').matchAll(/\]\(([^#)]+)#([^)]+)\)/g)];
    const broken = links.filter(([, file = '', code = '']) => !pages.get(file)?.includes(`\n## ${code}\n`));
    expect(links).to.have.length.greaterThan(100);
    expect(broken.map(([link]) => link)).to.deep.equal([]);
  });
});
