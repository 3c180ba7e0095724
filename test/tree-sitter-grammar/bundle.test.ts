import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';
import { native } from './engines.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const GRAMMAR_WASM = 'tree-sitter-grammar/tree-sitter-kiln.wasm';
const ADDON = 'tree-sitter-grammar/build/kiln.node';
const FINGERPRINTS = 'tree-sitter-grammar/fingerprint.json';
const ENGINE_WASM = 'node_modules/web-tree-sitter/tree-sitter.wasm';

const ENTRY = `
  import { loadGrammar } from './compiler/syntax/load-grammar.ts';
  import { parseText } from './compiler/syntax/parse-text.ts';
  const { engine } = await loadGrammar();
  const leftBehind = ['require', '__dirname'].filter((name) => name in globalThis);
  console.log(JSON.stringify({ engine, errors: parseText('model A {}').hasErrors, leftBehind }));
`;

describe('load-grammar.ts in a bundle of ES modules', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kiln-bundle-'));
    mkdirSync(join(folder, 'tree-sitter-grammar'));
    copyFileSync(join(repository, GRAMMAR_WASM), join(folder, GRAMMAR_WASM));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  it('loads web-tree-sitter from inside the bundle', async () => {
    copyFileSync(join(repository, ENGINE_WASM), join(folder, 'tree-sitter-grammar/tree-sitter.wasm'));
    await bundleInto(folder, []);
    expect(answerOf(folder)).to.deep.equal({ engine: 'wasm', errors: false, leftBehind: [] });
  });

  it('loads web-tree-sitter from beside the bundle', async () => {
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'), 'dir');
    await bundleInto(folder, ['web-tree-sitter']);
    expect(answerOf(folder)).to.deep.equal({ engine: 'wasm', errors: false, leftBehind: [] });
  });

  it('takes the native engine only if it was built from the sources of this version', async function () {
    if (!native) this.skip();
    symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'), 'dir');
    mkdirSync(join(folder, 'tree-sitter-grammar/build'));
    copyFileSync(join(repository, ADDON), join(folder, ADDON));
    copyFileSync(join(repository, FINGERPRINTS), join(folder, FINGERPRINTS));
    await bundleInto(folder, ['web-tree-sitter']);
    expect(answerOf(folder, '')).to.include({ engine: 'native' });
    const known = JSON.parse(readFileSync(join(repository, FINGERPRINTS), 'utf8'));
    // The grammar is the same, and a file of bindings/node is not.
    writeFileSync(join(folder, FINGERPRINTS), JSON.stringify({ ...known, 'build/kiln.node': '0'.repeat(64) }));
    expect(answerOf(folder, '')).to.include({ engine: 'wasm' });
    expect(() => answerOf(folder, 'native')).to.throw(
      'KILN_PARSER is `native`, but the native engine does not load: ' +
        'build/kiln.node was built from another version of the grammar or its bindings',
    );
  });
});

async function bundleInto(folder: string, external: string[]): Promise<void> {
  await build({
    stdin: { contents: ENTRY, resolveDir: repository, loader: 'ts', sourcefile: 'entry.ts' },
    outdir: join(folder, 'dist'),
    external,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  });
}

function answerOf(folder: string, parser = 'wasm'): unknown {
  const env = { ...process.env, KILN_PARSER: parser };
  const bundle = join(folder, 'dist/stdin.js');
  return JSON.parse(execFileSync(process.execPath, [bundle], { env, encoding: 'utf8', stdio: 'pipe' }));
}
