/**
 * The command line and the library, as one script of CommonJS. V8 gives out what it has compiled of a script, and takes it
 * back in the next run; of an ES module it does not on Node 20. One file is also found and read faster than sixty.
 */
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { LEAN_DOCKERODE } from './lean-dockerode.mjs';
import { shortenNames } from './short-names.mjs';

/** A function, as Node itself makes one of a CommonJS file. `import.meta` is only in ES modules. */
const BEFORE = `(function (exports, require, module, __filename, __dirname, kilnImport) {
const kilnBundleUrl = require('node:url').pathToFileURL(__filename).href;`;
const AFTER = '})';

export async function buildCommandLine(root, shared, external) {
  const { metafile } = await build({
    ...shared,
    entryPoints: { bundle: 'pipeline/cli/bundle.ts' },
    entryNames: 'chunks/[name]-[hash]',
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    splitting: false,
    banner: {},
    define: { ...shared.define, 'import.meta.url': 'kilnBundleUrl', 'import.meta.dirname': '__dirname' },
    external,
    plugins: [...shared.plugins, LEAN_DOCKERODE, importsFromOutside(external)],
  });
  const [[bundle, { imports }]] = Object.entries(metafile.outputs);
  const left = imports.filter(({ kind }) => kind === 'dynamic-import');
  if (left.length > 0)
    throw new Error(
      `import('${left[0].path}') is left in the bundle: write \`await import('…')\`, only that form is rewritten`,
    );
  await shortenNames(`${root}${bundle}`);
  writeAsFunction(`${root}${bundle}`);
  await build({
    ...shared,
    entryPoints: { kiln: 'pipeline/cli/main.ts', library: 'pipeline/cli/library-entry.ts' },
    outdir: 'dist',
    splitting: false,
    banner: {},
    define: { KILN_BUNDLE: JSON.stringify(bundle.replace(/^dist\//, '')) },
  });
  chmodSync(`${root}dist/kiln.js`, 0o755);
  removeOldChunks(`${root}dist`, metafile.outputs);
}

/**
 * A script that V8 has taken back cannot call `import()` on Node 20. What is not in the bundle, such as a package or the
 * code of hooks, is imported by the entry.
 */
function importsFromOutside(packages) {
  const isOutside = (name) => name === undefined || packages.some((each) => `${name}/`.startsWith(`${each}/`));
  return {
    name: 'imports-from-outside',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        const contents = text.replace(/\bawait import\((?:'([^']*)')?/g, (call, name) =>
          isOutside(name) ? call.replace('import', 'kilnImport') : call,
        );
        return { contents, loader: 'ts' };
      });
    },
  };
}

/** In ASCII: esbuild leaves other characters in templates and regular expressions. */
function writeAsFunction(file) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = readFileSync(file, 'utf8').replace(/[^\x00-\x7f]/g, escaped);
  writeFileSync(file, `${BEFORE}\n${text}${AFTER}`);
}

/** Only after a build: a command that runs meanwhile may still load them. */
export function removeOldChunks(folder, outputs) {
  const current = new Set(Object.keys(outputs).map((output) => basename(output)));
  for (const chunk of readdirSync(`${folder}/chunks`)) {
    if (!current.has(chunk)) rmSync(`${folder}/chunks/${chunk}`);
  }
}
