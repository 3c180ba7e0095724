/** An application with the console's data API, for its tests. */
import { literalPath } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { configFromEnvironment } from '../../runtime/config/config-from-environment.ts';
import type { Actions } from '../../runtime/console/data/action-routes.ts';
import type { DataPage } from '../../runtime/console/data/data-forms.ts';
import { dataRoutes } from '../../runtime/console/data/data-routes.ts';
import { applicationRoutes } from '../../runtime/endpoints/application.ts';
import { createLog } from '../../runtime/observe/log.ts';
import { createMetrics } from '../../runtime/observe/metrics.ts';
import { openDatabase } from '../../runtime/query/connections/open-database.ts';
import { plainRoute } from '../../runtime/request/exchange.ts';
import { databaseOptions } from '../../runtime/serve.ts';
import { serveRoutes } from '../../runtime/server.ts';

interface Body {
  readonly detail: string;
  readonly token: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

export interface DataServer {
  readonly url: string;
  readonly actions: TestActions;
  /** Paths are below that of the console's API. */
  send(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: Body }>;
  get(path: string): Promise<unknown>;
  page(path: string): Promise<DataPage>;
  stop(): Promise<unknown>;
}

export async function startDataServer(definition: Definition, databaseUrl: string): Promise<DataServer> {
  const own = { DATABASE_URL: databaseUrl, HOST: '127.0.0.1', PORT: '0', SHUTDOWN_GRACE: '0' };
  const read = configFromEnvironment({ ...own, DATABASE_STATEMENT_TIMEOUT: '300ms' });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const { config } = read;
  const log = createLog('silent');
  const database = openDatabase({ ...databaseOptions(config, undefined), log });
  const { routes, signIn } = applicationRoutes({
    definition,
    hooks: {},
    database,
    overflowed: () => undefined,
    ...config,
  });
  const actions = new TestActions();
  const data = dataRoutes({ definition, database, signIn, actions, ...config }, (method, path, handle) =>
    plainRoute(method, [...literalPath('_console'), ...path], handle),
  );
  const server = await serveRoutes({
    routes: [...routes, ...data],
    config,
    log,
    metrics: createMetrics(),
    isReady: async () => ({ ready: true }),
    close: () => database.close(),
  });
  const url = `http://127.0.0.1:${server.port}`;
  const send: DataServer['send'] = async (method, path, body) => {
    const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${url}/_console/${path}`, { method, ...json });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Body };
  };
  const get = async (path: string): Promise<unknown> => {
    const { status, body } = await send('GET', path);
    if (status !== 200) throw new Error(`${status}: ${body.detail}`);
    return body;
  };
  return { url, actions, send, get, page: async (path) => (await get(`data/${path}`)) as DataPage, stop: server.stop };
}

/** Populating lasts until the test says so; a reset fails. */
class TestActions implements Actions {
  readonly begun: Promise<void>;
  end: () => void = () => undefined;
  #begin: () => void = () => undefined;

  constructor() {
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  populate: Actions['populate'] = (_, report) => {
    report({ done: 1, total: 3 });
    this.#begin();
    return new Promise((resolve) => {
      this.end = resolve;
    });
  };

  reset: Actions['reset'] = async () => {
    throw new Error('the database is used by somebody else');
  };
}
