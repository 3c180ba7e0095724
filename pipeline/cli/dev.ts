/** `kiln dev`: everything that a developer needs, from one command, until Ctrl-C. */
import { resolve } from 'node:path';
import { type Logger, pino } from 'pino';
import { readSources } from '../../files/read-sources.ts';
import type { Config } from '../../runtime/config/config.ts';
import { LiveRecorder } from '../../runtime/console/live/live-recorder.ts';
import { catchStrayErrors } from '../../runtime/hooks/stray-errors.ts';
import { problemFromSentence } from '../dev/compile-problems.ts';
import { hearOfChanges } from '../dev/database-news.ts';
import { textOfLogLine } from '../dev/dev-log.ts';
import { DevServer, type DevTools, type Project } from '../dev/dev-server.ts';
import { DuplicatesRefusal } from '../dev/duplicates.ts';
import { SyncRefusal } from '../dev/sync.ts';
import { watchSources } from '../dev/watch-sources.ts';
import { compiledProject, type TellProblems } from './compiled-project.ts';
import { changesSinceRelease } from './dev-changes.ts';
import { devConsole } from './dev-console.ts';
import { duplicatesText } from './duplicates-text.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { writeGenerated } from './generated-clients.ts';
import { listening } from './listening.ts';
import { databaseSentence } from './local-database.ts';
import { askAboutLoss } from './loss-prompt.ts';
import { populateDatabase } from './populating.ts';
import { reportProblems } from './project.ts';
import { localConfig, type StartOptions } from './start-config.ts';
import { fired } from './stop-signal.ts';
import { complain, hasColour, note, print, printPainted, printText, refuse } from './terminal.ts';

/** By `performance.now()`, which counts from the start of the process. */
const COMMAND_START = 0;

export async function dev(dir: string, options: StartOptions): Promise<ExitCode> {
  const read = readSources(dir);
  if (read.problems.length > 0) return reportProblems(read.problems);
  // Here the console is always on, with a key of its own.
  const result = await localConfig(options, { ...process.env, CONSOLE: undefined });
  if ('problems' in result) return refuse(...result.problems);
  const { folder } = read;
  return listening({ folder, ...result }, ({ url }, stop) =>
    develop(dir, folder, { ...result.config, databaseUrl: url }, stop),
  );
}

async function develop(dir: string, folder: string, config: Config, stop: AbortSignal): Promise<ExitCode> {
  const live = new LiveRecorder();
  const log = devLog(folder, config, live);
  const server = new DevServer(toolsFor(dir, folder, config, { live, log }));
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

interface Watched {
  readonly live: LiveRecorder;
  readonly log: Logger;
}

function devLog(folder: string, config: Config, live: LiveRecorder): Logger {
  return pino(
    { level: config.logLevel, formatters: { level: (label) => ({ level: label }) } },
    {
      write: (line: string) => {
        live.logged(line);
        writeLog(line, folder);
      },
    },
  );
}

function toolsFor(dir: string, folder: string, config: Config, { live, log }: Watched): DevTools {
  const ownConsole = devConsole(config);
  let compiled: Project | undefined;
  const changes = async () => (compiled ? changesSinceRelease(dir, compiled.definition) : null);
  const tell: TellProblems = (problems) => live.compiled({ problems });
  return {
    folder,
    databaseUrl: config.databaseUrl,
    hasDocs: config.docsPage,
    printedKey: ownConsole.isKeyPrinted ? ownConsole.key : null,
    live,
    compile: async () => {
      const project = await compiledWithClients(dir, folder, tell);
      compiled = project ?? compiled;
      return project;
    },
    decide: askAboutLoss,
    start: async (served, actions) => {
      const { startServer } = await import('../../runtime/serve.ts');
      const console = { ...ownConsole, actions, changes };
      return startServer({ ...served, config, log, tellsIgnoredKeys: true, console, live });
    },
    populate: async ({ definition, hooks }, populator, report) => {
      const options = { databaseUrl: config.databaseUrl, definition, hooks, populator };
      print(await populateDatabase(report ? { ...options, report } : options));
    },
    say: printPainted,
    hasColour: hasColour(process.stdout),
    complain: (error, { project, isServing }) => {
      if (error instanceof SyncRefusal) {
        note(DECLINED[error.decision](isServing));
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

/** To decline is no error. */
const DECLINED: Readonly<Record<SyncRefusal['decision'], (isServing: boolean) => string>> = {
  'sources-changed': () => 'The sources have changed and are read again.',
  cancelled: (isServing) => `Cancelled. ${unchanged(isServing)} Save a source to be asked again.`,
  unanswered: (isServing) =>
    `${unchanged(isServing)} Change the sources as shown above, or decide in another terminal with \`kiln db sync\` or \`kiln db reset\`: this server follows.`,
};

function unchanged(isServing: boolean): string {
  return isServing
    ? 'Nothing was changed; the last good version is still being served.'
    : 'Nothing was changed; nothing is served yet.';
}

async function compiledWithClients(dir: string, folder: string, tell: TellProblems): Promise<Project | undefined> {
  const compiled = await compiledProject(dir, tell);
  // A client that cannot be written is told, and is no reason not to serve.
  if (compiled) await writeGenerated(folder, compiled.definition);
  return compiled;
}

function writeLog(line: string, folder: string): void {
  const text = textOfLogLine(line, resolve(folder));
  if (text !== undefined) printText(text);
}
