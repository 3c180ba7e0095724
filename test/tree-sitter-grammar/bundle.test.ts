import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { build } from 'esbuild';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const GRAMMAR_WASM = 'tree-sitter-grammar/tree-sitter-kiln.wasm';
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

function answerOf(folder: string): unknown {
  const env = { ...process.env, KILN_PARSER: 'wasm' };
  return JSON.parse(execFileSync(process.execPath, [join(folder, 'dist/stdin.js')], { env, encoding: 'utf8' }));
}
