/**
 * What every client has in it, as one file that is checked and linted like any other. `npm run embed` puts its parts into
 * `client-runtime.json`, which the emitter reads, because the compiler reads no files.
 *
 * Lines between `// #if` and `// #end` are only in clients with that feature; after `// #else` is the line for the others.
 */
import type { PROBLEMS } from '../../../definition/contract/problems.ts';
import { LiveStreams } from './live-runtime.ts';

/** These three are made for each application. */
export type Client = object;
const CONTRACT: string = '';
const ROUTES: Routes = {};

/** These two are made from the table of problems. */
type Statuses = { [Code in keyof typeof PROBLEMS]: (typeof PROBLEMS)[Code]['status'] };
const CODES: RegExp = /^$/;

// #part types
// ── Options, results, errors ─────────────────────────────────────────────────────────────────────────────────────────

/** A value, or a function that is called for it before each request. */
export type Given<T> = T | (() => T | Promise<T>);

/** Anything that the Headers of fetch accept. */
export type GivenHeaders = Headers | Readonly<Record<string, string>> | readonly (readonly [string, string])[];

export interface ClientOptions {
  /** Where the API is: "https://example.com", or "https://example.com/shop" behind a proxy. "" is the page's own origin. */
  readonly baseUrl: string | URL;
  /** Sent as "Authorization: Bearer ...". Nothing is sent if it is empty, null or undefined. */
  readonly token?: Given<string | null | undefined>;
  /** Sent with each request. */
  readonly headers?: Given<GivenHeaders | undefined>;
  /** Used instead of the global fetch. */
  readonly fetch?: Fetch | undefined;
  /** The longest time of a call in milliseconds, including retries. No limit if left out or Infinity. */
  readonly timeout?: number | undefined;
  /** How often a GET or PUT is retried after no response, 429, 502, 503 or 504. The default is 2. */
  readonly retries?: number | undefined;
  /** Called once if the server has another API than this client was made for. The default prints a warning. */
  readonly onContractMismatch?: ((mismatch: ContractMismatch) => void) | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds. */
  readonly timeout?: number | undefined;
  readonly retries?: number | undefined;
  /** They override those of the client. */
  readonly headers?: GivenHeaders | undefined;
}

export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

export interface FetchInit {
  readonly method: string;
  readonly headers: Headers;
  // #if files
  readonly body?: string | Blob;
  // #else
  // readonly body?: string;
  // #end
  readonly signal: AbortSignal;
}

export interface ContractMismatch {
  /** The contract that this client was generated from. */
  readonly client: string;
  readonly server: string;
}

// #if login
export interface LoginOptions extends CallOptions {
  /** From now on this client sends the token with each request, until logout. It is kept in memory only. */
  readonly keepToken?: boolean | undefined;
}

// #end
/** One endpoint. A call returns the data or throws an ApiError. */
export interface Method<A extends readonly unknown[], D, C extends ErrorCode = never> {
  (...args: A): Promise<D>;
  /** The same, but returns errors instead of throwing them. */
  readonly result: (...args: A) => Promise<Result<D, C | AnyTimeCode>>;
}

// #if live
/** A list that can be followed. */
export interface Live<A extends readonly unknown[], D> {
  /**
   * The list, and again the whole list after each change: for await (const rows of list.live()). It connects again by
   * itself. It ends when the loop is left or the signal aborts, and throws if the list is refused.
   */
  readonly live: (...args: A) => AsyncGenerator<D, void, undefined>;
}

export type LiveOptions = Pick<CallOptions, 'signal' | 'headers'>;

// #end
export type Result<D, C extends ErrorCode = ErrorCode> = Success<D> | Failure<C>;

export interface Success<D> {
  readonly ok: true;
  readonly status: number;
  readonly data: D;
  readonly headers: Headers;
}

