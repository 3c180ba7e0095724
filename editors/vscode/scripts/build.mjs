/** Makes what the manifest names under build/: the extension in one file. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export const FOLDER = fileURLToPath(new URL('..', import.meta.url));

export async function buildExtension() {
  await build({
    absWorkingDir: FOLDER,
    entryPoints: ['source/extension.ts'],
    outfile: 'build/extension.cjs',
    bundle: true,
    // The editor gives this module to its extensions.
    external: ['vscode'],
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    // Licences of what is bundled go along.
    legalComments: 'eof',
    logLevel: 'warning',
  });
}
