/** `kiln pipeline`: a bare repository whose pushes build, and what its hooks call. */
import { readFileSync, realpathSync } from 'node:fs';
import Docker from 'dockerode';
import { howToGet } from '../bake/bake.ts';
import { referenceId } from '../git/references.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { DockerEngine, engineAddress } from '../image/docker-engine.ts';
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
import { complainOfPush } from './build-complaint.ts';
import { complain, EXIT, type ExitCode, note, print, stopSignal, warningMark } from './terminal.ts';

interface InitOptions {
  readonly branch?: readonly string[];
  readonly base?: string;
  readonly postgres?: string;
  /** The registry to push to; false where `--no-push` removes it. */
  readonly push?: string | false;
  /** The folder of the project in the repository's tree. */
  readonly dir?: string;
}

export function init(folder: string, options: InitOptions): Promise<ExitCode> {
  return told(async () => {
    mustNameBranches(options.branch ?? []);
    if (typeof options.push === 'string') mustNameImage(options.push);
    const dir = options.dir === undefined ? undefined : folderInTree(options.dir);
    const { repository, isNew } = adoptRepository(folder, options.branch?.[0] ?? DEFAULT_BRANCH);
    mustAllowHooks(repository);
    const settings = settingsFrom(readSettings(repository), {
      ...options,
      ...(dir === undefined ? {} : { dir }),
    });
    writeSettings(repository, settings);
    installHooks(repository, [process.execPath, realpathSync(process.argv[1] ?? '')]);
    print(`${isNew ? 'Made' : 'Adopted'} ${repository.sharedFolder}`);
    print(
      `  builds  ${settings.branches.join(', ')}${settings.folder === '' ? '' : `, the folder ${settings.folder}`}`,
    );
    print(`  base    ${settings.base}`);
    print(`  tests   with ${settings.postgres}`);
    if (settings.push !== null) print(`  pushes  to ${settings.push}`);
    print(`Push to it: git push ${repository.sharedFolder} ${settings.branches[0]}`);
    for (const warning of await missingImages(settings, repository.sharedFolder)) note(`${warningMark()} ${warning}`);
    return EXIT.ok;
  });
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
export function preReceive(): Promise<ExitCode> {
  return told(async () => {
    const repository = openRepository('.');
    const text = readFileSync(0, 'utf8');
    const settings = readSettings(repository);
    const branches = pushedBranches(text, settings.branches);
    const endTurn = await takePushTurn(repository, branches, (ticket) => print(waitingText(ticket, 'push')));
    const checks = [
      ...pushedRecords(text).map((record) => async () => {
        await mustBeMadeHere(repository, settings, record);
        return EXIT.ok;
      }),
      ...branches.map((pushed) => async () => {
        await check(repository, pushed);
        return EXIT.ok;
      }),
    ];
    let code: ExitCode = EXIT.ok;
    for (const each of checks) {
      const checked = await told(each);
      if (checked !== EXIT.ok) code = checked;
    }
    if (code === EXIT.ok) return code;
    endTurn();
    print('The push is rejected. The repository is unchanged.');
    return code;
  });
}

async function check(repository: Repository, pushed: PushedBranch): Promise<void> {
  await new Steps(print).run(
    'check',
    () => checkPush(repository, pushed, (ticket) => print(waitingText(ticket))),
    `${pushed.branch} ${pushed.to.slice(0, 12)}`,
  );
}

export function postReceive(): Promise<ExitCode> {
  goOnUnread();
  return told(async () => {
    const repository = openRepository('.');
    const run = runOf(repository);
    const text = readFileSync(0, 'utf8');
    const pushed = pushedBranches(text, run.settings.branches);
    endPushTurn(repository, pushed);
    const notBuilt = notBuiltText(text, run.settings.branches);
    if (notBuilt !== null) print(notBuilt);
    const builds = pushed.map(({ branch, to }) => ({ branch, revision: to }));
    return buildEach(run, builds, false);
  });
}

/** Builds what was left behind by builds that were killed, and tries once more what has failed. */
export function resume(folder: string): Promise<ExitCode> {
  return told(async () => {
    const repository = openBare(folder);
    const run = runOf(repository);
    const builds = run.settings.branches.flatMap((branch) => {
      const revision = referenceId(repository, `refs/heads/${branch}`);
      return revision === null ? [] : [{ branch, revision }];
    });
    return buildEach(run, builds, true);
  });
}

export function log(folder: string, branch: string | undefined): Promise<ExitCode> {
  return told(() => {
    const repository = openRepository(folder);
    const shown = branch ?? readSettings(repository).branches[0] ?? DEFAULT_BRANCH;
    for (const line of logLines(repository, shown)) print(line);
    return EXIT.ok;
  });
}

async function buildEach(run: BuildRun, builds: readonly QueuedBuild[], retries: boolean): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  for (const build of builds) {
    let outcome: BranchOutcome | undefined;
    const built = await told(async () => {
      outcome = await buildBranch(run, build, retries);
      return outcome === 'tested' ? EXIT.ok : EXIT.errors;
    }, run.signal);
    if (built === EXIT.ok) continue;
    code = built;
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
    tell: (error) => void complainOfPush(error),
    signal: stopSignal(),
  };
}

/** Lets a build that has begun finish, even if the pusher has gone away. */
function goOnUnread(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error');
    stream.on('error', () => undefined);
  }
}

/** Says what was refused. */
export async function told(work: () => ExitCode | Promise<ExitCode>, signal?: AbortSignal): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    return complainOfPush(error, signal);
  }
}

// ── Missing images ───────────────────────────────────────────────────────────────────────────────────────────────────

// The images of the settings that the Docker engine lacks, so that it is known before the first push.

/**
 * The timeout, in milliseconds: a command that only writes settings does not wait for an engine that does not answer.
 */
const TIMEOUT = 2000;

/** Lists the missing images in sentences; none where no engine answers. */
export async function missingImages({ base, postgres }: PushSettings, folder: string): Promise<readonly string[]> {
  try {
    const engine = await DockerEngine.connect(new Docker({ ...engineAddress(), timeout: TIMEOUT }));
    const [hasBase, hasPostgres] = await Promise.all(
      [base, postgres].map(async (name) => (await engine.imageOf(name)) !== null),
    );
    return [
      ...(hasBase ? [] : [`The base image ${base} is not in the Docker engine. ${howToGet(base)} before a push.`]),
      ...(hasPostgres
        ? []
        : [
            `The image ${postgres} is not in the Docker engine: the first push pulls it. To name another: kiln pipeline init ${folder} --postgres <image>`,
          ]),
    ];
  } catch {
    return [];
  }
}
