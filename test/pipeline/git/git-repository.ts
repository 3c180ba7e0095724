/** Real git repositories in temporary folders, gone when the run is over. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const folders: string[] = [];

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kiln-git-')));
  folders.push(folder);
  return folder;
}

/** What the settings of the one who runs the tests do not reach. */
export const ENVIRONMENT = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.org',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.org',
};

/** After a commit git would start another process to tidy up. */
const SETTINGS = ['protocol.file.allow=always', 'advice.detachedHead=false', 'maintenance.auto=false'];

export function gitIn(folder: string, ...words: readonly string[]): string {
  return run(folder, words, {});
}

function run(folder: string, words: readonly string[], more: Readonly<Record<string, string>>): string {
  const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
  const options = { cwd: folder, env: { ...ENVIRONMENT, ...more }, stdio: 'pipe' } as const;
  return execFileSync('git', [...settings, ...words], options)
    .toString()
    .trimEnd();
}

/** On the branch `main`. */
export function newRepository(name = 'blog'): string {
  const folder = join(temporaryFolder(), name);
  mkdirSync(folder);
  gitIn(folder, 'init', '--quiet', '-b', 'main');
  return folder;
}

/** With all that is in it, under the same name. */
export function copyOfRepository(folder: string): string {
  const copy = join(temporaryFolder(), basename(folder));
  cpSync(folder, copy, { recursive: true });
  return copy;
}

export function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

let clock = 1_700_000_000;

/** Each a minute after the one before, so that nothing depends on how fast the tests run. */
export function commit(folder: string, message = 'Change', ...words: readonly string[]): string {
  clock += 60;
  const date = `${clock} +0200`;
  gitIn(folder, 'add', '--all');
  const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  run(folder, ['commit', '--quiet', '--allow-empty', '-m', message, ...words], dates);
  return headOf(folder);
}

/** Without another process where the folder is a repository of its own, on a branch: a commit has just written its file. */
function headOf(folder: string): string {
  const head = join(folder, '.git/HEAD');
  const branch = existsSync(head) ? /^ref: (.+)\n$/.exec(readFileSync(head, 'utf8'))?.[1] : undefined;
  if (branch === undefined) return gitIn(folder, 'rev-parse', 'HEAD');
  return readFileSync(join(folder, '.git', branch), 'utf8').trimEnd();
}

/** What is thrown, as it is told to a user. */
export function refusalOf(act: () => unknown): { readonly kind: unknown; readonly message: string } {
  try {
    act();
  } catch (error) {
    if (error instanceof Error && 'kind' in error) return { kind: error.kind, message: error.message };
    throw error;
  }
  throw new Error('nothing was refused');
}

after('removes the repositories', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
});
