/** Makes what the manifest names under build/: the extension in one file, and the grammars. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { GRAMMAR } from '../grammar/grammar.ts';
import { MARKDOWN_GRAMMAR } from '../grammar/markdown.ts';

export const FOLDER = fileURLToPath(new URL('..', import.meta.url));

export async function buildExtension() {
  mkdirSync(`${FOLDER}build`, { recursive: true });
  writeGrammar('kiln', GRAMMAR);
  writeGrammar('kiln-in-markdown', MARKDOWN_GRAMMAR);
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

function writeGrammar(name, grammar) {
  writeFileSync(`${FOLDER}build/${name}.tmLanguage.json`, JSON.stringify(grammar));
}
