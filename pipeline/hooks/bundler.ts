/**
 * The process that bundles hooks, which others may have written. It has no environment, and limits that its parent sets.
 * esbuild reads no code itself: each file goes through `onLoad`, also those that esbuild finds for an import with a
 * pattern, which is not shown to `onResolve`. `npm run embed` puts this file into `bundler.json`, from where it is run.
 */
import { mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { BuildFailure, BuildOptions, Loader, OnLoadArgs, OnLoadResult, Plugin } from 'esbuild';
import { systemReason } from '../../files/system-reason.ts';
import { type BundledPackage, bundledPackages } from './bundled-packages.ts';
import { type BundleMessage, OUTSIDE } from './hook-problem.ts';

export interface BundleJob {
  /** The path of the module. */
  readonly esbuild: string;
  /** Absolute, without links. */
  readonly folder: string;
  /** What is all that the folder has while it exists. Without them it is a folder of the author, and stays as it is. */
  readonly files: ReadonlyMap<string, Uint8Array> | undefined;
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

process.once('message', async (job: BundleJob) => {
  // The parent is done, or is gone in whichever way. esbuild is in the same group of processes.
  process.once('disconnect', () => {
    if (job.files) rmSync(job.folder, { recursive: true, force: true });
    process.kill(-process.pid, 'SIGKILL');
  });
  process.send?.(await resultOf(job));
});

async function resultOf(job: BundleJob): Promise<BundleResult> {
  try {
    if (job.files) writeFiles(job.folder, job.files);
  } catch (error) {
    const what = `the code of hooks cannot be written to \`${dirname(job.folder)}\`, where it is bundled`;
    return { refusal: `${what}: ${systemReason(error)}. Make room, or set TMPDIR to another folder` };
  }
  process.chdir(job.folder);
  try {
    return await bundled(job);
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>;
    return errors ? { messages: unique(errors) } : { refusal: `esbuild ended (${String(error)}); ${job.memory}` };
  }
}

function writeFiles(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  mkdirSync(folder, { mode: 0o700 });
  // esbuild looks for one in all folders above, and those of the machine are none of the project's.
  writeFileSync(join(folder, 'package.json'), '{}\n');
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

async function bundled({ esbuild, folder, files, entry, outfile }: BundleJob): Promise<BundleResult> {
  const { build } = (await import(esbuild)) as typeof import('esbuild');
  const isInside = (path: string) => files === undefined || path.startsWith(folder + sep);
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
  // Otherwise esbuild looks for `tsconfig.json`, which may extend any file.
  tsconfigRaw: '{}',
  define: { __filename: 'kilnBundleFile', __dirname: 'kilnBundleFolder' },
  // What packages in CommonJS expect to be there. esbuild renames a `require` that an author declares.
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

/** What `with { type: … }` stands for. */
const LOADERS: Readonly<Record<string, Loader>> = { json: 'json', text: 'text', bytes: 'binary' };

/** An import with a pattern may lead to thousands of files. */
function unique(messages: readonly BundleMessage[]): readonly BundleMessage[] {
  const facts = messages.map(({ text, location }) => ({ text, location }));
  return [...new Map(facts.map((fact) => [JSON.stringify(fact), fact])).values()];
}
