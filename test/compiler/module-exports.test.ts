import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { build, type Loader, type Plugin } from 'esbuild';
import { exportsOf } from '../../compiler/check/hooks.ts';

/** Modules as texts, because the type checker and the formatter have opinions on how strange a source may be. */
const FOLDER = join(import.meta.dirname, 'modules');

describe('exports of a module', () => {
  for (const file of readdirSync(FOLDER)) {
    it(`have all that esbuild finds in ${file}, or are left open`, async () => {
      const exported = exportsOf(textOf(file));
      if (!exported.open)
        assert.deepEqual(
          (await exportsByEsbuild(file)).filter((name) => !exported.names.has(name)),
          [],
        );
    });
  }

  const usual: Readonly<Record<string, string>> = {
    'export async function go(id: number) { return id }\nexport const later = async (x) => {}\nexport { go as gone }':
      'go later gone',
    'export default function () {}\nexport type Options = string\nexport interface More { a: 1 }': 'default',
    'const code = `export const hidden\n${1} export const no`, $export = 1\n// export const no\nexport { code, type Hidden } from "./code.ts"':
      'code',
    'export class Mail {}\nexport enum Kind { a, b }\nexport let count = [1, 2], other': '',
  };
  for (const [text, names] of Object.entries(usual)) {
    it(`of ${JSON.stringify(text)} are ${names || 'left open'}`, () => {
      const exported = exportsOf(text);
      assert.equal(exported.open, names === '');
      if (!exported.open) assert.deepEqual([...exported.names], names.split(' '));
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
    it(`are none in what is no module: ${JSON.stringify(text)}`, () => assert.equal(exportsOf(text).names.size, 0));
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
