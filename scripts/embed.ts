/**
 * Puts the text of real files where code can import it: the parts of every client, the files of a new project, the
 * process that bundles hooks, and styles. The sources, the tests and the bundle then read them in the same way, and the compiler reads no file. Run `npm run embed`
 * after a change of one of those files; a test fails while what was embedded is stale.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const CLIENT_RUNTIME = 'compiler/emit/client/runtime/client-runtime';
const LIVE_RUNTIME = 'compiler/emit/client/runtime/live-runtime';
const PROJECT_FILES = 'pipeline/new/files';
const BUNDLER = 'pipeline/hooks/bundler';
/** The styles of the console that the pages of releases share. */
const STYLES = ['console/ui/tokens.css', 'console/models/drawing.css'];

/** By path in the repository, what `npm run embed` writes. */
export function embedded(): Readonly<Record<string, string>> {
  return {
    [`${CLIENT_RUNTIME}.json`]: json({ ...partsIn(CLIENT_RUNTIME), ...partsIn(LIVE_RUNTIME) }),
    [`${PROJECT_FILES}.json`]: json(filesIn(join(ROOT, PROJECT_FILES))),
    [`${BUNDLER}.json`]: json({ bundler: bundleOf(`${BUNDLER}.ts`) }),
    'pipeline/page/styles.json': json({ console: STYLES.map(bundleOf).join('') }),
  };
}

function partsIn(path: string): Readonly<Record<string, string>> {
  return partsOf(readFileSync(join(ROOT, `${path}.ts`), 'utf8'));
}

/** What follows each `// #part` line. What is above the first is only there so that the file can be checked. */
export function partsOf(text: string): Readonly<Record<string, string>> {
  const [, ...parts] = text.split(/\n*^\/\/ #part /m);
  return Object.fromEntries(
    parts.map((part) => [part.slice(0, part.indexOf('\n')), `${part.slice(part.indexOf('\n') + 1).trimEnd()}\n`]),
  );
}

function filesIn(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

function bundleOf(path: string): string {
  const options = { bundle: true, format: 'esm', platform: 'node', target: 'node20', minify: true } as const;
  const { outputFiles } = buildSync({ ...options, absWorkingDir: ROOT, entryPoints: [path], write: false });
  return outputFiles.map(({ text }) => text).join('');
}

function json(texts: Readonly<Record<string, string>>): string {
  return `${JSON.stringify(texts, undefined, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(embedded())) writeFileSync(join(ROOT, path), text);
}
