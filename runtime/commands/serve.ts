/** `serve`: the API of the application and its jobs, until a signal comes. `work`: its jobs alone. */
import cluster from 'node:cluster';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Config } from '../config/config.ts';
import { LiveRecorder } from '../console/live/live-recorder.ts';
import { mailProblems } from '../deliver/smtp.ts';
import { storeProblems } from '../files/open-store.ts';
import { loadHooks, loadOpenApi, loadRelease } from '../load/application-folder.ts';
import { createLog } from '../observe/log.ts';
import { startServer } from '../serve.ts';
import { stopAfterThrow, stopOnSignals, stopWithPrimary } from '../shutdown.ts';
import { superviseWorkers } from '../workers/primary.ts';
import { type Command, configuredIn } from './command.ts';

export const serve: Command = (environment, say) => start(environment, say, false);

export const work: Command = (environment, say) => start(environment, say, true);

function missing(definition: Definition, config: Config): readonly string[] {
  return [...mailProblems(definition, config), ...storeProblems(definition, config)];
}

async function start(environment: NodeJS.ProcessEnv, say: (line: string) => void, onlyWorks: boolean) {
  const configured = configuredIn(environment, say, true, missing);
  if (!configured) return 1;
  const { folder, definition, settings, config } = configured;
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
