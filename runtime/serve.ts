/** An application that serves: definition, hooks and configuration in, a running server out. */
import type { Logger } from 'pino';
import type { Definition } from '../compiler/definition/definition.ts';
import type { Config } from './config/config.ts';
import { serversOf } from './config/reading.ts';
import type { ConsoleOptions } from './console/api/console-options.ts';
import { consoleRoutes } from './console/console-routes.ts';
import { type Fixtures, fixturesOf } from './console/data/fixtures.ts';
import { type DocumentSource, documentRoute, type ServedDocument, servedDocument } from './console/document-route.ts';
import { LiveRecorder } from './console/live/live-recorder.ts';
import type { LiveParts } from './console/live/live-routes.ts';
import type { Mailbox } from './deliver/mailbox.ts';
import { type ApplicationOptions, applicationRoutes, loadForHooks } from './endpoints/application.ts';
import type { Overflow } from './endpoints/attempt.ts';
import { type IgnoredKeys, ignoredText } from './endpoints/ignored-keys.ts';
import { openStore } from './files/open-store.ts';
import type { FileStore } from './files/store.ts';
import { uploadRoutes } from './files/upload-route.ts';
import type { HookModules } from './hooks/hook-code.ts';
import { type JobSource, type Jobs, type JobsOptions, startJobs } from './jobs/start-jobs.ts';
import { type JobRun, travel, workOff } from './jobs/work-off.ts';
import { type Live, startLive } from './live/start-live.ts';
import { createLog } from './observe/log.ts';
import { createMetrics } from './observe/metrics.ts';
import type { Readiness } from './observe/readiness.ts';
import { expiredRowsIn } from './query/accounts.ts';
import { sqlStateOf } from './query/connections/database-error-from.ts';
import { openDatabase } from './query/connections/open-database.ts';
import { Replicas } from './query/connections/replicas.ts';
import { type Judge, ParameterRefused, SchemaMissing, SettingsDropped } from './query/connections/search-path.ts';
import { type Database, DatabaseError } from './query/database.ts';
import { connectionName, type ImageRelease, type ReleaseDatabase } from './query/database-release.ts';
import { releaseReadiness } from './release-readiness.ts';
import type { Route } from './request/exchange.ts';
import { answerFromError } from './respond/answer-from-error.ts';
import { type MountedApp, mountRoutes, type RunningServer, serveRoutes } from './server.ts';
import { startSweep } from './sweep.ts';
import type { SettingValues } from './values/settings.ts';

/** The parts that are served, and may be replaced while the server runs. */
export interface Served {
  readonly definition: Definition;
  readonly hooks: HookModules;
  /** Those that the definition declares; none where it declares none. */
  readonly settings?: SettingValues;
  /** The text of `/openapi.json`, or what makes it. */
  readonly openApi?: DocumentSource;
}

export interface StartOptions extends Served {
  readonly config: Config;
  /** Missing where what is served is no release, as that of `kiln dev`. */
  readonly release?: ImageRelease | undefined;
  readonly log?: Logger;
  /** `express` sends every request through Express. */
  readonly lane?: 'fast' | 'express';
  /** Whether the log has a line for each body with keys that no input takes, for development. */
  readonly tellsIgnoredKeys?: boolean;
  /** Whether it works on jobs alone, and serves no route of the application. */
  readonly onlyWorks?: boolean;
  /** Whether this is one of several processes with the same port. */
  readonly isWorker?: boolean;
  /** Data and requests in the console, as in `kiln dev`. Without it the page has the reference and the models alone. */
  readonly console?: ConsoleOptions;
  /**
   * Records the requests for the console. `kiln dev`, which has more to tell it, makes its own; else it is made here.
   */
  readonly live?: LiveRecorder;
  /** Takes the mails in place of a mail server. */
  readonly mailbox?: Mailbox;
  /** How often rows that are over are removed, in milliseconds. */
  readonly sweepEvery?: number;
  /** How often the tokens of live lists are looked at again, in milliseconds. */
  readonly tokensEvery?: number;
}

