/** The command line and the library. A command loads only the files that it needs. */
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { leanPackages, OF_COMMAND_LINE } from './lean-packages.mjs';
import { shortenNames } from './short-names.mjs';

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
  for (const chunk of readdirSync(`${folder}/chunks`)) {
    if (!current.has(chunk)) rmSync(`${folder}/chunks/${chunk}`);
  }
}
