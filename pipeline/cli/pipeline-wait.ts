/** `kiln pipeline wait`: the outcome of a push as an exit code, since that of `git push` is known before the build. */
import { openRepository } from '../git/repository.ts';
import { revisionOf } from '../git/revision.ts';
import type { BuildStatus } from '../push/build-status.ts';
import { folderInTree, mustNameBranches } from '../push/settings.ts';
import { waitForBuild } from '../push/wait-for-build.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { complainOfPush } from './push-complaint.ts';
import { stopSignal } from './stop-signal.ts';
import { complain, print } from './terminal.ts';

interface WaitOptions {
  readonly branch: string;
  readonly dir?: string;
  /** In seconds. */
  readonly timeout: number;
}

export async function wait(
  repository: string,
  name: string | undefined,
  { branch, dir = '', timeout }: WaitOptions,
): Promise<ExitCode> {
  const signal = stopSignal();
  try {
    mustNameBranches([branch]);
    const { revision, status } = await waitForBuild({
      repository,
      branch,
      folder: folderInTree(dir),
      ...(name === undefined ? {} : { revision: revisionFrom(name) }),
      patience: timeout * 1000,
      signal,
    });
    return told(`${branch} ${revision.slice(0, 12)}`, status, timeout);
  } catch (error) {
    return complainOfPush(error, signal);
  }
}

/** A full hash needs no clone. */
function revisionFrom(name: string): string {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(name) ? name : revisionOf(openRepository('.'), name);
}

function told(which: string, status: BuildStatus | undefined, timeout: number): ExitCode {
  switch (status?.outcome) {
    case 'tested':
      print(`${which} is tested: ${status.image}`);
      return EXIT.ok;
    case 'unpushed':
      return failed(`${which} is tested, but its image is not in the registry: ${withoutStop(status.why)}`);
    case 'failed':
      return failed(`${which} failed: ${withoutStop(status.why)}`);
    case 'unbuilt':
      return failed(
        `${which} is not built: ${withoutStop(status.why)}. \`kiln pipeline resume\` in its repository builds it`,
      );
    case 'building':
      return failed(
        `${which} is not done after ${timeout} s. Wait longer with --timeout; \`kiln pipeline resume\` in its repository continues a build that was killed`,
      );
    case undefined:
      return failed(`${which} was not built within ${timeout} s. Is it pushed, and is \`--branch\` one that is built?`);
    default:
      return status satisfies never;
  }
}

function failed(sentence: string): ExitCode {
  complain(sentence);
  return EXIT.errors;
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
