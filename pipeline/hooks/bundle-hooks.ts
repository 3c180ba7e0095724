/**
 * Puts the custom code of an application, with the packages that it imports, into one ES module: its default export is
 * the table of functions that the runtime calls. The source map in it names the author's files and lines, and nothing
 * in it depends on where the project lies, so the same sources give the same text everywhere.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ArtifactName } from '../../compiler/definition/artifacts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { systemReason } from '../../files/system-reason.ts';
import { kilnFolderOf, makeFolder, makeKilnFolder, writeWhole } from '../../files/write-file.ts';
import { type HookModules, importHooks } from '../../runtime/hooks/hook-code.ts';
import type { BundledPackage } from './bundled-packages.ts';
import embedded from './bundler.json' with { type: 'json' };
import type { BundleJob, BundleResult } from './bundler.ts';
import { type HookProblem, hookProblem } from './hook-problem.ts';
import { hookKey, sourceHooks } from './source-hooks.ts';

export type HookBundle =
  | { readonly text: string; readonly packages: readonly BundledPackage[] }
  | { readonly problems: readonly HookProblem[] };

/**
 * The path below `.kiln` and below the output of `kiln compile`. Both are two folders deep, so the source map fits
 * both.
 */
export const BUNDLE_FILE = 'hooks/hooks.mjs' satisfies ArtifactName;

/** Far more than any hooks need. */
const LIMITS = { seconds: 60, megabytes: 1024 };
type Limits = typeof LIMITS;

/**
 * Bundles the hooks; undefined where no hook has a source. A project is a folder of its author, or the files of a
 * revision, by their paths: others have written these, so nothing else can be imported then.
 */
export async function bundleHooks(
  project: Project,
  definition: Definition,
  limits = LIMITS,
): Promise<HookBundle | undefined> {
  const hooks = new Map(sourceHooks(definition).map((hook) => [hookKey(hook), hook]));
  if (hooks.size === 0) return undefined;
  const sorted = [...hooks].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, hook]) => hook);
  const result = await bundled(project, jobFor(project, entryText(sorted), limits), limits);
  if ('messages' in result) return { problems: result.messages.map((message) => hookProblem(message, ENTRY)) };
  return 'refusal' in result ? { problems: [hookProblem({ text: result.refusal, location: null }, ENTRY)] } : result;
}

const ENTRY = 'kiln-hooks-entry';

function entryText(hooks: readonly { readonly file: string; readonly export: string }[]): string {
  const imports = hooks.map(
    ({ file, export: name }, at) => `import { ${name} as hook${at} } from ${JSON.stringify(`./${file}`)};`,
  );
  const table = hooks.map((hook, at) => `  ${JSON.stringify(hookKey(hook))}: hook${at},`);
  return [...imports, 'export default {', ...table, '};', ''].join('\n');
}

type Project = string | RevisionFiles;
type RevisionFiles = ReadonlyMap<string, Uint8Array>;

function jobFor(project: Project, text: string, { megabytes }: Limits): BundleJob {
  const isClosed = typeof project !== 'string';
  return {
    esbuild: pathToFileURL(createRequire(import.meta.url).resolve('esbuild')).href,
    // Files are named as they are found, and through a link they would be found elsewhere.
    folder: isClosed ? join(realpathSync(tmpdir()), `kiln-hooks-${randomUUID()}`) : realpathSync(project),
    isClosed,
    entry: { name: ENTRY, text },
    outfile: join('.kiln', BUNDLE_FILE),
    memory: `it may use ${megabytes} MB of memory`,
  };
}

/** The process removes the folder of a revision, also if this one is killed; if it is killed itself, this one does. */
async function bundled(project: Project, job: BundleJob, { seconds, megabytes }: Limits): Promise<BundleResult> {
  const child = startBundler(megabytes);
  let result: BundleResult = { refusal: `its process ended; ${job.memory}` };
  const end = (last: BundleResult): void => {
    result = last;
    if (child.connected) child.disconnect();
  };
  child.once('message', end);
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  child.send(job.isClosed ? job.folder : '', () => undefined);
  const refusal = typeof project === 'string' ? undefined : unwritten(job.folder, project);
  if (refusal === undefined) child.send(job, () => undefined);
  else end({ refusal });
  const timer = setTimeout(() => {
    end({ refusal: `it takes longer than ${seconds} s` });
    killGroup(child);
  }, seconds * 1000);
  await ended;
  clearTimeout(timer);
  killGroup(child);
  if (job.isClosed) rmSync(job.folder, { recursive: true, force: true });
  return result;
}

function unwritten(folder: string, files: RevisionFiles): string | undefined {
  try {
    mkdirSync(folder, { mode: 0o700 });
    // esbuild looks for one in all folders above, and those of the machine are none of the project's.
    writeFileSync(join(folder, 'package.json'), '{}\n');
    for (const [path, content] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return undefined;
  } catch (error) {
    const what = `the code of hooks cannot be written to \`${dirname(folder)}\`, where it is bundled`;
    return `${what}: ${systemReason(error)}. Make room, or set TMPDIR to another folder`;
  }
}

/**
 * Starts esbuild in a process group of its own, so that Ctrl-C reaches Kiln alone. The shell sets the limits of the
 * process.
 */
function startBundler(megabytes: number): ChildProcess {
  const words = ['-c', `ulimit -d ${megabytes * 1024}; exec "$@"`, 'sh', process.execPath, '--input-type=module', '-e'];
  return spawn('/bin/sh', [...words, embedded.bundler], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has ended.
  }
}

// ── Load hooks ───────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Puts a bundle where its source map fits, and imports it. A sentence where it cannot be written, where the code fails
 * while it is loaded, or where what it exports cannot be called.
 */
export async function loadHooks(projectFolder: string, text: string): Promise<HookModules | string> {
  const file = join(kilnFolderOf(projectFolder), BUNDLE_FILE);
  const refusal = makeKilnFolder(projectFolder) ?? makeFolder(dirname(file)) ?? writeWhole(file, text);
  if (refusal !== undefined) return refusal;
  process.setSourceMapsEnabled(true);
  const modules = await importModules(file);
  return typeof modules === 'string' ? modules : (notAFunction(modules) ?? modules);
}

let imports = 0;

async function importModules(file: string): Promise<HookModules | string> {
  imports += 1;
  try {
    // A module is imported once for each of its URLs: what changed since is seen under another one.
    return await importHooks(`${pathToFileURL(file)}?${imports}`);
  } catch (error) {
    return `the hooks cannot be loaded: ${error instanceof Error ? withPlace(error) : String(error)}`;
  }
}

function withPlace({ name, message, stack }: Error): string {
  const place = /\((?:file:\/\/)?(\/[^)]+:\d+:\d+)\)|at (?:file:\/\/)?(\/.+:\d+:\d+)/.exec(stack ?? '');
  const where = place?.[1] ?? place?.[2];
  return `${name}: ${message}${where ? ` (${where})` : ''}`;
}

function notAFunction(modules: HookModules): string | undefined {
  const wrong = Object.entries(modules).find(([, hook]) => typeof hook !== 'function')?.[0];
  const [file, name] = wrong?.split('#') ?? [];
  return wrong && `\`${name}\` of \`${file}\` is not a function, so it cannot be a hook`;
}
