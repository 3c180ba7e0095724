/**
 * Waits until a pushed revision has been built, for scripts that have to know how it ended. The repository may be a
 * folder or be reached through git alone, so only what `git fetch` brings is looked at.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freeEnvironment } from '../git/git-environment.ts';
import { gitFailure } from '../git/git-refusal.ts';
import { git, openRepository, type Repository } from '../git/repository.ts';
import { lineOf, runGit } from '../git/run-git.ts';
import { recordsOf } from '../ledger/ledger-reference.ts';
import { pushedBuilds, readJournal } from './build-journal.ts';
import { type BuildStatus, readStatus } from './build-status.ts';
import { PushRefusal } from './push-refusal.ts';

export interface AwaitedBuild {
  /** A folder, a URL, or a remote of the repository around the current folder. */
  readonly repository: string;
  readonly branch: string;
  /** Of the project in the repository's tree; empty for the top. */
  readonly folder: string;
  /** Where the branch is, where it is not said. */
  readonly revision?: string;
  /** In milliseconds. */
  readonly patience: number;
  readonly signal: AbortSignal;
}

const PAUSE = 1000;

/** The last word on the revision; what it was when patience ended, or undefined where nothing is known of it. */
export async function waitForBuild(awaited: AwaitedBuild): Promise<{
  readonly revision: string;
  readonly status: BuildStatus | undefined;
}> {
  const { branch, folder, patience, signal } = awaited;
  const url = urlOf(awaited.repository);
  const revision = awaited.revision ?? headOf(url, branch);
  const place = mkdtempSync(join(tmpdir(), 'kiln-wait-'));
  try {
    const copy = emptyRepository(place, folder);
    const end = Date.now() + patience;
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

/** What a remote is called here, git knows; a folder is named from the root, since git runs elsewhere. */
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

/** With a pattern each, since a reference that is named has to be there. */
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
