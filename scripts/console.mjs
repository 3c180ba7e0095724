/**
 * Bundles the console into the folder of the runtime: scripts and styles with the hash of their content in
 * their names, each compressed once and for all. What has its name already is not compressed again.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build } from 'esbuild';

const compressBrotli = promisify(brotliCompress);

const SHARED = {
  bundle: true,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  minify: true,
  write: false,
  platform: 'browser',
  target: ['chrome123', 'firefox121', 'safari17.5'],
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

/** Gives what esbuild says of it. */
export async function buildConsole(root, outdir) {
  const shared = { ...SHARED, jsx: 'automatic', jsxImportSource: 'preact', absWorkingDir: root, outdir };
  const [page, theme] = await Promise.all([
    build({ ...shared, format: 'esm', splitting: true, entryPoints: ['console/main.tsx', 'console/styles.css'] }),
    build({ ...shared, format: 'iife', entryPoints: ['console/theme.ts'] }),
  ]);
  const files = new Map(
    [...page.outputFiles, ...theme.outputFiles].map(({ path, contents }) => [basename(path), contents]),
  );
  const licenses = licensesOf(root);
  files.set(`licenses-${hashOf(licenses)}.txt`, Buffer.from(licenses));
  mkdirSync(outdir, { recursive: true });
  await Promise.all([...files].map(([name, contents]) => writeCompressed(outdir, name, contents)));
  writeFileSync(join(outdir, 'LICENSES.txt'), licenses);
  // Last, and only then the old ones go: a server that runs meanwhile has either all of the old or all of the new.
  writeFileSync(join(outdir, 'manifest.json'), JSON.stringify(manifestOf([...files.keys()])));
  removeOthers(outdir, files);
  return { outputs: { ...page.metafile.outputs, ...theme.metafile.outputs } };
}

function manifestOf(names) {
  const named = (name, extension) =>
    names.find((each) => each.startsWith(`${name}-`) && each.endsWith(`.${extension}`));
  return {
    theme: named('theme', 'js'),
    main: named('main', 'js'),
    styles: named('styles', 'css'),
    licenses: named('licenses', 'txt'),
  };
}

async function writeCompressed(outdir, name, contents) {
  const file = join(outdir, name);
  if (existsSync(`${file}.br`)) return;
  const options = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length } };
  writeFileSync(`${file}.br`, await compressBrotli(contents, options));
}

function removeOthers(outdir, files) {
  const kept = new Set([...files.keys()].map((name) => `${name}.br`));
  for (const name of readdirSync(outdir)) if (/\.(br|gz)$/.test(name) && !kept.has(name)) rmSync(join(outdir, name));
}

/** What the console contains of others. */
function licensesOf(root) {
  const text = (file) => readFileSync(join(root, 'node_modules', file), 'utf8').trim();
  const parts = [
    ['Preact (preact)', text('preact/LICENSE')],
    ['dagre (@dagrejs/dagre)', text('@dagrejs/dagre/LICENSE')],
    ['graphlib (@dagrejs/graphlib)', text('@dagrejs/graphlib/LICENSE')],
  ];
  const line = '='.repeat(80);
  return `The console contains the work of others, under these licences.\n\n${parts
    .map(([title, ...texts]) => `${line}\n${title}\n${line}\n\n${texts.join('\n\n')}\n`)
    .join('\n')}`;
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase();
}
