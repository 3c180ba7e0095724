/** `kiln pipeline wait`: the outcome of a push as an exit code, since that of `git push` is known before the build. */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { git, openRepository, type Repository } from '../git/repository.ts';
import { revisionOf } from '../git/revision.ts';
import { freeEnvironment, gitFailure, lineOf, runGit } from '../git/run-git.ts';
import { recordsOf } from '../ledger/ledger-reference.ts';
import { type BuildStatus, pushedBuilds, readJournal, readStatus } from '../push/build-journal.ts';
import { folderInTree, mustNameBranches, PushRefusal } from '../push/settings.ts';
import { complainOf } from './build-complaint.ts';
import { complain, EXIT, type ExitCode, print, stopSignal } from './terminal.ts';

interface WaitOptions {
  readonly branch: string;
  readonly dir?: string;
  /** The timeout, in seconds. */
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
      timeout: timeout * 1000,
      signal,
    });
    return told(`${branch} ${revision.slice(0, 12)}`, status, timeout);
  } catch (error) {
    return complainOf(error, signal);
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

// ── Wait for build ───────────────────────────────────────────────────────────────────────────────────────────────────

// Waits until a pushed revision has been built, for scripts that have to know how it ended. The repository may be a
// folder or be reached through git alone, so only what `git fetch` brings is looked at.

export interface AwaitedBuild {
  /** A folder, a URL, or a remote of the repository around the current folder. */
  readonly repository: string;
  readonly branch: string;
  /** The folder of the project in the repository's tree; empty for the top. */
  readonly folder: string;
  /** The revision to wait for; the tip of the branch where it is missing. */
  readonly revision?: string;
  /** The timeout, in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

const PAUSE = 1000;

/** The last word on the revision; what it was when the time was over, or undefined where nothing is known of it. */
export async function waitForBuild(awaited: AwaitedBuild): Promise<{
  readonly revision: string;
  readonly status: BuildStatus | undefined;
}> {
  const { branch, folder, timeout, signal } = awaited;
  const url = urlOf(awaited.repository);
  const revision = awaited.revision ?? headOf(url, branch);
  const place = mkdtempSync(join(tmpdir(), 'kiln-wait-'));
  try {
    const copy = emptyRepository(place, folder);
    const end = Date.now() + timeout;
    for (;;) {
      fetchRecords(copy, url);
      const status = statusOf(copy, branch, revision);
      if ((status !== undefined && status.outcome !== 'building') || Date.now() + PAUSE > end)
        return { revision, status };
      await sleep(PAUSE, undefined, { signal });
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/**
 * Resolves a repository to a URL. Git knows the names of remotes; a folder becomes an absolute path, because git runs
 * elsewhere.
 */
function urlOf(repository: string): string {
  if (repository === '' || repository.startsWith('-')) throw new PushRefusal(`\`${repository}\` is not a repository`);
  if (isFolder(repository)) return resolve(repository);
  const url = lineOf(runGit(['ls-remote', '--get-url', repository], HERE)) || repository;
  // Git takes the folder of a remote from the top of the work tree.
  const folder = resolve(lineOf(runGit(['rev-parse', '--show-toplevel'], HERE)), url);
  return isFolder(folder) ? folder : url;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

const HERE = { folder: '.', environment: freeEnvironment(process.env) };

function headOf(url: string, branch: string): string {
  const { status, bytes, stderr } = runGit(['ls-remote', '--', url, `refs/heads/${branch}`], HERE);
  if (status !== 0) throw gitFailure(`read \`${url}\``, stderr);
  const [head] = bytes.toString('utf8').split('\t');
  if (head) return head;
  throw new PushRefusal(`\`${url}\` has no branch \`${branch}\`; name another one with --branch`);
}

function emptyRepository(place: string, folder: string): Repository {
  const { status, stderr } = runGit(['init', '--quiet', '--bare', '.'], { ...HERE, folder: place });
  if (status !== 0) throw gitFailure(`make a repository in \`${place}\``, stderr);
  return { ...openRepository(place), folder };
}

/** Fetches the records by patterns: a reference that is named exactly would have to exist. */
function fetchRecords(copy: Repository, url: string): void {
  const patterns = [recordsOf(copy, 'status'), recordsOf(copy, 'builds')].map((each) => `+${each}/*:${each}/*`);
  git(copy, `read \`${url}\``, ['fetch', '--quiet', '--no-tags', '--', url, ...patterns]);
}

/** The status is of the newest push alone; the journal has all that came to an end. */
function statusOf(copy: Repository, branch: string, revision: string): BuildStatus | undefined {
  const newest = readStatus(copy, branch);
  const ended = pushedBuilds(readJournal(copy, branch)).findLast((build) => build.revision === revision);
  // A build that was killed right after it had ended left its status behind.
  const isOver = newest?.outcome === 'building' && ended !== undefined && ended.outcome !== 'failed';
  return newest?.revision === revision && !isOver ? newest : ended;
}
