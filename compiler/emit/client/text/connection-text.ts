/** How a client sends a request. Only where there is password login does it know of tokens to be kept. */

export interface ConnectionFeatures {
  readonly hasLogin: boolean;
}

export function connectionText({ hasLogin }: ConnectionFeatures): string {
  return `class Connection {
  readonly #options: ClientOptions;
  readonly #base: string;
  #hasWarned = false;
${hasLogin ? KEPT_TOKEN : ''}
  constructor(options: ClientOptions) {
    this.#options = options;
    this.#base = baseFrom(options.baseUrl);
  }

  async call(
    route: Route,
    values: readonly PathValue[],
    input: unknown,
    options: CallOptions,
  ): Promise<Success<unknown>> {
    const [method = '', template = ''] = route.route.split(' ');
    const path = pathFrom(template, values) + (route.takes === 'query' ? queryFrom(input) : '');
    const body = route.takes === 'body' && input !== undefined ? JSON.stringify(input) : undefined;
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
${hasLogin ? KEEP : ''}        isStillRead = route.gives === 'response';
        return attempt;
      }
${hasLogin ? FORGET : ''}    } finally {
      giveUp.close(isStillRead);
    }
  }
${hasLogin ? KEEPING : ''}
  /** What is wrong in the code of the caller, such as a token that cannot be had, is thrown as it is. */
  async #attempt(request: Sending, options: CallOptions): Promise<Success<unknown> | ApiError> {
    const { method, path, body, giveUp } = request;
    const send = this.#options.fetch ?? globalFetch(this.#base);
    const headers = await giveUp.unlessStopped(() => this.#headers(body !== undefined, options));
    if (headers === undefined) return failed(request, undefined, undefined);
    const init = { method, headers, signal: giveUp.signal, ...(body === undefined ? {} : { body }) };
    let response: Response;
    try {
      response = await send(this.#base + path, init);
    } catch (cause) {
      return failed(request, cause, undefined);
    }
    return read(request, response, this.#otherContract(response.headers));
  }

  async #headers(hasBody: boolean, options: CallOptions): Promise<Headers> {
    const headers = new Headers({ accept: 'application/json' });
    if (hasBody) headers.set('content-type', 'application/json');
    const token = ${hasLogin ? 'this.#token ?? (await valueOf(this.#options.token))' : 'await valueOf(this.#options.token)'};
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

/** A server that makes a client for each of its requests would fill its log otherwise. */
let warnedOf: string | undefined;

function warn({ client, server }: ContractMismatch): void {
  if (server === warnedOf) return;
  warnedOf = server;
  console.warn(
    \`The server speaks the contract \${server}, but this client was made for \${client}. Calls may fail. Make the \` +
      'client anew from the sources of the server with "kiln compile", or let the server catch up with them.',
  );
}

interface Sending {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly giveUp: GivingUp;
}

/** The error of Headers would have the token in its message, and so in somebody's log. */
function setToken(headers: Headers, token: string): void {
  try {
    headers.set('authorization', \`Bearer \${token}\`);
  } catch {
    throw new TypeError('The token has a character that no header can have, such as a line break.');
  }
}

/** Looked for at each call, since it may be there later than the client. */
function globalFetch(base: string): Fetch {
  if (typeof globalThis.fetch !== 'function')
    throw new TypeError('There is no fetch here. Give createClient one: createClient({ baseUrl, fetch }).');
  const isRelative = base === '' || base.startsWith('/');
  if (isRelative && !('location' in globalThis))
    throw new TypeError(\`baseUrl is "\${base}", which only a page can resolve. Give it whole: "https://example.com".\`);
  return (url, init) => globalThis.fetch(url, init);
}

function valueOf<T>(given: Given<T> | undefined): T | undefined | Promise<T> {
  return typeof given === 'function' ? (given as () => T | Promise<T>)() : given;
}
`;
}

const KEPT_TOKEN = `  #token: string | undefined;
`;

const KEEP = `        this.#keep(route, attempt, options);
`;

const FORGET = `    } catch (error) {
      const isOver = error instanceof ApiError && error.code === 'unauthenticated';
      if (route.token === 'ended' && isOver) this.#token = undefined;
      throw error;
`;

const KEEPING = `
  #keep(route: Route, { data }: Success<unknown>, options: LoginOptions): void {
    if (route.token === 'ended') this.#token = undefined;
    if (route.token === 'given' && options.keepToken) this.#token = (data as { readonly token: string }).token;
  }
`;