const SWEEP_EVERY = 10 * 60_000;
const TOKENS_EVERY = 60_000;

export interface StartedServer extends RunningServer {
  readonly url: string;
  readonly log: Logger;
  /** Serves something else from the next request on, over the same connections. */
  reload(served: Served): void;
  /** Runs the jobs that are due, for a server with `JOBS=0` in a test. */
  work(): Promise<readonly JobRun[]>;
  /** Lets time pass for jobs. */
  travel(seconds: number): Promise<void>;
  /** Makes records and accounts for a test. */
  readonly fixtures: () => Fixtures;
}

export async function startServer(options: StartOptions): Promise<StartedServer> {
  const { serving, document, replaced, live, jobs, lists, ...tests } = await opened(options);
  const server = await serveRoutes(serving).catch(async (error: unknown) => {
    await serving.close();
    throw error;
  });
  let current = document;
  // Responses name the contract as soon as it is known.
  const follow = (routes: readonly Route[], made: ServedDocument | undefined): void => {
    current = made;
    if (made)
      made.onMade = () => {
        if (current === made) server.replaceRoutes({ routes, contract: made.contract() });
      };
  };
  follow(serving.routes, document);
  const reload = (served: Served): void => {
    const { document: replacement, routes, contract } = replaced(served);
    server.replaceRoutes({ routes, contract });
    follow(routes, replacement);
  };
  const stop = (): Promise<boolean> => {
    live?.close();
    void jobs.stop();
    void lists.stop();
    return server.stop();
  };
  return { ...server, stop, reload, ...tests, log: serving.log, url: urlOf(options.config.host, server.port) };
}

/** The application without a port of its own, for an Express application that somebody else listens with. */
export async function createApp(options: StartOptions): Promise<MountedApp> {
  const { serving, live, lists } = await opened(options);
  try {
    const { app, stop } = await mountRoutes(serving);
    return {
      app,
      stop: () => {
        live?.close();
        void lists.stop();
        return stop();
      },
    };
  } catch (error) {
    await serving.close();
    throw error;
  }
}

