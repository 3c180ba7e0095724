/** `kiln dev`: everything that a developer needs, from one command, until Ctrl-C. */
import { randomBytes } from 'node:crypto';
import { relative, resolve, sep } from 'node:path';
import { type Logger, pino } from 'pino';
import { CONSOLE } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { accessMatrix } from '../../compiler/difference/access-rules.ts';
import { readSources } from '../../files/read-sources.ts';
import type { Config } from '../../runtime/config/config.ts';
import type {
  ConsoleAccess,
  ConsoleOptions,
  ReleaseChanges,
  SourceActions,
} from '../../runtime/console/api/console-options.ts';
import { LiveRecorder } from '../../runtime/console/live/live-recorder.ts';
import { Mailbox } from '../../runtime/deliver/mailbox.ts';
import { catchStrayErrors } from '../../runtime/hooks/stray-errors.ts';
import { BuildRefusal } from '../bake/build-names.ts';
import { problemFromSentence } from '../dev/compile-problems.ts';
import { DevServer, type DevTools, type Project } from '../dev/dev-server.ts';
import { DuplicatesRefusal, duplicatesText } from '../dev/duplicates.ts';
import { hearOfChanges, SyncRefusal } from '../dev/sync.ts';
import { watchSources } from '../dev/watch-sources.ts';
import { differenceBetween } from '../difference/difference-between.ts';
import { NOWHERE } from '../difference/subject-place.ts';
import { GitRefusal } from '../git/run-git.ts';
import { LedgerRefusal } from '../ledger/ledger-reference.ts';
import { changedModels } from '../page/changed-models.ts';
import { askAboutLoss, compiledProject, type TellProblems, writeGenerated } from './compiled-project.ts';
import { type Side, Sides } from './diff.ts';
import { listening } from './listening.ts';
import {
  databaseSentence,
  localConfig,
  populateDatabase,
  projectEnvironment,
  type StartOptions,
} from './local-database.ts';
import { reportProblems } from './project.ts';
import {
  complain,
  EXIT,
  type ExitCode,
  fired,
  hasColour,
  note,
  print,
  printPainted,
  printText,
  refuse,
} from './terminal.ts';

/** The start by `performance.now()`, which counts from the start of the process. */
const COMMAND_START = 0;

interface DevOptions extends StartOptions {
  /** The clock of populators. */
  readonly clock?: string;
}

export async function dev(dir: string, options: DevOptions): Promise<ExitCode> {
  const read = readSources(dir);
  if (read.problems.length > 0) return reportProblems(read.problems);
  const { folder } = read;
  const project = projectEnvironment(folder);
  if (project.problems.length > 0) return refuse(...project.problems);
  // The console is always on here, with a key of its own; and receivers of webhooks are on this machine.
  const result = await localConfig(options, {
    ...project,
    environment: { WEBHOOK_PRIVATE: 'allow', ...project.environment, CONSOLE: undefined },
  });
  if ('problems' in result) return refuse(...result.problems);
  return listening({ folder, ...result }, ({ url }, stop) =>
    develop(dir, folder, { ...result.config, databaseUrl: url }, options, stop),
  );
}

async function develop(
  dir: string,
  folder: string,
  config: Config,
  { clock }: DevOptions,
  stop: AbortSignal,
): Promise<ExitCode> {
  const live = new LiveRecorder();
  const log = devLog(folder, config, live);
  const server = new DevServer(toolsFor(dir, folder, config, live, log, clock));
  const failed = new AbortController();
  // Its author is here and reads the log: what a hook throws is no reason to end.
  catchStrayErrors(log, (error, isOfHook) => {
    if (!isOfHook) failed.abort(error);
  });
  const update = (start?: number): void =>
    void server.update(start).catch((error: unknown) => {
      failed.abort(error);
    });
  update(COMMAND_START);
  const unwatch = watchSources(folder, () => update());
  const unhear = hearOfChanges(config.databaseUrl, () => {
    print('Another command has changed the database');
    update();
  });
  await Promise.race([fired(stop), fired(failed.signal)]);
  unwatch();
  await unhear();
  if (failed.signal.aborted) throw failed.signal.reason;
  await server.stop();
  return EXIT.ok;
}

function devLog(folder: string, config: Config, live: LiveRecorder): Logger {
  return pino(
    { level: config.logLevel, formatters: { level: (label) => ({ level: label }) } },
    {
      write: (line: string) => {
        live.logged(line);
        const text = textOfLogLine(line, resolve(folder));
        if (text !== undefined) printText(text);
      },
    },
  );
}

