/** `kiln pipeline show`: a release as text, or its report as a page. */

import { spawn } from 'node:child_process';
import { mkdtempSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { visible } from '../../compiler/diagnostics/source-line.ts';
import { askGit, openRepository, type Repository } from '../git/repository.ts';
import { revisionOf } from '../git/revision.ts';
import { GitRefusal, lineOf } from '../git/run-git.ts';
import { type Deployment, deploymentsOf, readDeployments, recordDeployment } from '../ledger/deployments.ts';
import { reportPage, timeText } from '../page/report-page.ts';
import { buildOf, readJournal } from '../push/build-journal.ts';
import { releasePage } from '../push/build-report.ts';
import { found, showLines } from '../push/release-log.ts';
import { PushRefusal, readSettings } from '../push/settings.ts';
import { HOST, serveReleases } from '../serve/server.ts';
import { listenRefusal } from './listening.ts';
import { EXIT, type ExitCode, fired, mustWrite, note, print, refuse, stopSignal } from './terminal.ts';

interface ShowOptions {
  readonly open?: true;
  readonly html?: string;
}

export async function show(name: string, folder: string, { open, html }: ShowOptions): Promise<ExitCode> {
  const { repository, revision } = wanted(name, folder);
  if (open === undefined && html === undefined) {
    for (const line of showLines(repository, revision, readSettings(repository).branches)) print(line);
    return EXIT.ok;
  }
  const page = pageOf(repository, revision);
  const file = html ?? join(mkdtempSync(join(tmpdir(), 'kiln-report-')), `${revision.slice(0, 12)}.html`);
  mustWrite(file, page);
  print(resolve(file));
  if (open && !(await openInBrowser(resolve(file)))) note('No browser could be started: open the file yourself.');
  return EXIT.ok;
}

/** A folder alone is the repository of somebody who has left the revision out. */
function wanted(name: string, folder: string): { readonly repository: Repository; readonly revision: string } {
  try {
    const repository = openRepository(folder);
    return { repository, revision: revisionOf(repository, name) };
  } catch (error) {
    const isFolder = error instanceof GitRefusal && statSync(name, { throwIfNoEntry: false })?.isDirectory();
    if (!isFolder) throw error;
    throw new GitRefusal('unknown-revision', 'show needs a revision first: kiln pipeline show <rev> [repo]');
  }
}

/** Makes the page from the records. */
function pageOf(repository: Repository, revision: string): string {
  const { ledger, release } = found(repository, revision, readSettings(repository).branches);
  const here = readDeployments(repository).filter((deployment) => deployment.revision === revision);
  const live = here.map(({ environment }) => environment);
  return reportPage({ ...releasePage(repository, ledger, release), live });
}

// ── Pipeline deployed ────────────────────────────────────────────────────────────────────────────────────────────────

// `kiln pipeline deployed`: what is live where, and since when.

export function deployed(
  environment: string | undefined,
  release: string | undefined,
  { repo, by }: { readonly repo: string; readonly by?: string },
): ExitCode {
  const repository = openRepository(repo);
  if (environment === undefined) list(readDeployments(repository));
  else if (release === undefined) list(historyOf(repository, environment));
  else record(repository, environment, release, by);
  return EXIT.ok;
}

const NOTHING = 'Nothing is recorded yet. `kiln pipeline deployed <env> <release>` records what an environment runs.';

/** Another clone may have recorded them, so they may have any characters. */
function list(deployments: readonly Deployment[]): void {
  const widest = Math.max(0, ...deployments.map(({ environment }) => environment.length));
  for (const { environment, revision, branch, when, who } of deployments)
    print(visible(`${environment.padEnd(widest)}  ${revision.slice(0, 12)}  ${timeText(when)}  ${branch}, by ${who}`));
  if (deployments.length === 0) print(NOTHING);
}

function historyOf(repository: Repository, environment: string): readonly Deployment[] {
  const deployments = deploymentsOf(repository, environment);
  if (deployments.length > 0) return deployments;
  const known = readDeployments(repository).map((deployment) => `\`${deployment.environment}\``);
  const others = known.length === 0 ? 'no environment has any yet' : `there are ${known.join(', ')}`;
  throw new PushRefusal(`no deployment to \`${environment}\` is recorded; ${others}`);
}

function record(repository: Repository, environment: string, name: string, by: string | undefined): void {
  const revision = revisionOf(repository, name);
  const { branch } = found(repository, revision, readSettings(repository).branches);
  const [newest] = deploymentsOf(repository, environment);
  if (newest?.revision === revision) {
    print(`${environment} runs ${revision.slice(0, 12)} already, since ${timeText(newest.when)}`);
    return;
  }
  recordDeployment(repository, {
    environment,
    revision,
    branch,
    when: new Date().toISOString(),
    who: by ?? whoIsHere(repository),
  });
  print(
    `${environment} runs ${revision.slice(0, 12)} of ${branch}${newest ? `, after ${newest.revision.slice(0, 12)}` : ''}`,
  );
  if (buildOf(readJournal(repository, branch), revision)?.outcome === 'failed')
    note('Its image failed its test: `kiln pipeline show` says why.');
}

/** CI systems name the user who started the job. */
const VARIABLES = ['GITHUB_ACTOR', 'GITLAB_USER_LOGIN'];

function whoIsHere(repository: Repository): string {
  const inJob = VARIABLES.map((name) => process.env[name]).find(Boolean);
  return inJob ?? (lineOf(askGit(repository, ['config', '--get', 'user.name'])) || userName());
}

/** A process in a container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

// ── Pipeline serve ───────────────────────────────────────────────────────────────────────────────────────────────────

// `kiln pipeline serve`: a local page over all releases.

interface ServeOptions {
  readonly port: number;
  readonly open?: true;
}

export async function serve(folder: string, { port, open }: ServeOptions): Promise<ExitCode> {
  const repository = openRepository(folder);
  const stop = stopSignal();
  try {
    const server = await serveReleases(repository, port);
    const address = `http://${HOST}:${(server.address() as AddressInfo).port}/`;
    print(`The releases of ${repository.sharedFolder}: ${address}`);
    if (open && !(await openInBrowser(address))) note('No browser could be started: open the address yourself.');
    await fired(stop);
    server.close();
    server.closeAllConnections();
    return EXIT.ok;
  } catch (error) {
    const sentence = listenRefusal(error, { host: HOST, port });
    if (sentence === undefined) throw error;
    return refuse(sentence);
  }
}

// ── Open in browser ──────────────────────────────────────────────────────────────────────────────────────────────────

const PROGRAMS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** The time in which it shows that there is no browser. */
const TIMEOUT = 3000;

/** Whether a program took it. */
export function openInBrowser(address: string): Promise<boolean> {
  const [program, ...words] = PROGRAMS[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...words, address], { stdio: 'ignore', detached: true });
    const timer = setTimeout(() => resolve(true), TIMEOUT);
    const end = (isOpened: boolean): void => {
      clearTimeout(timer);
      resolve(isOpened);
    };
    child.on('error', () => end(false));
    child.on('exit', (code) => end(code === 0));
    child.unref();
  });
}
