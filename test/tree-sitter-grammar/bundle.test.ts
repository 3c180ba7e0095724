import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const PARSER = 'tree-sitter-grammar/kiln-parser.wasm';

const ENTRY = `
  import { loadGrammar } from './compiler/syntax/load-grammar.ts';
  import { parseText } from './compiler/syntax/parse-text.ts';
  await loadGrammar();
  console.log(parseText('model A {}').hasErrors);
`;

describe('load-grammar.ts in a bundle of ES modules', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-bundle-'));
  const bundle = join(folder, 'dist/bundle.mjs');

  before(() =>
    build({
      stdin: { contents: ENTRY, resolveDir: repository, loader: 'ts', sourcefile: 'entry.ts' },
      outfile: bundle,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'error',
    }),
  );

  after(() => rmSync(folder, { recursive: true }));

  it('says which file it looks for', () => {
    expect(run).to.throw(`${PARSER} was not found in ${join(folder, 'dist')} or any folder above it`);
  });

  it('finds the parser in a folder above it', () => {
    mkdirSync(join(folder, 'tree-sitter-grammar'));
    copyFileSync(join(repository, PARSER), join(folder, PARSER));
    expect(run()).to.equal('false\n');
  });

  const run = () => execFileSync(process.execPath, [bundle], { encoding: 'utf8', stdio: 'pipe' });
});
