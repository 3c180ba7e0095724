/** Jobs beside requests: an application that has some works on them, with connections of its own for it. */

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Definition } from '../../compiler/definition/definition.ts';
import { once } from '../../compiler/definition/memo.ts';
import type { Config } from '../config/config.ts';
import { HostSlots } from '../deliver/host-slots.ts';
import type { SendMail } from '../deliver/mail.ts';
import { smtpSender } from '../deliver/smtp.ts';
import { jobRoutes, scheduleRoutes } from '../endpoints/application.ts';
import type { Overflow } from '../endpoints/attempt.ts';
import { type HookModules, urlOfHooks } from '../hooks/hook-code.ts';
import type { Metrics } from '../observe/metrics.ts';
import { openDatabase } from '../query/connections/open-database.ts';
import { listenTo, notifier } from '../query/connections/wake-ups.ts';
import { type Connection, type Database, withTransactions } from '../query/database.ts';
import { Semaphore } from '../values/semaphore.ts';
import { allSettings, type SettingValues } from '../values/settings.ts';
import { type JobCode, JobRunner } from './runner.ts';
import { Scheduler } from './scheduler.ts';
import { Threads } from './threads.ts';

/** What is run, and may be replaced while the server runs. */
export interface JobSource {
  readonly definition: Definition;
  readonly hooks: HookModules;
  readonly settings: SettingValues;
}

export interface JobsOptions {
  readonly config: Config;
  /** For the connections of jobs. */
  readonly database: Omit<Parameters<typeof openDatabase>[0], 'poolMax'>;
  /** Called after a job, which may have changed something. */
  readonly changed: () => void;
  /** The connections of requests, over which other servers are notified. */
  readonly requests: Connection;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'jobs'>;
  readonly overflowed: (overflow: Overflow) => void;
  /** Takes the mails in place of a mail server. */
  readonly mailbox?: SendMail;
}

export interface Jobs {
  /** A request may have stored jobs. */
  stored(): void;
  replace(source: JobSource): void;
  /** How many jobs wait that only other releases can read. */
  readonly unreadable: number;
  stop(): Promise<void>;
}

const NO_JOBS = { unreadable: 0, stored: () => undefined, stop: async () => undefined };

/** Nothing is started until there are jobs. */
export function startJobs(source: JobSource, options: JobsOptions): Jobs {
  let jobs: Jobs | null = null;
  const replace = (next: JobSource): void => {
    if (jobs) jobs.replace(next);
    else if ((next.definition.jobs ?? []).length > 0) jobs = startedJobs(next, options);
  };
  replace(source);
  const current = () => jobs ?? NO_JOBS;
  return {
    replace,
    stored: () => current().stored(),
    stop: () => current().stop(),
    get unreadable() {
      return current().unreadable;
    },
  };
}

function startedJobs(source: JobSource, options: JobsOptions): Jobs {
  const { config, log } = options;
  const server = `${hostname()} ${process.pid} ${randomUUID().slice(0, 8)}`;
  const notify = notifier(options.requests, 'kiln_jobs', server);
  if (config.jobs === 0) return { ...NO_JOBS, stored: notify, replace: () => undefined };
  const stored = (): void => {
    runner.nudge();
    notify();
  };
  // One more for claims, which do not wait for jobs.
  const database = openDatabase({ ...options.database, poolMax: config.jobs + 1 + FOR_DELIVERIES });
  const forDeliveries = inTurn(database);
  const smtp = options.mailbox ? null : smtpSender(config);
  const slots = new HostSlots();
  const deliver = { sendMail: options.mailbox ?? smtp?.send, slots, isPrivateAllowed: config.webhookPrivate };
  const scheduler = new Scheduler({ database, log, release: options.database.release });
  const codeOf = ({ definition, hooks, settings }: JobSource): JobCode => {
    const { overflowed } = options;
    const application = {
      ...config,
      definition,
      hooks,
      settings,
      database,
      overflowed,
      deliver,
      storedJobs: stored,
      changed: options.changed,
    };
    scheduler.replace(scheduleRoutes(application));
    const { log: _, judge: __, ...connections } = options.database;
    const url = urlOfHooks(hooks) ?? null;
    const sent = allSettings(definition.settings ?? [], settings);
    const data = { definition, hooks: url, settings: sent, config, database: connections };
    // Functions of the program around cannot be handed to a thread.
    const isHere = url === null && Object.keys(hooks).length > 0;
    return {
      routes: [
        ...jobRoutes(application).filter(({ job }) => !job.delivers),
        ...jobRoutes({ ...application, database: forDeliveries }).filter(({ job }) => job.delivers),
      ],
      threads: isHere ? null : new Threads(data, stored),
    };
  };
  const runner = new JobRunner(codeOf(source), {
    database,
    log,
    most: config.jobs,
    server,
    tally: options.metrics.jobs(),
    slots,
  });
  const endListening = listenTo(options.database, 'kiln_jobs', server, () => runner.nudge());
  const stop = once(async (): Promise<void> => {
    await Promise.all([scheduler.stop(), runner.stop(stopTime(config)), endListening()]);
    smtp?.close();
    await database.close();
  });
  return {
    stored,
    replace: (next) => runner.replace(codeOf(next)),
    get unreadable() {
      return runner.unreadable;
    },
    stop,
  };
}

/** How many connections the deliveries that are under way share. */
const FOR_DELIVERIES = 2;

/** Transactions wait in turn, and as long as it takes: what was sent would be sent again if it could not be ended. */
function inTurn(database: Database): Database {
  const turns = new Semaphore(FOR_DELIVERIES);
  return withTransactions(
    database,
    (within) => (work, options) => turns.during(() => within.transaction(work, options)),
  );
}

/** How long running jobs may take when the server stops, so that there is time left to give the others back. */
function stopTime({ shutdownGrace, shutdownTimeout }: Config): number {
  return shutdownGrace + shutdownTimeout - Math.min(2000, shutdownTimeout / 4);
}
