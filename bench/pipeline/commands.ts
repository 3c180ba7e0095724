/** Commands that the measurements run, and how long they take. */
import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
const KILN = resolve(ROOT, 'dist/kiln.js');

interface Ran {
  readonly milliseconds: number;
  readonly output: string;
}

/** Throws with all that was said where the command fails. */
export function run(program: string, args: readonly string[], options: SpawnSyncOptions = {}): Ran {
  const start = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, args, { maxBuffer: 1 << 28, ...options });
  const milliseconds = performance.now() - start;
  const output = `${String(stdout ?? '')}${String(stderr ?? '')}`;
  if (error) throw new Error(`starting ${program}`, { cause: error });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${output.slice(-4000)}`);
  return { milliseconds, output };
}

export function kiln(args: readonly string[], folder: string): Ran {
  return run(process.execPath, [KILN, ...args], { cwd: folder });
}

const AUTHOR = ['-c', 'user.name=bench', '-c', 'user.email=bench@kiln.test'];

export function git(folder: string, ...args: readonly string[]): Ran {
  return run('git', [...AUTHOR, ...args], { cwd: folder });
}

export function docker(...args: readonly string[]): Ran {
  return run('docker', args);
}

/** With the builder that is today's default, or with the classic one. */
export function dockerBuild(folder: string, tag: string, isBuildKit: boolean, ...args: readonly string[]): Ran {
  const env = { ...process.env, DOCKER_BUILDKIT: isBuildKit ? '1' : '0' };
  return run('docker', ['build', '--quiet', '--tag', tag, ...args, '.'], { cwd: folder, env });
}

export function median(values: readonly number[]): number {
  const inOrder = [...values].sort((a, b) => a - b);
  return inOrder[Math.floor(inOrder.length / 2)] ?? Number.NaN;
}
