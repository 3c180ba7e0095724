import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect } from 'chai';
import { anchorsIn, linksIn } from '../support/document-links.ts';
import { partsFromText, ROOT, readDocument } from '../support/document-parts.ts';
import { everyDocument } from './every-document.ts';
import { EXECUTED } from './executed.ts';

describe('the links of the documents', () => {
  const documents = everyDocument();

  it('are those of more than the guide', () => {
    expect(documents).to.include.members([
      'README.md',
      'docs/reference.md',
      'compiler/README.md',
      'examples/blog/README.md',
    ]);
  });

  for (const document of documents) {
    it(`lead somewhere: ${document}`, () => {
      expect(linksIn(readDocument(document)).filter((link) => !leadsSomewhere(document, link))).to.deep.equal([]);
    });
  }

  for (const document of EXECUTED) {
    it(`list every section in the contents: ${document}`, () => {
      const text = readDocument(document);
      if (!linksIn(text).some((link) => link.startsWith('#'))) return;
      const sections = partsFromText(text).filter((part) => part.kind === 'heading' && part.level > 1);
      const anchors = [...anchorsIn(text)].slice(-sections.length);
      const linked = new Set(linksIn(text));
      expect(anchors.filter((anchor) => !linked.has(`#${anchor}`))).to.deep.equal([]);
    });
  }
});

describe('a link', () => {
  it('leads nowhere where there is no such file or section', () => {
    expect(leadsSomewhere('docs/api.md', 'reference.md#a-first-program')).to.equal(true);
    expect(leadsSomewhere('docs/api.md', 'reference.md#no-such-section')).to.equal(false);
    expect(leadsSomewhere('docs/api.md', '../no-such-file.ts')).to.equal(false);
    expect(leadsSomewhere('docs/api.md', '#records')).to.equal(true);
    expect(leadsSomewhere('docs/api.md', '#no-records')).to.equal(false);
  });

  it('is found in prose and not in code', () => {
    const text = '[a](b.md) `[c](d.md)`\n\n```text\n[e](f.md)\n```\n\n[g]: h.md\n';
    expect(linksIn(text)).to.deep.equal(['b.md', 'h.md']);
  });

  it('goes to a heading by the name that GitHub gives it', () => {
    const text = '# Who may?\n\n## `kiln db`: a step\n\n## Who may\n\n```text\n# no heading\n```\n';
    expect([...anchorsIn(text)]).to.deep.equal(['who-may', 'kiln-db-a-step', 'who-may-1']);
  });
});

function leadsSomewhere(document: string, link: string): boolean {
  if (/^[a-z]+:/i.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? document : normalize(join(dirname(document), decodeURI(path)));
  if (!existsSync(join(ROOT, file))) return false;
  if (anchor === undefined || statSync(join(ROOT, file)).isDirectory()) return anchor === undefined;
  return file.endsWith('.md') ? anchorsOf(file).has(anchor) : /^L\d+/.test(anchor);
}

const anchorsByFile = new Map<string, ReadonlySet<string>>();

function anchorsOf(file: string): ReadonlySet<string> {
  const anchors = anchorsByFile.get(file) ?? anchorsIn(readDocument(file));
  anchorsByFile.set(file, anchors);
  return anchors;
}