async function opened(options: StartOptions) {
  // The modules are loaded before the first request, so that it does not wait for them.
  await loadForHooks(options.hooks);
  // Source maps show errors of hooks with their own files and lines.
  process.setSourceMapsEnabled(true);
  const { config, lane, release } = options;
  const console = consoleOf(options);
  const live = console && (options.live ?? new LiveRecorder());
  const log = options.log ?? createLog(config.logLevel, undefined, live && ((line) => live.logged(line)));
  const store = config.files && (await openStore(config.files));
  const judge: Judge = (view) => (release ? reasonIn(releaseReadiness(release, view)) : null);
  const connections = openDatabase({
    ...databaseOptions(config, release),
    log,
    tellsPosition: !options.onlyWorks && config.databaseReadUrls.length > 0,
    ...(release && { staysConnected: true, judge }),
  });
  const recorded = (own: Database): Database => live?.database(own) ?? own;
  const database = recorded(connections);
  const metrics = createMetrics(options.isWorker);
  metrics.watchConnections(() => database.state());
  const replicas = openReplicas(options, { connections, log, judge, recorded });
  if (replicas) metrics.watchReplicas(replicas);
  const dependencies = { database: connections, log, ...(release && { release }) };
  const overflowed = (overflow: Overflow) => {
    metrics.countOverflow(overflow.model);
    log.warn(overflow, 'a computed value is out of range; null was used instead');
  };
  const ignored = (keys: IgnoredKeys) => log.warn(keys, ignoredText(keys));
  const lists = startLive(options.definition, {
    connection: connections,
    client: databaseOptions(config, release),
    log,
    metrics,
    most: config.liveMax,
    trustedProxies: config.trustedProxies,
    readers: Math.max(1, Math.floor(config.poolMax / 3)),
    tokensEvery: options.tokensEvery ?? TOKENS_EVERY,
    problemOf: answerFromError,
  });
  const jobOptions: JobsOptions = {
    config,
    database: { ...databaseOptions(config, release), log, ...(release && { judge }) },
    requests: connections,
    log,
    metrics,
    overflowed,
    changed: lists.changed,
    ...(options.mailbox && { mailbox: options.mailbox.take }),
  };
  const jobs = startJobs(jobSource(options), jobOptions);
  let readiness = readinessOf(options.definition, dependencies);
  let expired = expiredRowsIn(options.definition);
  const sweep = startSweep({ database, log, statements: () => expired, every: options.sweepEvery ?? SWEEP_EVERY });
  const close = async (): Promise<void> => {
    sweep.stop();
    await jobs.stop();
    await lists.stop();
    await replicas?.close();
    await database.close();
  };
  const setting: Setting = {
    config,
    console,
    store,
    live: live && { recorder: live, database: connections },
    mailbox: options.mailbox,
    lists,
    application: {
      ...config,
      database,
      replicas,
      overflowed,
      hookBegins: live?.hookBegins,
      storedJobs: jobs.stored,
      changed: lists.changed,
      live: lists.open,
      ...(options.tellsIgnoredKeys && { ignored }),
    },
  };
  const routesFor = (served: Served) => {
    const document = servedDocument(served.openApi, served.definition);
    const { all, fixtures } = routesOf(served, document, setting);
    return { routes: options.onlyWorks ? [] : all, document, contract: document?.contract(), fixtures };
  };
  const { document, fixtures, ...routes } = routesFor(options);
  return {
    serving: {
      ...routes,
      config,
      log,
      metrics,
      hosts: console?.hosts,
      isReady: async () => withJobs(await readiness(), jobs),
      close,
      position: replicas && ((hasWritten: boolean) => replicas.position(hasWritten)),
      ...(lane ? { lane } : {}),
      ...(live && { record: live.record }),
    },
    live,
    jobs,
    lists,
    work: () => workOff(jobSource(options), jobOptions),
    travel: (seconds: number) => travel(connections, seconds),
    fixtures,
    document,
    replaced(served: Served) {
      readiness = readinessOf(served.definition, dependencies);
      expired = expiredRowsIn(served.definition);
      jobs.replace(jobSource(served));
      lists.replace(served.definition);
      return routesFor(served);
    },
  };
}

function jobSource({ definition, hooks, settings = {} }: Served): JobSource {
  return { definition, hooks, settings };
}

function withJobs(readiness: Readiness, { unreadable }: Jobs): Readiness {
  return readiness.ready && unreadable > 0 ? { ...readiness, unreadableJobs: unreadable } : readiness;
}

interface Setting extends Pick<StartOptions, 'config'> {
  readonly mailbox: Mailbox | undefined;
  readonly console: ConsoleOptions | undefined;
  readonly store: FileStore | null;
  readonly live: LiveParts | undefined;
  readonly lists: Live;
  readonly application: Omit<ApplicationOptions, keyof Served>;
}

function routesOf(
  { definition, hooks, settings = {} }: Served,
  document: ServedDocument | undefined,
  { config, console, store, live, mailbox, lists, application }: Setting,
) {
  const { routes, liveLists, signIn } = applicationRoutes({ definition, hooks, settings, ...application });
  const contract = document && config.docs ? [documentRoute(document.read)] : [];
  // The console's own reads are not requests of the application.
  const { statementTimeout } = config;
  const tools = { database: live?.database ?? application.database, signIn, store, settings, statementTimeout };
  const bucket = config.files?.kind === 'bucket' ? config.files.address : undefined;
  const page =
    document && config.docsPage
      ? consoleRoutes({ definition, document: document.read, routes, console, tools, live, mailbox, bucket })
      : [];
  const own = live?.recorder.routes(routes, definition, settings) ?? routes;
  const uploads = store ? uploadRoutes(store) : [];
  return {
    all: [...own, ...uploads, ...lists.routes(liveLists), ...contract, ...page],
    fixtures: () => fixturesOf(definition, tools),
  };
}

