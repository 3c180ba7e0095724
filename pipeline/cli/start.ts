/**
 * `kiln start`: compiles, brings up the database and serves, all in this process, until it is told to stop. What was
 * started is stopped in the opposite order, whatever goes wrong in between.
 */
import { basename, resolve } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import { readSources } from '../../files/read-sources.ts';
import type { Config } from '../../runtime/config/config.ts';
import type { HookModules } from '../../runtime/hooks/context.ts';
import { catchStrayErrors } from '../../runtime/hooks/stray-errors.ts';
import { prepareTables } from '../dev/sync.ts';
import { documentOf, projectHooks } from './compiled-project.ts';
import { listening } from './listening.ts';
import { type LocalDatabase, localConfig, type StartOptions } from './local-database.ts';
import { compileSources, reportDiagnostics, reportProblems } from './project.ts';
import { EXIT, type ExitCode, fired, print, refuse } from './terminal.ts';

export async function start(dir: string, options: StartOptions): Promise<ExitCode> {
  const read = readSources(dir);
  if (read.problems.length > 0) return reportProblems(read.problems);
  const { definition, diagnostics, isComplete } = await compileSources(read);
  reportDiagnostics(diagnostics, read, isComplete);
  if (definition === undefined) return EXIT.errors;
  const result = await localConfig(options, process.env);
  if ('problems' in result) return refuse(...result.problems);
  const hooks = await projectHooks(read.folder, definition);
  if (hooks === undefined) return EXIT.errors;
  const application = { folder: read.folder, definition, hooks, ...result };
  return listening(application, (database, stop) => serve(application, database, stop));
}

interface Application {
  readonly folder: string;
  readonly definition: Definition;
  readonly hooks: HookModules;
  readonly config: Config;
}

async function serve(application: Application, database: LocalDatabase, stop: AbortSignal): Promise<ExitCode> {
  const { definition, hooks, folder } = application;
  await prepareTables(database.url, definition);
  if (stop.aborted) return EXIT.ok;
  const { startServer } = await import('../../runtime/serve.ts');
  const config = { ...application.config, databaseUrl: database.url };
  const server = await startServer({ definition, hooks, config, openApi: documentOf(folder, definition) });
  print(`Serving ${basename(resolve(folder))} on ${shownUrl(server.url)}/api (database: ${database.name})`);
  const thrown = new AbortController();
  catchStrayErrors(server.log, () => thrown.abort());
  await Promise.race([fired(stop), fired(thrown.signal)]);
  await server.stop();
  return thrown.signal.aborted ? EXIT.errors : EXIT.ok;
}

/** An address that a browser on this machine can open. */
function shownUrl(url: string): string {
  const shown = new URL(url);
  if (['127.0.0.1', '0.0.0.0', '[::]', '[::1]'].includes(shown.hostname)) shown.hostname = 'localhost';
  return shown.href.replace(/\/(api\/?)?$/, '');
}
