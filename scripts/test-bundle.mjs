/**
 * Tests as JavaScript: their TypeScript, and all of it that they import, in fewer files. To load hundreds of files of
 * TypeScript takes a process of mocha four seconds, and as JavaScript one.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from './test-files.mjs';

/** Each file has the path below `folder` that it has in the repository, by which `bundledAs` and `sourceOf` go. */
export function bundleTests(files, folder) {
  return build({
    absWorkingDir: ROOT,
    entryPoints: [...files],
    outdir: folder,
    outbase: ROOT,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    define: { 'import.meta': 'kilnTestPlace' },
    plugins: [PLACE_OF_SOURCE],
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'error',
  });
}

/** Of runs that were killed: no run takes a day. */
export function removeOldBundles(place) {
  const oldest = Date.now() - 24 * 3600 * 1000;
  const old = readdirSync(place)
    .filter((name) => name.startsWith('tests-'))
    .map((name) => join(place, name))
    .filter((folder) => (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? oldest) < oldest);
  for (const folder of old) rmSync(folder, { recursive: true, force: true });
}

export function bundledAs(file, folder) {
  return join(folder, file.replace(/\.ts$/, '.mjs'));
}

export function sourceOf(bundled, folder) {
  return relative(folder, bundled).replace(/\.mjs$/, '.ts');
}

/** Whatever asks where it lies is told where its source lies. */
const PLACE_OF_SOURCE = {
  name: 'place-of-source',
  setup({ onLoad }) {
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      // In the first line, so that all others keep their numbers.
      return { contents: `${placeOf(path)} ${text}`, loader: extname(path).slice(1) };
    });
  },
};

function placeOf(path) {
  const [url, filename, folder] = [pathToFileURL(path).href, path, dirname(path)].map((text) => JSON.stringify(text));
  const resolve = `(name) => new URL(name, ${url}).href`;
  return `const kilnTestPlace = { url: ${url}, filename: ${filename}, dirname: ${folder}, resolve: ${resolve} };`;
}