function toolsFor(
  dir: string,
  folder: string,
  config: Config,
  live: LiveRecorder,
  log: Logger,
  clock: string | undefined,
): DevTools {
  const ownConsole = devConsole(config);
  const mailbox = new Mailbox();
  const known = new Map();
  let compiled: Project | undefined;
  const changes = async () => (compiled ? changesSinceRelease(dir, compiled.definition) : null);
  let fix = (_at: number, _message: string): boolean => false;
  const tell: TellProblems = (problems, fixed) => {
    fix = (at, message) => problems[at]?.message === message && fixed?.(at) === true;
    live.compiled({ problems });
  };
  return {
    folder,
    databaseUrl: config.databaseUrl,
    hasDocs: config.docsPage,
    printedKey: ownConsole.isKeyPrinted ? ownConsole.key : null,
    live,
    compile: async () => {
      const project = await compiledProject(dir, tell, known);
      // A client that cannot be written is told, and is no reason not to serve.
      if (project) await writeGenerated(folder, project.definition);
      compiled = project ?? compiled;
      return project;
    },
    decide: (loss, project, signal, given) =>
      askAboutLoss(loss, project, signal, { given, tell: (state) => live.compiled(state) }),
    start: async (served, actions) => {
      const { startServer } = await import('../../runtime/serve.ts');
      const sources: SourceActions = {
        answer: (question, answer) => void actions.answer(question, answer),
        fix: (at, message) => fix(at, message),
      };
      const console = { ...ownConsole, actions, changes, sources };
      return startServer({ ...served, config, log, tellsIgnoredKeys: true, console, live, mailbox });
    },
    populate: async ({ definition, hooks }, populator, report) => {
      const { databaseUrl, files } = config;
      const options = { databaseUrl, files, definition, hooks, populator, clock };
      print(await populateDatabase(report ? { ...options, report } : options));
    },
    say: printPainted,
    hasColour: hasColour(process.stdout),
    complain: (error, { project, isServing }) => {
      if (error instanceof SyncRefusal) {
        const sentence = DECLINED[error.decision](isServing);
        note(sentence);
        // The question of the other decisions is still shown, or comes again.
        if (error.decision === 'cancelled') tell([problemFromSentence(sentence)]);
        return true;
      }
      const sentence = error instanceof DuplicatesRefusal ? duplicatesText(error, project) : databaseSentence(error);
      if (sentence === undefined) return false;
      complain(sentence);
      if (error instanceof DuplicatesRefusal) note(unchanged(isServing));
      tell([problemFromSentence(sentence)]);
      return true;
    },
  };
}

/** The messages after a loss was declined, which is no error. */
const DECLINED: Readonly<Record<SyncRefusal['decision'], (isServing: boolean) => string>> = {
  'sources-changed': () => 'The sources are read again: they have changed, or the console has answered.',
  cancelled: (isServing) => `Cancelled. ${unchanged(isServing)} Save a source to be asked again.`,
  unanswered: (isServing) =>
    `${unchanged(isServing)} Change the sources as shown above, or decide in another terminal with \`kiln db sync\` or \`kiln db reset\`: this server follows.`,
};

function unchanged(isServing: boolean): string {
  return isServing
    ? 'Nothing was changed; the last good version is still being served.'
    : 'Nothing was changed; nothing is served yet.';
}

// ── Dev console ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The console of `kiln dev`, with data and requests.

const LOCAL = ['localhost', '127.0.0.1', '[::1]'];

/** Any client on the network can send any `Host`, so the page has the key only where no other machine can reach it. */
export function devConsole({ host }: Pick<Config, 'host'>): ConsoleOptions {
  const bound = (host.includes(':') ? `[${host}]` : host).toLowerCase();
  const key = randomBytes(24).toString('base64url');
  const isLocal = LOCAL.includes(bound) || /^127(\.\d+){3}$/.test(bound);
  return {
    key,
    place: 'root',
    ...(isLocal ? { hosts: [...LOCAL, bound] } : { isKeyPrinted: true }),
    access: consoleAccess,
  };
}

// ── Console access ───────────────────────────────────────────────────────────────────────────────────────────────────

// The table of `kiln access`, for the reference of the console.

/** Lists the access rules by endpoint: `GET /api/post/{post_slug}`. */
function consoleAccess(definition: Definition): Readonly<Record<string, ConsoleAccess>> {
  const rows = accessMatrix(definition).map(({ endpoint, access: { says, shows } }) => [
    endpoint,
    { rule: says, records: shows ?? null },
  ]);
  return Object.fromEntries(rows);
}

// ── Dev changes ──────────────────────────────────────────────────────────────────────────────────────────────────────

// The changes of the sources of `kiln dev` since the newest release: what `kiln diff` prints, for the console.

