/** Scripts for processes of their own, which start several times faster than by loading TypeScript. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** A TypeScript file and all that it imports, as one file that `node` runs in whichever folder, until this process ends. */
export function bundled(script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-script-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'script.mjs');
  buildSync({
    entryPoints: [fileURLToPath(script)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    // Packages in CommonJS ask for Node's own modules with `require`, which an ES module does not have.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}
