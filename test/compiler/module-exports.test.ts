import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { build, type Loader, type Plugin } from 'esbuild';
import { exportsOf } from '../../compiler/check/module-exports.ts';

/** Modules as texts, because the type checker and the formatter have opinions on how strange a source may be. */
const FOLDER = join(import.meta.dirname, 'modules');

describe('exports of a module', () => {
  for (const file of readdirSync(FOLDER)) {
    it(`are those that esbuild finds in ${file}`, async () => {
      const exported = exportsOf(textOf(file));
      assert.equal(exported.open, false);
      assert.deepEqual([...exported.names].sort(), await exportsByEsbuild(file));
    });
  }

  const open = ["export * from './a.js';", 'export = { f() {} };', 'exports.f = () => 1;', 'module.exports = { f };'];
  for (const text of open) {
    it(`cannot all be known where it says ${text}`, () => assert.equal(exportsOf(text).open, true));
  }

  for (const text of [
    '',
    'export',
    'export {',
    'export { a as',
    'export const',
    'export const {',
    '@',
    '`${',
    '}}}',
    '/',
  ]) {
    it(`are read from what is no module: ${JSON.stringify(text)}`, () => assert.equal(exportsOf(text).open, false));
  }
});

function textOf(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

/** The bundle decides what exists: it leaves out what turns out to be a type. */
async function exportsByEsbuild(file: string): Promise<readonly string[]> {
  const { metafile } = await build({
    entryPoints: [`./${file.replace(/\.txt$/, '')}`],
    bundle: true,
    format: 'esm',
    metafile: true,
    write: false,
    outfile: 'out.js',
    logLevel: 'silent',
    plugins: [modulesAsTexts],
  });
  return Object.values(metafile.outputs)
    .flatMap((output) => output.exports)
    .sort();
}

const modulesAsTexts: Plugin = {
  name: 'modules as texts',
  setup(builder) {
    builder.onResolve({ filter: /^\.\// }, ({ path }) => ({ path: path.slice(2), namespace: 'texts' }));
    builder.onLoad({ filter: /./, namespace: 'texts' }, ({ path }) => ({
      contents: textOf(`${path}.txt`),
      loader: extname(path).slice(1) as Loader,
    }));
  },
};