/** One variant for each code, which tells the status and the problem. */
export type Failure<C extends ErrorCode = ErrorCode> = {
  [K in C]: {
    readonly ok: false;
    readonly code: K;
    readonly status: StatusByCode[K];
    readonly problem: K extends ProblemCode ? Problem<K> : undefined;
    readonly fields: Fields;
    /** Undefined if there was no response. */
    readonly headers: Headers | undefined;
    /** What the plain method would have thrown. */
    readonly error: ApiError;
  };
}[C];

// #if pages
/** A list in pages. */
export interface PagedMethod<A extends readonly unknown[], D, C extends ProblemCode = never, P = Page<D>>
  extends Method<A, P, C> {
  /** Every record, page after page. Each page is fetched when it is needed: for await (const each of list.all()). */
  readonly all: (...args: A) => AsyncGenerator<D, void, undefined>;
}

/** Of a list that does not count its records. */
export interface UncountedPage<D> {
  page: number;
  pageSize: number;
  data: D[];
}

export interface Page<D> extends UncountedPage<D> {
  totalPages: number;
  totalCount: number;
}

/** Of a list that estimates how many records there are. */
export interface EstimatedPage<D> extends Page<D> {
  /** Whether the totals are estimates. They are exact if the page shows that it is the last one. */
  totalIsEstimated: boolean;
}

/** Of a list whose pages have no numbers. */
export interface CursorPage<D> {
  pageSize: number;
  /** The value for `after`; null on the last page. */
  next: string | null;
  data: D[];
}

export interface CursorQuery {
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
  readonly pageSize?: number | undefined;
}

export interface PageQuery {
  /** From 1. */
  readonly page?: number | undefined;
  readonly pageSize?: number | undefined;
}

// #end
/** An error of the API (RFC 9457). */
export interface Problem<C extends ProblemCode = ProblemCode> {
  readonly type: string;
  readonly title: string;
  readonly status: StatusByCode[C];
  /** Of custom code: its own. */
  readonly code: C extends 'refused' ? string : C;
  /** The mistake in this request. */
  readonly detail?: string;
  /** Names the request in the server's log. */
  readonly requestId: string;
  /** The errors of single inputs. */
  readonly errors?: readonly InputError[];
}

