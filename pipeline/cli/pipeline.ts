/** `kiln pipeline`: a bare repository whose pushes build, and what its hooks call. */
import { readFileSync, realpathSync } from 'node:fs';
import { openRepository, type Repository, referenceId } from '../git/repository.ts';
import { type BranchOutcome, type BuildRun, buildBranch, waitingText } from '../push/build-branch.ts';
import { failureAdvice } from '../push/build-journal.ts';
import { endPushTurn, type PushedBranch, type QueuedBuild, takePushTurn } from '../push/build-queue.ts';
import { checkPush, mustBeMadeHere, notBuiltText, pushedBranches, pushedRecords } from '../push/check-push.ts';
import { logLines } from '../push/release-log.ts';
import {
  adoptRepository,
  DEFAULT_BRANCH,
  folderInTree,
  installHooks,
  mustAllowHooks,
  mustNameBranches,
  mustNameImage,
  openBare,
  type PushSettings,
  readSettings,
  writeSettings,
} from '../push/settings.ts';
import { Steps } from '../smoke/steps.ts';
import { complainOf } from './build-complaint.ts';
import { complain, EXIT, type ExitCode, goOnUnread, print, stopSignal } from './terminal.ts';

interface InitOptions {
  readonly branch?: readonly string[];
  readonly base?: string;
  readonly postgres?: string;
  /** The registry to push to; false where `--no-push` removes it. */
  readonly push?: string | false;
  /** The folder of the project in the repository's tree. */
  readonly dir?: string;
}

export function init(folder: string, options: InitOptions): ExitCode {
  mustNameBranches(options.branch ?? []);
  if (typeof options.push === 'string') mustNameImage(options.push);
  const dir = options.dir === undefined ? undefined : folderInTree(options.dir);
  const { repository, isNew } = adoptRepository(folder, options.branch?.[0] ?? DEFAULT_BRANCH);
  mustAllowHooks(repository);
  const settings = settingsFrom(readSettings(repository), { ...options, ...(dir === undefined ? {} : { dir }) });
  writeSettings(repository, settings);
  installHooks(repository, [process.execPath, realpathSync(process.argv[1] ?? '')]);
  print(`${isNew ? 'Made' : 'Adopted'} ${repository.sharedFolder}`);
  print(`  builds  ${settings.branches.join(', ')}${settings.folder === '' ? '' : `, the folder ${settings.folder}`}`);
  print(`  base    ${settings.base}`);
  print(`  tests   with ${settings.postgres}`);
  if (settings.push !== null) print(`  pushes  to ${settings.push}`);
  print(`Push to it: git push ${repository.sharedFolder} ${settings.branches[0]}`);
  return EXIT.ok;
}

/** Merges the options into the settings. Settings that are not given stay as they are. */
function settingsFrom(before: PushSettings, options: InitOptions): PushSettings {
  const { dir, branch, base, postgres, push } = options;
  return {
    ...before,
    folder: dir ?? before.folder,
    branches: branch ?? before.branches,
    base: base ?? before.base,
    postgres: postgres ?? before.postgres,
    push: push === false ? null : (push ?? before.push),
  };
}

/** Says all that is wrong with a push before it is refused. */
export async function preReceive(): Promise<ExitCode> {
  const repository = openRepository('.');
  const text = readFileSync(0, 'utf8');
  const settings = readSettings(repository);
  const branches = pushedBranches(text, settings.branches);
  const endTurn = await takePushTurn(repository, branches, (ticket) => print(waitingText(ticket, 'push')));
  const checks = [
    ...pushedRecords(text).map((record) => () => mustBeMadeHere(repository, settings, record)),
    ...branches.map((pushed) => () => check(repository, pushed)),
  ];
  const refusals: ExitCode[] = [];
  for (const each of checks) await each().catch((error: unknown) => refusals.push(complainOf(error)));
  const [code] = refusals;
  if (code === undefined) return EXIT.ok;
  endTurn();
  print('The push is rejected. The repository is unchanged.');
  return code;
}

async function check(repository: Repository, pushed: PushedBranch): Promise<void> {
  await new Steps(print).run(
    'check',
    () => checkPush(repository, pushed, (ticket) => print(waitingText(ticket))),
    `${pushed.branch} ${pushed.to.slice(0, 12)}`,
  );
}

export async function postReceive(): Promise<ExitCode> {
  goOnUnread();
  const repository = openRepository('.');
  const run = runOf(repository);
  const text = readFileSync(0, 'utf8');
  const pushed = pushedBranches(text, run.settings.branches);
  endPushTurn(repository, pushed);
  const notBuilt = notBuiltText(text, run.settings.branches);
  if (notBuilt !== null) print(notBuilt);
  const builds = pushed.map(({ branch, to }) => ({ branch, revision: to }));
  return buildEach(run, builds, false);
}

/** Builds what was left behind by builds that were killed, and tries once more what has failed. */
export function resume(folder: string): Promise<ExitCode> {
  const repository = openBare(folder);
  const run = runOf(repository);
  const builds = run.settings.branches.flatMap((branch) => {
    const revision = referenceId(repository, `refs/heads/${branch}`);
    return revision === null ? [] : [{ branch, revision }];
  });
  return buildEach(run, builds, true);
}

export function log(folder: string, branch: string | undefined): ExitCode {
  const repository = openRepository(folder);
  const shown = branch ?? readSettings(repository).branches[0] ?? DEFAULT_BRANCH;
  for (const line of logLines(repository, shown)) print(line);
  return EXIT.ok;
}

async function buildEach(run: BuildRun, builds: readonly QueuedBuild[], retries: boolean): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  for (const build of builds) {
    const outcome = await buildBranch(run, build, retries).catch((error: unknown) => {
      complainOf(error, run.signal);
      return undefined;
    });
    if (outcome === 'tested') continue;
    code = EXIT.errors;
    complain(
      `${leftText(run.repository, build, outcome)}. To try again: kiln pipeline resume ${run.repository.sharedFolder}`,
    );
  }
  return code;
}

/** Git tells a pusher that all is well, so the last line has to say what is not. */
function leftText(
  repository: Repository,
  { branch, revision }: QueuedBuild,
  outcome: BranchOutcome | undefined,
): string {
  const where = `\`${branch}\` is at ${revision.slice(0, 12)}`;
  if (outcome === 'unpushed') return `${where}, whose image is tested and tagged here, but not pushed to its registry`;
  const what = `${where}, but that has no tested image, and no tag was moved`;
  return outcome === 'failed' ? `${what}. ${failureAdvice(repository, branch)}` : what;
}

function runOf(repository: Repository): BuildRun {
  return {
    repository,
    settings: readSettings(repository),
    say: print,
    tell: (error) => void complainOf(error),
    signal: stopSignal(),
  };
}
