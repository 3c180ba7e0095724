/** `serve`: the API of the application, until a signal comes. */
import { configFromEnvironment } from '../config/config-from-environment.ts';
import { applicationFolder, loadDefinition, loadHooks, loadOpenApi, loadRelease } from '../load/application-folder.ts';
import { createLog } from '../observe/log.ts';
import { startServer } from '../serve.ts';
import { stopOnSignals } from '../shutdown.ts';
import type { Command } from './command.ts';

export const serve: Command = async (environment, say) => {
  const read = configFromEnvironment(environment);
  if (!read.ok) {
    for (const problem of read.problems) say(problem);
    return 1;
  }
  const folder = applicationFolder(environment);
  const definition = loadDefinition(folder);
  const hooks = await loadHooks(folder);
  const log = createLog(read.config.logLevel);
  const application = { definition, hooks, openApi: loadOpenApi(folder), release: loadRelease(folder) };
  const server = await startServer({ ...application, config: read.config, log });
  stopOnSignals(server.stop, log);
  return null;
};