export interface InputError {
  /** The place in the request, with dots: "author.email". */
  readonly path: string;
  readonly code: string;
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The errors of single inputs by their paths. */
export type Fields = Readonly<Record<string, readonly InputError[] | undefined>>;

export interface StatusByCode extends Statuses {
  /** Custom code of the API rejected the request. */
  refused: number;
  /** There was no response, or it was incomplete. */
  network: 0;
  timeout: 0;
  /** The caller aborted the call. */
  aborted: 0;
  // #if versions
  /** The caller has this version already: it sent `if-none-match`. */
  'not-modified': 304;
  // #end
  /** The response is of a proxy, not of this API. */
  'unexpected-answer': number;
}

export type ErrorCode = keyof StatusByCode;
export type ClientCode = 'network' | 'timeout' | 'aborted' | 'unexpected-answer';
// #if versions
export type ProblemCode = Exclude<ErrorCode, ClientCode | 'not-modified'>;
// #else
// export type ProblemCode = Exclude<ErrorCode, ClientCode>;
// #end
/** The errors of any endpoint that takes a body. */
export type BodyCode = 'malformed-request' | 'too-large' | 'unsupported-media-type';
/** The errors of any call. */
export type AnyTimeCode = 'internal' | 'unavailable' | ClientCode;

export interface ErrorFacts {
  readonly code: ErrorCode;
  readonly status?: number | undefined;
  readonly problem?: Problem | undefined;
  readonly headers?: Headers | undefined;
  readonly otherContract?: string | undefined;
  readonly cause?: unknown;
}

// #part code
interface Route {
  /** The method and the path. */
  readonly route: string;
  /** Where the input goes. */
  readonly takes?: 'query' | 'body';
  // #if filters
  /** The parameters of the query that may be lists, or objects of operators. */
  readonly filters?: readonly string[];
  /** The lists of the query that have commas between their items. */
  readonly joined?: readonly string[];
  // #end
  // #if files
  /** The inputs that take files: their places in the body, and the paths below this one that offer uploads. */
  readonly files?: Readonly<Record<string, string>>;
  /** Where a file is sent to. The address has a signature, so that no message has it. */
  readonly to?: Upload;
  // #end
  /** JSON where nothing is said. */
  readonly gives?: 'page' | 'nothing' | 'response';
  // #if pages
  /** What a page calls its members; what it leaves out has no name. */
  readonly members?: Readonly<Record<string, string>>;
  /** What is sent in place of `page`, `pageSize` and `after`. */
  readonly parameters?: Readonly<Record<string, string>>;
  // #end
  /** A status other than 2xx that the endpoint answers with by itself. */
  readonly status?: number | 'any';
  readonly token?: 'given' | 'ended';
  // #if live
  readonly live?: true;
  // #end
}

// #if files
interface Upload {
  readonly file: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

// #end
interface Routes {
  readonly [name: string]: Route | Routes;
}

type PathValue = string | number | boolean;

export function createClient(options: ClientOptions): Client {
  return withMembers({}, ROUTES, [], new Connection(options)) as Client;
}

/** Own properties: names of the API win over those of functions. Tests can replace them. */
function withMembers(target: object, routes: Routes, values: readonly PathValue[], connection: Connection): object {
  for (const [name, entry] of Object.entries(routes)) {
    if (name === '()') continue;
    const value = isRoute(entry) ? methodFrom(entry, values, connection) : groupFrom(entry, values, connection);
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return target;
}

function isRoute(entry: Route | Routes): entry is Route {
  return typeof entry['route'] === 'string';
}

function groupFrom(routes: Routes, values: readonly PathValue[], connection: Connection): object {
  const one = routes['()'] as Routes | undefined;
  if (one === undefined) return withMembers({}, routes, values, connection);
  const find = (value: PathValue) => withMembers({}, one, [...values, value], connection);
  return withMembers(find, routes, values, connection);
}

function methodFrom(route: Route, values: readonly PathValue[], connection: Connection): object {
  const perform = async (args: readonly unknown[]): Promise<Success<unknown>> => {
    const [input, options] = route.takes === undefined ? [undefined, args[0]] : args;
    // #if files
    return connection.callWithFiles(route, values, input, (options ?? {}) as CallOptions);
    // #else
    // return connection.call(route, pathFrom(route, values, input), input, (options ?? {}) as CallOptions);
    // #end
  };
  const method = async (...args: readonly unknown[]): Promise<unknown> => (await perform(args)).data;
  const result = (...args: readonly unknown[]) => perform(args).catch(failureFrom);
  // #if live
  const live = (...args: readonly unknown[]) => {
    const [input, options] = route.takes === undefined ? [undefined, args[0]] : args;
    return connection.follow(pathFrom(route, values, input), (options ?? {}) as LiveOptions);
  };
  if (route.live) Object.assign(method, { live });
  // #end
  // #if pages
  return Object.assign(method, { result }, route.gives === 'page' ? { all: everyRecordOf(method, route) } : {});
  // #else
  // return Object.assign(method, { result });
  // #end
}
// #if pages

type AnyList = (query: object, options: unknown) => Promise<unknown>;

function everyRecordOf(list: AnyList, { members, parameters }: Route): object {
  const sent = (name: string) => parameters?.[name] ?? name;
  return async function* all(query: object = {}, options?: unknown): AsyncGenerator<unknown, void, undefined> {
    let asked: Readonly<Record<string, unknown>> | undefined = { ...query };
    while (asked !== undefined) {
      const found = (await list(asked, options)) as Readonly<Record<string, unknown>>;
      const part = (name: string) => found[members === undefined ? name : (members[name] ?? '')];
      yield* part('data') as readonly unknown[];
      const name: string = sent(part('next') === undefined ? 'page' : 'after');
      const following: unknown = part('next') === undefined ? nextNumber(Number(asked[name] ?? 1), part) : part('next');
      asked = following === null ? undefined : { ...asked, [name]: following };
    }
  };
}

/** Null behind the last page. Where nothing is counted, that is one that is not full. */
function nextNumber(page: number, part: (name: string) => unknown): number | null {
  const { length } = part('data') as readonly unknown[];
  const [totalPages, pageSize] = [part('totalPages'), part('pageSize')];
  const isLast = totalPages === undefined ? length < Number(pageSize ?? 1) : page >= Number(totalPages) || length === 0;
  return isLast ? null : page + 1;
}
// #end

export class ApiError extends Error {
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: ErrorCode;
  readonly problem: Problem | undefined;
  readonly fields: Fields;
  readonly headers: Headers | undefined;
  /** The server's contract, if it is another one, which may be the cause. */
  readonly otherContract: string | undefined;

  constructor(message: string, about: ErrorFacts) {
    super(message);
    this.name = 'ApiError';
    Object.defineProperty(this, 'cause', { value: about.cause, configurable: true, writable: true });
    this.status = about.status ?? 0;
    this.code = about.code;
    this.problem = about.problem;
    this.fields = fieldsFrom(about.problem?.errors ?? []);
    this.headers = about.headers;
    this.otherContract = about.otherContract;
  }
}

function fieldsFrom(errors: readonly InputError[]): Fields {
  const fields: Record<string, InputError[]> = Object.create(null);
  for (const error of errors) {
    const others = fields[error.path] ?? [];
    fields[error.path] = [...others, error];
  }
  return fields;
}

function failureFrom(error: unknown): Failure {
  if (!(error instanceof ApiError)) throw error;
  const { code, status, problem, fields, headers } = error;
  return { ok: false, code, status, problem, fields, headers, error } as Failure;
}

// ── Requests ─────────────────────────────────────────────────────────────────────────────────────────────────────────

class Connection {
  readonly #options: ClientOptions;
  readonly #base: string;
  #hasWarned = false;
  /** Of the newest write; `f…` is unknown. */
  #position = '';
  // #if login
  #token: string | undefined;
  // #end
  // #if live
  readonly #streams = new LiveStreams({
    open: (list, headers, signal) => this.#openStream(list, { headers, signal, retries: 0, timeout: Infinity }),
    errorFrom: (path, problem) => {
      const response = new Response(null, { status: (problem as Problem).status });
      return refused(sendingFor(path), response, problem as Problem, undefined);
    },
    waitAfter: (error, tries) => (error instanceof ApiError ? waitBeforeRetry('GET', error, tries) : undefined),
  });
  // #end

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#base = baseFrom(options.baseUrl);
  }