/** The options of the console. In an image, `CONSOLE=on` turns it on, and the secret is its key. */
function consoleOf({ console, config }: StartOptions): ConsoleOptions | undefined {
  if (console) return console;
  return config.consoleSecret === null
    ? undefined
    : { key: config.consoleSecret, place: 'docs', proxies: config.trustedProxies };
}

interface Around {
  readonly connections: ReleaseDatabase;
  readonly log: Logger;
  readonly judge: Judge;
  readonly recorded: (database: Database) => Database;
}

/** A replica that `migrate` has not reached yet is not used, like a database. */
function openReplicas({ config, release, onlyWorks }: StartOptions, { connections, log, judge, recorded }: Around) {
  const urls = onlyWorks ? [] : config.databaseReadUrls;
  const replicas = urls.map((url) => {
    const name = serversOf(url);
    const variable = 'DATABASE_READ_URL';
    const options = { ...databaseOptions(config, release), url, variable, log: log.child({ replica: name }) };
    const database = openDatabase({ ...options, ...(release && { staysConnected: true, judge }) });
    return { name, database, forRequests: recorded(database) };
  });
  return replicas.length > 0 ? new Replicas(connections, replicas, log) : undefined;
}

export function databaseOptions(config: Config, release: ImageRelease | undefined) {
  const { databaseUrl, poolMax, statementTimeout, acquireTimeout } = config;
  const applicationName = connectionName(release);
  return { url: databaseUrl, poolMax, statementTimeout, acquireTimeout, applicationName, ...(release && { release }) };
}

/** Checks the readiness each time: a `migrate` may have made the database unfit for this server. */
function readinessOf(
  definition: Definition,
  {
    database,
    release,
    log,
  }: { readonly database: ReleaseDatabase; readonly release?: ImageRelease; readonly log: Logger },
): () => Promise<Readiness> {
  const tell = changesIn(log);
  const writes = definition.auth !== null || definition.endpoints.some(({ method }) => method !== 'GET');
  return async () => {
    try {
      if (!release) await database.ping();
      const view = release ? await database.view() : null;
      const readiness = release ? tell(releaseReadiness(release, view)) : { ready: true as const };
      return readiness.ready && view?.readOnly && writes
        ? { ready: false, reason: READ_ONLY[view.readOnly] }
        : readiness;
    } catch (error) {
      return { ready: false, reason: reasonFrom(error) };
    }
  };
}

const READ_ONLY = {
  standby: 'The database is read-only: it is a standby. Reads are answered, writes get 503.',
  setting:
    'The database is read-only: `default_transaction_read_only` is on for it, for the role or for the server. Reads are answered, writes get 503.',
} as const;

function reasonIn(readiness: Readiness): string | null {
  return readiness.ready ? null : readiness.reason;
}

/** Logs changes of the readiness: an orchestrator shows the status alone, and the log has the reason. */
function changesIn(log: Logger): (readiness: Readiness) => Readiness {
  let told: string | null = null;
  return (readiness) => {
    const reason = reasonIn(readiness);
    if (reason !== told && reason !== null) log.warn({ reason }, 'not ready');
    if (reason !== told && reason === null) log.info('ready again');
    told = reason;
    return readiness;
  };
}

const MAY_NOT = '42501';
const SENTENCES = [ParameterRefused, SchemaMissing, SettingsDropped] as const;

function reasonFrom(error: unknown): string {
  const cause = error instanceof DatabaseError ? error.cause : error;
  if (SENTENCES.some((kind) => cause instanceof kind)) return (cause as Error).message;
  if (sqlStateOf(cause) === MAY_NOT)
    return 'The ledger of releases, the tables `kiln_releases` and `kiln_release_progress`, cannot be read. The role of the server needs SELECT on them.';
  return 'The database cannot be reached.';
}

function urlOf(host: string, port: number): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  return `http://${isEverywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}
