/** `serve`: the API of the application and its jobs, until a signal comes. `work`: its jobs alone. */
import cluster from 'node:cluster';
import { configFromEnvironment } from '../config/config.ts';
import { LiveRecorder } from '../console/live/live-recorder.ts';
import { mailProblems } from '../deliver/smtp.ts';
import { applicationFolder, loadDefinition, loadHooks, loadOpenApi, loadRelease } from '../load/application-folder.ts';
import { createLog } from '../observe/log.ts';
import { startServer } from '../serve.ts';
import { stopAfterThrow, stopOnSignals, stopWithPrimary } from '../shutdown.ts';
import { settingsFromEnvironment } from '../values/settings.ts';
import { superviseWorkers } from '../workers/primary.ts';
import type { Command } from './command.ts';

export const serve: Command = (environment, say) => start(environment, say, false);

export const work: Command = (environment, say) => start(environment, say, true);

async function start(environment: NodeJS.ProcessEnv, say: (line: string) => void, onlyWorks: boolean) {
  const folder = applicationFolder(environment);
  const definition = loadDefinition(folder);
  const read = configFromEnvironment(environment);
  const { settings, problems } = settingsFromEnvironment(definition, environment);
  const wrong = [...(read.ok ? mailProblems(definition, read.config) : read.problems), ...problems];
  if (!read.ok || wrong.length > 0) {
    for (const problem of wrong) say(problem);
    return 1;
  }
  const { config } = read;
  const live = config.consoleSecret === null ? undefined : new LiveRecorder();
  const log = createLog(config.logLevel, undefined, live && ((line) => live.logged(line)));
  if (config.workers > 1 && cluster.isPrimary) return superviseWorkers(config.workers, log);
  const hooks = await loadHooks(folder);
  const application = { definition, hooks, settings, openApi: loadOpenApi(folder), release: loadRelease(folder) };
  const started = startServer({
    ...application,
    onlyWorks,
    config,
    log,
    ...(live && { live }),
    isWorker: cluster.isWorker,
  });
  // The channel to the primary would keep a worker alive that cannot start.
  const server = await started.catch((error: unknown) => {
    cluster.worker?.disconnect();
    throw error;
  });
  stopAfterThrow(server.stop, log);
  if (cluster.isWorker) stopWithPrimary(server.stop, log);
  else stopOnSignals(server.stop, log);
  return null;
}