  // #if files
  /** Files are uploaded first, and the body has what the API calls them. All of it shares the time of the call. */
  async callWithFiles(
    route: Route,
    values: readonly PathValue[],
    input: unknown,
    options: CallOptions,
  ): Promise<Success<unknown>> {
    const end = Date.now() + (options.timeout ?? this.#options.timeout ?? Infinity);
    const inTime = (): CallOptions => ({ ...options, timeout: Math.max(end - Date.now(), 0) });
    let sent = input;
    for (const [place, name] of Object.entries(route.files ?? {})) {
      const offer = { route: `POST ${route.route.split(' ')[1]}/${name}`, takes: 'body' } as const;
      sent = await replacedAt(sent, place.split('.'), async (file) => {
        const { size, type } = file;
        const form = { name: (file as File).name || 'file', type: type || 'application/octet-stream', size };
        const { data } = await this.call(offer, pathFrom(offer, values, form), form, inTime());
        const to = data as Upload;
        const put = { route: `PUT ${to.url.split('?')[0]}`, takes: 'body', gives: 'nothing', to } as const;
        await this.call(put, pathFrom(put, [], file), file, inTime());
        return to.file;
      });
    }
    return this.call(route, pathFrom(route, values, sent), sent, inTime());
  }

  // #end
  async call(route: Route, path: string, input: unknown, options: CallOptions): Promise<Success<unknown>> {
    const [method = ''] = route.route.split(' ');
    // #if files
    const body = route.takes !== 'body' || input === undefined ? undefined : bodyFrom(input);
    // #else
    // const body = route.takes === 'body' && input !== undefined ? JSON.stringify(input) : undefined;
    // #end
    const giveUp = new GivingUp(options.signal, options.timeout ?? this.#options.timeout);
    const retries = options.retries ?? this.#options.retries ?? 2;
    let isStillRead = false;
    try {
      for (let tries = 0; ; tries++) {
        const attempt = await this.#attempt({ route, method, path, body, giveUp }, options);
        if (attempt instanceof ApiError) {
          const wait = tries < retries ? waitBeforeRetry(method, attempt, tries) : undefined;
          if (wait === undefined) throw attempt;
          await giveUp.sleep(wait);
          continue;
        }
        // #if login
        this.#keep(route, attempt, options);
        // #end
        isStillRead = route.gives === 'response';
        return attempt;
      }
      // #if login
    } catch (error) {
      const isOver = error instanceof ApiError && error.code === 'unauthenticated';
      if (route.token === 'ended' && isOver) this.#token = undefined;
      throw error;
      // #end
    } finally {
      giveUp.close(isStillRead);
    }
  }
  // #if login

  #keep(route: Route, { data }: Success<unknown>, options: LoginOptions): void {
    if (route.token === 'ended') this.#token = undefined;
    if (route.token === 'given' && options.keepToken) this.#token = (data as { readonly token: string }).token;
  }
  // #end
  // #if live

  follow(path: string, { headers, signal }: LiveOptions): AsyncGenerator<unknown, void, undefined> {
    const sent = new Headers(headers as Readonly<Record<string, string>>);
    sent.set('accept', EVENTS);
    return this.#streams.follow(path, sent, signal);
  }

  async #openStream(list: readonly string[], options: CallOptions): Promise<Response> {
    const { data } = await this.call(LIVE, `/api/live${queryFrom({ list })}`, undefined, options);
    const response = data as Response;
    if (response.headers.get('content-type')?.includes(EVENTS)) return response;
    throw unexpected(sendingFor('/api/live'), response, await response.text(), undefined);
  }
  // #end

