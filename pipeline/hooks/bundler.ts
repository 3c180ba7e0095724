/**
 * The process that bundles hooks, which others may have written. It has no environment, and limits that its parent sets.
 * esbuild reads no code itself: each file goes through `onLoad`, also those that esbuild finds for an import with a
 * pattern, which is not shown to `onResolve`. `npm run embed` puts this file into `bundler.json`, from where it is run.
 */
import { readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import type { BuildFailure, BuildOptions, Loader, OnLoadArgs, OnLoadResult, Plugin } from 'esbuild';
import { type BundledPackage, bundledPackages } from './bundled-packages.ts';
import { type BundleMessage, OUTSIDE } from './hook-problem.ts';

export interface BundleJob {
  /** The path of the module. */
  readonly esbuild: string;
  /** The absolute path, without links. */
  readonly folder: string;
  /** Whether imports from outside of the folder are forbidden. */
  readonly isClosed: boolean;
  readonly entry: { readonly name: string; readonly text: string };
  /** Relative to the folder; the places in the source map fit it. */
  readonly outfile: string;
  /** The limit, in words. */
  readonly memory: string;
}

export type BundleResult =
  | { readonly text: string; readonly packages: readonly BundledPackage[] }
  | { readonly messages: readonly BundleMessage[] }
  | { readonly refusal: string };

/**
 * The first message names the folder to remove at the end, which may not exist yet, or is empty; the second is the job.
 */
process.once('message', (removed: string) => {
  // The parent is done, or is gone in whichever way. esbuild is in the same group of processes.
  process.once('disconnect', () => {
    if (removed !== '') rmSync(removed, { recursive: true, force: true });
    process.kill(-process.pid, 'SIGKILL');
  });
  process.once('message', async (job: BundleJob) => process.send?.(await resultOf(job)));
});

async function resultOf(job: BundleJob): Promise<BundleResult> {
  process.chdir(job.folder);
  try {
    return await bundled(job);
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>;
    return errors ? { messages: unique(errors) } : { refusal: `esbuild ended (${String(error)}); ${job.memory}` };
  }
}

async function bundled({ esbuild, folder, isClosed, entry, outfile }: BundleJob): Promise<BundleResult> {
  const { build } = (await import(esbuild)) as typeof import('esbuild');
  const isInside = (path: string) => !isClosed || path.startsWith(folder + sep);
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    absWorkingDir: folder,
    outfile: join(folder, outfile),
    stdin: { contents: entry.text, resolveDir: folder, sourcefile: entry.name, loader: 'js' },
    plugins: [reading(isInside)],
  });
  const outside = Object.keys(metafile.inputs).find((path) => !isInside(resolve(folder, path)));
  if (outside !== undefined) return { messages: [{ text: OUTSIDE, location: null }] };
  return { text: outputFiles.map(({ text }) => text).join(''), packages: bundledPackages(folder, metafile) };
}

const OPTIONS = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  charset: 'utf8',
  sourcemap: 'inline',
  sourcesContent: false,
  metafile: true,
  write: false,
  // Without this, esbuild looks for `tsconfig.json`, which may extend any file.
  tsconfigRaw: '{}',
  define: { __filename: 'kilnBundleFile', __dirname: 'kilnBundleFolder' },
  // CommonJS packages expect these. esbuild renames a `require` that an author declares.
  banner: {
    js: [
      `import { createRequire as kilnCreateRequire } from 'node:module';`,
      `import { dirname as kilnDirname } from 'node:path';`,
      `import { fileURLToPath as kilnFileFromUrl } from 'node:url';`,
      'const kilnBundleFile = kilnFileFromUrl(import.meta.url);',
      'const kilnBundleFolder = kilnDirname(kilnBundleFile);',
      'const require = kilnCreateRequire(import.meta.url);',
    ].join('\n'),
  },
  logLevel: 'silent',
} as const satisfies BuildOptions;

function reading(isInside: (path: string) => boolean): Plugin {
  return { name: 'reading', setup: (build) => build.onLoad({ filter: /./, namespace: 'file' }, loaded) };

  function loaded({ path, with: { type = '' } }: OnLoadArgs): OnLoadResult {
    if (!isInside(path) || !isInside(realpathSync(path))) return { errors: [{ text: OUTSIDE }] };
    if (!statSync(path).isFile()) return { errors: [{ text: `\`${path}\` is not a regular file` }] };
    const content = readFileSync(path);
    const hasMap = type === '' && CODE.test(path) && content.includes('sourceMappingURL');
    return { contents: hasMap ? `${content}${NO_MAP}` : content, loader: LOADERS[type] ?? 'default' };
  }
}

const CODE = /\.(?:[cm]?[jt]sx?|css)$/;

/** The last such comment counts, and esbuild reads no map from an address that is not a file's. */
const NO_MAP = '\n/*# sourceMappingURL=none: */\n';

/** The loaders for `with { type: … }`. */
const LOADERS: Readonly<Record<string, Loader>> = { json: 'json', text: 'text', bytes: 'binary' };

/** An import with a pattern may lead to thousands of files. */
function unique(messages: readonly BundleMessage[]): readonly BundleMessage[] {
  const facts = messages.map(({ text, location }) => ({ text, location }));
  return [...new Map(facts.map((fact) => [JSON.stringify(fact), fact])).values()];
}
