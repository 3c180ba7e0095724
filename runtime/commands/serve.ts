/** `serve`: the API of the application, until a signal comes. */
import { configFromEnvironment } from '../config/config-from-environment.ts';
import { applicationFolder, loadDefinition, loadHooks, loadOpenApi } from '../load/application-folder.ts';
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
  const server = await startServer({ definition, hooks, config: read.config, log, openApi: loadOpenApi(folder) });
  stopOnSignals(server.stop, log);
  return null;
};