  /** Errors of the caller's own code are thrown as they are. */
  async #attempt(request: Sending, options: CallOptions): Promise<Success<unknown> | ApiError> {
    const { method, path, body, giveUp } = request;
    const send = this.#options.fetch ?? globalFetch(this.#base);
    // #if files
    const { to } = request.route;
    const headers = await giveUp.unlessStopped(async () =>
      to ? new Headers(to.headers) : this.#headers(body !== undefined, options),
    );
    // #else
    // const headers = await giveUp.unlessStopped(() => this.#headers(body !== undefined, options));
    // #end
    if (headers === undefined) return failed(request, undefined, undefined);
    const init = { method, headers, signal: giveUp.signal, ...(body === undefined ? {} : { body }) };
    let response: Response;
    try {
      // #if files
      const url = to?.url ?? path;
      response = await send(url.startsWith('/') ? this.#base + url : url, init);
      // #else
      // response = await send(this.#base + path, init);
      // #end
    } catch (cause) {
      return failed(request, cause, undefined);
    }
    const position = response.headers.get('kiln-position');
    if (position && (position > this.#position || this.#position > 'f')) this.#position = position;
    return read(request, response, this.#otherContract(response.headers));
  }

  async #headers(hasBody: boolean, options: CallOptions): Promise<Headers> {
    const headers = new Headers({ accept: 'application/json' });
    if (hasBody) headers.set('content-type', 'application/json');
    if (this.#position) headers.set('kiln-position', this.#position);
    // #if login
    const token = this.#token ?? (await valueOf(this.#options.token));
    // #else
    // const token = await valueOf(this.#options.token);
    // #end
    if (token) setToken(headers, token);
    for (const given of [await valueOf(this.#options.headers), options.headers])
      new Headers(given as Readonly<Record<string, string>>).forEach((value, name) => headers.set(name, value));
    return headers;
  }

  #otherContract(headers: Headers): string | undefined {
    const server = headers.get('kiln-contract');
    if (server === null || server === CONTRACT) return undefined;
    if (!this.#hasWarned) {
      this.#hasWarned = true;
      (this.#options.onContractMismatch ?? warn)({ client: CONTRACT, server });
    }
    return server;
  }
}

/** A server with a client for each request would fill its log otherwise. */
let warnedOf: string | undefined;

function warn({ client, server }: ContractMismatch): void {
  if (server === warnedOf) return;
  warnedOf = server;
  console.warn(
    `The API of the server has changed (contract ${server}) since this client was generated (${client}). Calls may ` +
      'fail. Run "kiln compile" on the sources of the server to update the client, or update the server.',
  );
}

// #if live
const EVENTS = 'text/event-stream';
const LIVE: Route = { route: 'GET /api/live', gives: 'response' };

function sendingFor(path: string): Sending {
  return { route: LIVE, method: 'GET', path, body: undefined, giveUp: new GivingUp(undefined, undefined) };
}

// #end
interface Sending {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  // #if files
  readonly body: string | Blob | undefined;
  // #else
  // readonly body: string | undefined;
  // #end
  readonly giveUp: GivingUp;
}

// #if files
function bodyFrom(input: unknown): string | Blob {
  return input instanceof Blob ? input : JSON.stringify(input);
}

/** The input with something else in place of the file that it may have there. */
async function replacedAt(
  input: unknown,
  [name, ...inner]: readonly string[],
  replace: (file: Blob) => Promise<unknown>,
): Promise<unknown> {
  if (name === undefined) return input instanceof Blob ? replace(input) : input;
  if (typeof input !== 'object' || input === null || !(name in input)) return input;
  const value = (input as Readonly<Record<string, unknown>>)[name];
  return { ...input, [name]: await replacedAt(value, inner, replace) };
}

// #end
/** The error of Headers would show the token. */
function setToken(headers: Headers, token: string): void {
  try {
    headers.set('authorization', `Bearer ${token}`);
  } catch {
    throw new TypeError('The token has a character that is invalid in a header, such as a line break.');
  }
}

/** At each call: it may come later than the client. */
function globalFetch(base: string): Fetch {
  if (typeof globalThis.fetch !== 'function')
    throw new TypeError('This environment has no fetch. Pass one: createClient({ baseUrl, fetch }).');
  const isRelative = base === '' || base.startsWith('/');
  if (isRelative && !('location' in globalThis))
    throw new TypeError(`baseUrl is "${base}", which works only in a browser. Use a full URL: "https://example.com".`);
  return (url, init) => globalThis.fetch(url, init);
}

function valueOf<T>(given: Given<T> | undefined): T | undefined | Promise<T> {
  return typeof given === 'function' ? (given as () => T | Promise<T>)() : given;
}

// ── Addresses ───────────────────────────────────────────────────────────────────────────────────────────────────────

function baseFrom(baseUrl: string | URL): string {
  const base = String(baseUrl);
  if (/[?#]/.test(base)) throw new TypeError('baseUrl must not have a query or a fragment: ' + base);
  if (!/^([a-z][a-z0-9+.-]*:\/\/|\/|$)/i.test(base))
    throw new TypeError('baseUrl must begin with "https://" or "/", or be "" for the origin of the page: ' + base);
  return base.replace(/\/+$/, '');
}

function pathFrom(route: Route, values: readonly PathValue[], input: unknown): string {
  let next = 0;
  const filled = (_: string, name: string) => segmentFrom(name, values[next++]);
  const path = route.route.replace(/^.* /, '').replace(/\{([^}]+)\}/g, filled);
  // #if filters
  const query = route.filters || route.joined ? filtersApart(input, route) : input;
  return route.takes === 'query' ? path + queryFrom(query) : path;
  // #else
  // return route.takes === 'query' ? path + queryFrom(input) : path;
  // #end
}

/** Segments that are empty, "." or ".." name another path, even encoded. */
function segmentFrom(name: string, value: PathValue | null | undefined): string {
  const text = String(value ?? '');
  if (text === '' || text === '.' || text === '..')
    throw new TypeError('"' + text + '" cannot be part of a path, so no record can have this ' + name);
  return encodeURIComponent(text);
}

/** What is undefined or null is left out. */
function queryFrom(input: unknown): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((input ?? {}) as Readonly<Record<string, unknown>>)) {
    // #if filters
    // Nothing of such a list would be sent.
    if (Array.isArray(value) && value.every((each) => each == null) && !name.endsWith('[ne]'))
      throw new TypeError(
        'An empty list cannot be sent in the query, and without ' + name + ' the API might return every record',
      );
    // #end
    for (const each of [value].flat()) if (each != null) query.append(name, String(each));
  }
  const text = query.toString();
  return text === '' ? '' : '?' + text;
}

// #if filters
/** `price: { gte: 10, ne: [11, 12] }` becomes `price[gte]` and `price[ne]`, which is there twice. */
function filtersApart(input: unknown, { filters = [], joined = [] }: Route): object {
  const sent: Record<string, unknown> = { ...(input as object | undefined) };
  for (const name of joined) if (Array.isArray(sent[name])) sent[name] = sent[name].join(',');
  for (const name of filters) {
    const value = sent[name];
    if (typeof value !== 'object' || value === null) continue;
    delete sent[name];
    const parts = Array.isArray(value) ? [['', value]] : Object.entries(value).map(([key, part]) => [`[${key}]`, part]);
    for (const [operator, part] of parts) sent[name + operator] = part;
  }
  return sent;
}

// #end
// ── Answers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

async function read(
  request: Sending,
  response: Response,
  otherContract: string | undefined,
): Promise<Success<unknown> | ApiError> {
  const { status, headers } = response;
  const { gives, status: own } = request.route;
  const type = headers.get('content-type') ?? '';
  const isProblem = status >= 400 && type.includes('application/problem+json');
  const isOwn = response.ok || status === own || (own === 'any' && type.includes('json'));
  if (!isProblem && isOwn && gives === 'response') return { ok: true, status, data: response, headers };
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    return failed(request, cause, otherContract);
  }
  if (!isProblem && isOwn && gives === 'nothing') return { ok: true, status, data: undefined, headers };
  const json = jsonFrom(text);
  if (isProblem && isProblemDocument(json)) return refused(request, response, json, otherContract);
  if (!isProblem && isOwn && json !== undefined) return { ok: true, status, data: json, headers };
  // #if versions
  const known = `${request.method} ${request.path} has not changed since the version that the caller has`;
  if (status === 304) return new ApiError(known, { code: 'not-modified', status, headers, otherContract });
  // #end
  return unexpected(request, response, text, otherContract);
}

/** No JSON is undefined. */
function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblemDocument(json: unknown): json is Problem {
  return typeof json === 'object' && json !== null && 'code' in json && typeof json.code === 'string';
}

function refused(
  { method, path }: Sending,
  { status, headers }: Response,
  problem: Problem,
  otherContract: string | undefined,
): ApiError {
  const { errors, detail, title } = problem;
  const why = errors?.map((error) => `${error.path} ${error.message}`).join(', ') || detail || title;
  const message = `${method} ${path} failed with ${status} ${problem.code}: ${why}${contractHint(otherContract)}`;
  return new ApiError(message, { code: codeOf(problem), status, problem, headers, otherContract });
}

/** Custom code has codes of its own: they are in the problem. */
function codeOf({ code }: Problem): ProblemCode {
  return CODES.test(code) ? (code as ProblemCode) : 'refused';
}

function unexpected(
  { method, path }: Sending,
  { status, headers }: Response,
  text: string,
  otherContract: string | undefined,
): ApiError {
  const type = headers.get('content-type') ?? 'no content type';
  const start = text.length > 80 ? `${text.slice(0, 80)}...` : text;
  const message =
    `${method} ${path} got ${status} (${type}), which is not a response of this API. Is baseUrl right? Is there ` +
    `a proxy that responds itself? It begins: ${start}${contractHint(otherContract)}`;
  return new ApiError(message, { code: 'unexpected-answer', status, headers, otherContract });
}

function failed({ method, path, giveUp }: Sending, cause: unknown, otherContract: string | undefined): ApiError {
  const code = giveUp.code ?? 'network';
  const ends = { network: 'got no complete response', timeout: 'took too long', aborted: 'was aborted' };
  const why = code === 'network' ? `: ${reasonOf(cause)}` : '';
  const inner = code === 'aborted' ? giveUp.signal.reason : cause;
  return new ApiError(`${method} ${path} ${ends[code]}${why}`, { code, otherContract, cause: inner });
}

/** Node tells the reason in the cause of the error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error as { readonly cause?: unknown };
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}

function contractHint(otherContract: string | undefined): string {
  return otherContract === undefined
    ? ''
    : ` (The API of the server differs from the one that this client was generated for: ${otherContract}.)`;
}

// ── Time ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** POST and PATCH may have been done before the answer was lost; a second DELETE would find nothing. */
const REPEATABLE: readonly string[] = ['GET', 'PUT'];
const PASSING: readonly number[] = [429, 502, 503, 504];
const LONGEST_WAIT = 30_000;
/** A timer for longer would fire at once. */
const LONGEST_TIMER = 2_147_483_647;

/** In milliseconds; undefined where the call is not tried again. */
function waitBeforeRetry(method: string, { code, status, headers }: ApiError, tries: number): number | undefined {
  if (!REPEATABLE.includes(method) || !(code === 'network' || PASSING.includes(status))) return undefined;
  const wait = retryAfter(headers?.get('retry-after') ?? null);
  if (wait === undefined) return Math.min(200 * 2 ** tries, 5_000) * (0.5 + Math.random() / 2);
  return wait <= LONGEST_WAIT ? wait : undefined;
}

/** Seconds, or a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0);
}

/** Ends a call early: by the signal of the caller, or when its time is over. */
class GivingUp {
  code: 'timeout' | 'aborted' | undefined;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = () => this.#stop('aborted', this.#caller?.reason);

  constructor(caller: AbortSignal | undefined, timeout: number | undefined) {
    this.#caller = caller;
    if (timeout !== undefined && timeout <= LONGEST_TIMER)
      this.#timer = setTimeout(() => this.#stop('timeout', undefined), timeout);
    if (caller?.aborted) this.#abort();
    else caller?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #stop(code: 'timeout' | 'aborted', reason: unknown): void {
    this.code ??= code;
    this.#controller.abort(reason);
  }

  /** Undefined when the call is given up first. */
  unlessStopped<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const stop = () => resolve(undefined);
      this.signal.addEventListener('abort', stop);
      work()
        .then(resolve, reject)
        .finally(() => this.signal.removeEventListener('abort', stop));
    });
  }

  /** Ends early when the call is given up. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      if (this.signal.aborted) end();
      else this.signal.addEventListener('abort', end);
    });
  }

  /** An answer that the caller reads as it comes can still be aborted. */
  close(isStillRead: boolean): void {
    clearTimeout(this.#timer);
    if (!isStillRead) this.#caller?.removeEventListener('abort', this.#abort);
  }
}