/** Lists the changes since the newest release; null where there is none. */
export function changesSinceRelease(dir: string, definition: Definition): ReleaseChanges | null {
  const release = newestRelease(dir);
  if (release === null) return null;
  const before = release.definition();
  const { api, data } = differenceBetween(before, definition, NOWHERE);
  return {
    since: release.name,
    api: api.map(({ endpoint, level, says }) => ({ endpoint, level, says })),
    data: [...(data.undecided ?? []), ...data.steps, ...data.later].map(({ says }) => says),
    models: changedModels(before, definition).changes,
  };
}

/** A folder without a repository, or without releases, is nothing special here. */
function newestRelease(dir: string): Side | null {
  try {
    return new Sides(dir, undefined).newest();
  } catch (error) {
    if (REFUSALS.some((kind) => error instanceof kind)) return null;
    throw error;
  }
}

const REFUSALS = [BuildRefusal, GitRefusal, LedgerRefusal] as const;

// ── Dev log ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// The log of the development server: a line for a person in place of a line of JSON.

interface LogLine {
  readonly level: string;
  readonly time: number;
  readonly pid: number;
  readonly hostname: string;
  readonly msg: string;
  readonly requestId?: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly err?: LoggedError;
  readonly hook?: string;
  readonly job?: string;
  readonly jobId?: string;
  /** The try of a job. */
  readonly attempt?: number;
  /** Why a job failed. */
  readonly reason?: string;
}

interface LoggedError {
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/**
 * Formats a line of the log; undefined for one that a developer need not read. `folder` is the absolute path of the
 * project.
 */
export function textOfLogLine(line: string, folder: string): string | undefined {
  const logged = JSON.parse(line) as LogLine;
  const { level, msg, method, path, status, durationMs, err, reason, job, jobId, requestId } = logged;
  if (msg === 'job') return `JOB    done ${job} ${jobId} ${durationMs?.toFixed(1)} ms`;
  if (msg === 'request') {
    // The console asks often, and shows by itself what was done.
    if (path?.startsWith(`/${CONSOLE}/`) && (status ?? 0) < 400) return undefined;
    const text = `${method?.padEnd(6)} ${status} ${path} ${durationMs?.toFixed(1)} ms`;
    return err === undefined ? text : `${text}\n${errorText(err, folder)}`;
  }
  // A line about a request is one of its hooks, or says why it was refused.
  if (['info', 'debug', 'trace'].includes(level)) return requestId && textOfOwnLine(logged);
  const text = [`${level}: ${msg}`, ...sourceOf(logged)].join(' ');
  const why = err === undefined ? reason && `  ${reason}` : errorText(err, folder);
  return why === undefined ? text : `${text}\n${why}`;
}

function textOfOwnLine(logged: LogLine): string {
  const { level, time, pid, hostname, requestId, msg, ...values } = logged;
  const shown = Object.keys(values).length === 0 ? '' : ` ${JSON.stringify(values)}`;
  return `${level}: ${msg ?? ''}${shown}`;
}

/** What a line is about, in brackets. */
function sourceOf({ hook, job, jobId, attempt, durationMs }: LogLine): readonly string[] {
  const parts = [
    hook && `the hook ${hook}`,
    job && `the job ${job} ${jobId ?? ''}`.trimEnd(),
    attempt && `try ${attempt}`,
    durationMs !== undefined && `${durationMs.toFixed(1)} ms`,
  ];
  const known = parts.filter(Boolean);
  return known.length === 0 ? [] : [`(${known.join(', ')})`];
}

/** The first place in the project's own code is what helps; the rest of the path there is ours. */
function errorText(error: LoggedError, folder: string): string {
  const messages = causes(error).map(({ message }) => message);
  const place = placesIn(error).find((path) => path.startsWith(folder + sep) && !INNER.test(path));
  const where = place === undefined ? '' : `\n  at ${relative(process.cwd(), place)}`;
  return [...new Set(messages)].map((message) => `  ${message}`).join('\n') + where;
}

/** The paths inside the project's folder that its author did not write. */
const INNER = /[/\\](node_modules|\.kiln)[/\\]/;

/** `path:line:column` of every step, from the innermost error on. */
function placesIn(error: LoggedError): readonly string[] {
  const lines = causes(error)
    .toReversed()
    .flatMap(({ stack = '' }) => stack.split('\n'));
  return lines.flatMap((line) => {
    const place = /^\s+at (?:.*\()?((?:file:\/\/)?\/[^()]+:\d+:\d+)\)?$/.exec(line)?.[1];
    return place === undefined ? [] : [place.startsWith('file:') ? decodeURI(place.slice('file://'.length)) : place];
  });
}

function causes(error: LoggedError): readonly LoggedError[] {
  return error.cause === undefined ? [error] : [error, ...causes(error.cause)];
}
