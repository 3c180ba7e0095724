/** Runs the git program, without a shell and until it ends: words and bytes in, bytes out. */
import { spawnSync } from 'node:child_process';
import { systemReason } from '../../files/system-reason.ts';
import type { Environment } from './git-environment.ts';
import { GitRefusal } from './git-refusal.ts';

export interface GitRun {
  readonly folder: string;
  readonly environment: Environment;
  readonly input?: Uint8Array | string;
}

export interface GitResult {
  /** 0 where git did it. */
  readonly status: number;
  readonly bytes: Buffer;
  readonly stderr: string;
}

/** Settings that would change what Kiln writes, or how long it waits. */
const SETTINGS = [
  'i18n.commitEncoding=UTF-8',
  // A release that a reference names is on the disk: a machine that loses power keeps it. Older versions ignore this.
  'core.fsync=committed',
  'core.filesRefLockTimeout=2000',
].flatMap((setting) => ['-c', setting]);

export function runGit(words: readonly string[], { folder, environment, input = '' }: GitRun): GitResult {
  const options = { cwd: folder, env: environment, input, maxBuffer: Number.POSITIVE_INFINITY };
  const { status, signal, stdout, stderr, error } = spawnSync('git', [...SETTINGS, ...words], options);
  // Git may end before it has read all that it is given; what it says then is in its status.
  if (error && !(isClosedPipe(error) && status !== null)) throw notRun(error);
  if (status === null) throw new GitRefusal('failed', `git was ended by ${signal}`);
  return { status, bytes: stdout, stderr: stderr.toString('utf8') };
}

/** The text that a command gives, without the line break at its end. */
export function lineOf({ bytes }: GitResult): string {
  return bytes.toString('utf8').replace(/\n$/, '');
}

function isClosedPipe(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE';
}

function notRun(error: NodeJS.ErrnoException): Error {
  if (error.code === 'ENOENT')
    return new GitRefusal('git-missing', 'Kiln needs the program `git`, which is not installed');
  return new GitRefusal('failed', `git cannot be run: ${systemReason(error)}`, { cause: error });
}
