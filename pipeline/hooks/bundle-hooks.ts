/**
 * Puts the custom code of an application, with the packages that it imports, into one ES module: its default export is
 * the table of functions that the runtime calls. The source map in it names the author's files and lines, and nothing
 * in it depends on where the project lies, so the same sources give the same text everywhere.
 */
import { join, resolve } from 'node:path';
import type { BuildFailure, BuildOptions, Plugin } from 'esbuild';
import type { ArtifactName } from '../../compiler/definition/artifacts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { type BundledPackage, bundledPackages } from './bundled-packages.ts';
import { type HookProblem, hookProblem } from './hook-problem.ts';
import { insideOnly } from './inside-only.ts';
import { hookKey, sourceHooks } from './source-hooks.ts';

export type HookBundle =
  | { readonly text: string; readonly packages: readonly BundledPackage[] }
  | { readonly problems: readonly HookProblem[] };

/** Below `.kiln` and below the output of `kiln compile`. Both are two folders deep, so the source map fits both. */
export const BUNDLE_FILE = 'hooks/hooks.mjs' satisfies ArtifactName;

/** `closed` is for code that others have written: then nothing outside of the folder can be imported. */
type Surroundings = 'open' | 'closed';

/** Nothing where no hook has a source. */
export async function bundleHooks(
  projectFolder: string,
  definition: Definition,
  surroundings: Surroundings = 'open',
): Promise<HookBundle | undefined> {
  const hooks = new Map(sourceHooks(definition).map((hook) => [hookKey(hook), hook]));
  if (hooks.size === 0) return undefined;
  const sorted = [...hooks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, hook]) => hook);
  const folder = resolve(projectFolder);
  return bundle(folder, entryText(sorted), surroundings === 'closed' ? [insideOnly(folder)] : []);
}

const ENTRY = 'kiln-hooks-entry';

interface HookName {
  readonly file: string;
  readonly export: string;
}

function entryText(hooks: readonly HookName[]): string {
  const imports = hooks.map(
    ({ file, export: name }, at) => `import { ${name} as hook${at} } from ${JSON.stringify(`./${file}`)};`,
  );
  const table = hooks.map((hook, at) => `  ${JSON.stringify(hookKey(hook))}: hook${at},`);
  return [...imports, 'export default {', ...table, '};', ''].join('\n');
}

async function bundle(folder: string, entry: string, plugins: Plugin[]): Promise<HookBundle> {
  const { build, stop } = await import('esbuild');
  builds += 1;
  try {
    const { outputFiles, metafile } = await build({
      ...optionsFor(folder),
      plugins,
      stdin: stdinFor(folder, entry),
      write: false,
    });
    return { text: outputFiles.map(({ text }) => text).join(''), packages: bundledPackages(folder, metafile) };
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    return { problems: error.errors.map((message) => hookProblem(message, ENTRY)) };
  } finally {
    builds -= 1;
    if (builds === 0) await stop();
  }
}

/** How many run now. The process behind esbuild is of no use to a server that runs for days. */
let builds = 0;

function stdinFor(folder: string, contents: string) {
  return { contents, resolveDir: folder, sourcefile: ENTRY, loader: 'js' as const };
}

function optionsFor(folder: string) {
  return {
    absWorkingDir: folder,
    outfile: join(folder, '.kiln', BUNDLE_FILE),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    sourcemap: 'inline',
    sourcesContent: false,
    metafile: true,
    banner: { js: COMMONJS_NAMES },
    define: { __filename: 'kilnBundleFile', __dirname: 'kilnBundleFolder' },
    logLevel: 'silent',
  } as const satisfies BuildOptions;
}

/** What packages in CommonJS expect to be there. esbuild renames a `require` that an author declares. */
const COMMONJS_NAMES = [
  `import { createRequire as kilnCreateRequire } from 'node:module';`,
  `import { dirname as kilnDirname } from 'node:path';`,
  `import { fileURLToPath as kilnFileFromUrl } from 'node:url';`,
  'const kilnBundleFile = kilnFileFromUrl(import.meta.url);',
  'const kilnBundleFolder = kilnDirname(kilnBundleFile);',
  'const require = kilnCreateRequire(import.meta.url);',
].join('\n');

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}
