/** The code of a thread for jobs: its own connections, and the custom code of the application. One job at a time. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { jobRoutes } from '../endpoints/application.ts';
import type { WorkRoute } from '../endpoints/work-route.ts';
import { importHooks } from '../hooks/hook-code.ts';
import { createLog } from '../observe/log.ts';
import { openDatabase } from '../query/connections/open-database.ts';
import { settingValues } from '../values/settings.ts';
import type { FromThread, ThreadData, ToThread } from './threads.ts';
import { type Task, tryJob } from './try-job.ts';

const CONNECTIONS = 2;

const { definition, hooks, settings, config, database } = workerData as ThreadData;
const port = parentPort as MessagePort;
const tell = (message: FromThread) => port.postMessage(message);
const log = createLog(config.logLevel);
process.setSourceMapsEnabled(true);

/** Mails and webhooks have no custom code, so none is sent from here. */
const use = () => Promise.reject(new Error('a mail or a webhook with custom code cannot be sent'));

let controller = new AbortController();
const routes = new Map(
  jobRoutes({
    ...config,
    definition,
    settings: settingValues(definition.settings ?? [], settings),
    hooks: hooks === null ? {} : await importHooks(hooks),
    database: openDatabase({ ...database, poolMax: CONNECTIONS, log }),
    overflowed: (overflow) => log.warn(overflow, 'a computed value is out of range; null was used instead'),
    deliver: { slots: { use } },
    storedJobs: () => tell('stored'),
  }).map((route) => [route.job.name, route]),
);

port.on('message', (message: ToThread) => {
  if ('abort' in message) controller.abort(new Error(message.abort));
  else void perform(message);
});

async function perform(task: Task): Promise<void> {
  tell('begun');
  controller = new AbortController();
  const route = routes.get(task.job)?.[task.failure === null ? 'actions' : 'onFailure'] as WorkRoute;
  tell(await tryJob(route, task, controller.signal, log));
}
