/** `kiln dev`: everything that a developer needs, from one command, until Ctrl-C. */
import { pino } from 'pino';
import type { Config } from '../../runtime/config/config.ts';
import { agrees } from '../dev/ask.ts';
import { textOfLogLine } from '../dev/dev-log.ts';
import { DevServer, type DevTools } from '../dev/dev-server.ts';
import { lossQuestion, lossText } from '../dev/loss-text.ts';
import { SyncRefusal } from '../dev/sync.ts';
import { watchSources } from '../dev/watch-sources.ts';
import { readSources } from '../files/read-sources.ts';
import { compiledProject } from './compiled-project.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { listenRefusal } from './listen-refusal.ts';
import { databaseSentence, type LocalDatabase, localDatabase } from './local-database.ts';
import { populateDatabase } from './populating.ts';
import { reportProblems } from './project.ts';
import { localConfig, type StartOptions } from './start-config.ts';
import { fired, stopSignal } from './stop-signal.ts';
import { complain, print } from './terminal.ts';

export async function dev(dir: string, options: StartOptions): Promise<ExitCode> {
  const read = readSources(dir);
  if (read.problems.length > 0) return reportProblems(read.problems);
  const result = await localConfig(options, process.env);
  if ('problems' in result) return refuse(...result.problems);
  const stop = stopSignal();
  try {
    const database = await localDatabase(read.folder, result.databaseUrl);
    try {
      await develop(dir, read.folder, result.config, database, stop);
    } finally {
      await database.stop();
    }
    return EXIT.ok;
  } catch (error) {
    const sentence = databaseSentence(error) ?? listenRefusal(error, result.config);
    if (sentence === undefined) throw error;
    return refuse(sentence);
  }
}

function refuse(...sentences: readonly string[]): ExitCode {
  for (const sentence of sentences) complain(sentence);
  return EXIT.errors;
}

async function develop(
  dir: string,
  folder: string,
  config: Config,
  database: LocalDatabase,
  stop: AbortSignal,
): Promise<void> {
  const server = new DevServer(toolsFor(dir, folder, { ...config, databaseUrl: database.url }));
  const failed = new AbortController();
  const update = (): void =>
    void server.update().catch((error: unknown) => {
      failed.abort(error);
    });
  update();
  const unwatch = watchSources(folder, update);
  await Promise.race([fired(stop), fired(failed.signal)]);
  unwatch();
  if (failed.signal.aborted) throw failed.signal.reason;
  await server.stop();
}

function toolsFor(dir: string, folder: string, config: Config): DevTools {
  const log = pino(
    { level: config.logLevel, formatters: { level: (label) => ({ level: label }) } },
    { write: writeLog },
  );
  return {
    folder,
    databaseUrl: config.databaseUrl,
    compile: () => compiledProject(dir),
    agrees: async (loss) => {
      process.stderr.write(`${lossText(loss)}\n`);
      return agrees(lossQuestion(loss));
    },
    start: async (served) => {
      const { startServer } = await import('../../runtime/serve.ts');
      return startServer({ ...served, config, log });
    },
    populate: async ({ definition, hooks }, populator) => {
      print(await populateDatabase({ databaseUrl: config.databaseUrl, definition, hooks, populator }));
    },
    say: print,
    complain: (error) => {
      const sentence = error instanceof SyncRefusal ? KEPT : databaseSentence(error);
      if (sentence === undefined) return false;
      complain(sentence);
      return true;
    },
  };
}

const KEPT =
  'the database is left as it is, and so is the server; `kiln db sync` asks again, `kiln db reset` makes it anew: save a source once more after that';

function writeLog(line: string): void {
  const text = textOfLogLine(line);
  if (text !== undefined) process.stdout.write(`${text}\n`);
}
