/**
 * `kiln start`: compiles, brings up the database and serves, all in this process, until it is told to stop. What was
 * started is stopped in the opposite order, whatever goes wrong in between.
 */
import { basename, resolve } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Config } from '../../runtime/config/config.ts';
import type { HookModules } from '../../runtime/hooks/hook-code.ts';
import { createTables } from '../database/create-tables.ts';
import { DatabaseRefusal } from '../database/database-refusal.ts';
import { databaseName } from '../database/database-url.ts';
import { ensureDatabase } from '../database/ensure-database.ts';
import { DATA_FOLDER, openProjectDatabase } from '../database/project-database.ts';
import { readSources } from '../files/read-sources.ts';
import { bundleHooks } from '../hooks/bundle-hooks.ts';
import { loadHooks } from '../hooks/load-hooks.ts';
import { writeHookTypes } from '../hooks/write-types.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { reportHookProblems } from './hook-problems.ts';
import { listenRefusal } from './listen-refusal.ts';
import { compileSources, reportDiagnostics, reportProblems } from './project.ts';
import { localConfig, type StartOptions } from './start-config.ts';
import { fired, stopSignal } from './stop-signal.ts';
import { complain, print } from './terminal.ts';

export async function start(dir: string, options: StartOptions): Promise<ExitCode> {
  const read = readSources(dir);
  if (read.problems.length > 0) return reportProblems(read.problems);
  const { definition, diagnostics, isComplete } = await compileSources(read);
  reportDiagnostics(diagnostics, read, isComplete);
  if (definition === undefined) return EXIT.errors;
  const result = await localConfig(options, process.env);
  if ('problems' in result) return refuse(...result.problems);
  const hooks = await hooksOf(read.folder, definition);
  return hooks === undefined ? EXIT.errors : run({ folder: read.folder, definition, hooks, ...result });
}

function refuse(...sentences: readonly string[]): ExitCode {
  for (const sentence of sentences) complain(sentence);
  return EXIT.errors;
}

/** Nothing where they cannot be used, which has been said then. */
async function hooksOf(folder: string, definition: Definition): Promise<HookModules | undefined> {
  const bundle = await bundleHooks(folder, definition);
  if (bundle === undefined) return {};
  if ('problems' in bundle) {
    reportHookProblems(bundle.problems, folder);
    return undefined;
  }
  const loaded = writeHookTypes(folder, definition) ?? (await loadHooks(folder, bundle.text));
  if (typeof loaded !== 'string') return loaded;
  complain(loaded);
  return undefined;
}

interface Application {
  readonly folder: string;
  readonly definition: Definition;
  readonly hooks: HookModules;
  readonly config: Config;
  /** Null where the project's own Postgres is used. */
  readonly databaseUrl: string | null;
}

async function run(application: Application): Promise<ExitCode> {
  const stop = stopSignal();
  try {
    const database = await databaseOf(application);
    try {
      await serve(application, database, stop);
    } finally {
      await database.stop();
    }
    return EXIT.ok;
  } catch (error) {
    const sentence = error instanceof DatabaseRefusal ? error.message : listenRefusal(error, application.config);
    if (sentence === undefined) throw error;
    return refuse(sentence);
  }
}

interface Database {
  readonly url: string;
  /** As it is called when it is spoken of. */
  readonly name: string;
  stop(): Promise<void>;
}

async function databaseOf({ folder, databaseUrl }: Application): Promise<Database> {
  if (databaseUrl !== null) return givenDatabase(databaseUrl);
  const { url, startedBy, stop } = await openProjectDatabase(folder, (sentence) =>
    process.stderr.write(`${sentence}\n`),
  );
  const name = startedBy === null ? DATA_FOLDER : `${DATA_FOLDER}, as long as process ${startedBy} runs it`;
  return { url, name, stop };
}

function givenDatabase(url: string): Database {
  const { database, server } = databaseName(url);
  return { url, name: `${database} on ${server}`, stop: async () => undefined };
}

async function serve(application: Application, database: Database, stop: AbortSignal): Promise<void> {
  const { definition, hooks, folder } = application;
  await ensureDatabase(database.url);
  await createTables(database.url, definition);
  if (stop.aborted) return;
  const { startServer } = await import('../../runtime/serve.ts');
  const config = { ...application.config, databaseUrl: database.url };
  const server = await startServer({ definition, hooks, config });
  print(`Serving ${basename(resolve(folder))} on ${shownUrl(server.url)}/api (database: ${database.name})`);
  await fired(stop);
  await server.stop();
}

/** An address that a browser on this machine can open. */
function shownUrl(url: string): string {
  const shown = new URL(url);
  if (['127.0.0.1', '0.0.0.0', '[::]', '[::1]'].includes(shown.hostname)) shown.hostname = 'localhost';
  return shown.href.replace(/\/(api\/?)?$/, '');
}
