import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { partsFromText, readDocument } from '../../support/document-parts.ts';
import { clientOfText, typeProblems } from './clients.ts';

describe('docs/clients.md', () => {
  it('shows only what the client of its program can do', async () => {
    await loadGrammar();
    const parts = partsFromText(readDocument('docs/clients.md'));
    const blocks = (language: string) =>
      parts.flatMap((part) => (part.kind === 'block' && part.language === language ? [part.text] : []));
    const [program = ''] = blocks('kiln');
    const folder = mkdtempSync(join(tmpdir(), 'kiln-client-'));
    try {
      writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
      writeFileSync(join(folder, 'client.ts'), clientOfText(program).typescript);
      const files = blocks('ts').map((text, at) => {
        const file = join(folder, `block-${at}.ts`);
        writeFileSync(file, text);
        return file;
      });
      expect(files).to.have.length(4);
      expect(typeProblems(files, 'browser', ['--noPropertyAccessFromIndexSignature'])).to.equal('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
