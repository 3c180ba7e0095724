/** An application with the console's data API, for its tests. */
import { CONSOLE_KEY_HEADER } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { configFromEnvironment } from '../../runtime/config/config.ts';
import type { ConsoleActions, ConsoleOptions } from '../../runtime/console/api/console-options.ts';
import type { DataPage } from '../../runtime/console/data/data-forms.ts';
import type { Mailbox } from '../../runtime/deliver/mailbox.ts';
import { createLog } from '../../runtime/observe/log.ts';
import { startServer } from '../../runtime/serve.ts';

interface Body {
  readonly detail: string;
  readonly token: string;
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

export interface DataServer {
  readonly url: string;
  readonly key: string;
  readonly actions: TestActions;
  /** Paths are below that of the console's API. */
  send(method: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: Body }>;
  get(path: string): Promise<unknown>;
  page(path: string): Promise<DataPage>;
  stop(): Promise<unknown>;
}

const NO_DOCUMENT = '{"info":{"title":"test","version":"1"}}';
const KEY = 'a-key-that-nobody-guesses';

interface DataServerOptions {
  /** As in `kiln dev`, or as `CONSOLE=on` has it in an image. */
  readonly place?: ConsoleOptions['place'];
  readonly openApi?: string;
  readonly statementTimeout?: string;
  readonly mailbox?: Mailbox;
  /** None unless it is said. */
  readonly jobs?: string;
  /** Where files are kept. */
  readonly files?: Readonly<Record<string, string>>;
}

export async function startDataServer(
  definition: Definition,
  databaseUrl: string,
  {
    place = 'root',
    openApi = NO_DOCUMENT,
    statementTimeout = '300ms',
    mailbox,
    jobs = '0',
    files = {},
  }: DataServerOptions = {},
): Promise<DataServer> {
  const own = { DATABASE_URL: databaseUrl, HOST: '127.0.0.1', PORT: '0', SHUTDOWN_GRACE: '0', JOBS: jobs };
  const inImage = place === 'docs' ? { CONSOLE: 'on', CONSOLE_SECRET: KEY } : {};
  const read = configFromEnvironment({ ...own, ...files, ...inImage, DATABASE_STATEMENT_TIMEOUT: statementTimeout });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const actions = new TestActions();
  const application = { definition, hooks: {}, openApi, config: read.config, log: createLog('silent') };
  const server = await startServer(
    place === 'root'
      ? { ...application, console: { key: KEY, place, actions, access: () => ({}) }, ...(mailbox && { mailbox }) }
      : application,
  );
  const send: DataServer['send'] = async (method, path, body) => {
    const json = body && { body: JSON.stringify(body) };
    const headers = { [CONSOLE_KEY_HEADER]: KEY, 'content-type': 'application/json' };
    const response = await fetch(`${server.url}/_console/${path}`, { method, headers, ...json });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Body };
  };
  const get = async (path: string): Promise<unknown> => {
    const { status, body } = await send('GET', path);
    if (status !== 200) throw new Error(`${status}: ${body.detail}`);
    return body;
  };
  const page = async (path: string): Promise<DataPage> => (await get(`data/${path}`)) as DataPage;
  return { url: server.url, key: KEY, actions, send, get, page, stop: server.stop };
}

/** Populating lasts until the test says so; a reset fails. */
class TestActions implements ConsoleActions {
  readonly begun: Promise<void>;
  end: () => void = () => undefined;
  #begin: () => void = () => undefined;

  constructor() {
    this.begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  populate: ConsoleActions['populate'] = (_, report) => {
    report({ done: 1, total: 3 });
    this.#begin();
    return new Promise((resolve) => {
      this.end = resolve;
    });
  };

  reset: ConsoleActions['reset'] = async () => {
    throw new Error('the database is used by somebody else');
  };
}
