/**
 * The live lists of a client. `npm run embed` puts this part behind the others, for clients of applications that have such
 * lists. All lists that are followed share one connection, because browsers open few of them to a server.
 */

export { LiveStreams };

// #part live
// ── Live lists ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** The most lists of one connection, and the most characters of their addresses: proxies refuse long ones. */
const MOST_LISTS = 32;
const MOST_CHARACTERS = 6_000;
/** The server sends something every 25 seconds: a connection without it is dead, even if nobody has closed it. */
const LONGEST_SILENCE = 60_000;
/** A connection that was lost earlier does not begin the waits again from the shortest. */
const STEADY = 10_000;

interface LiveSource {
  readonly open: (lists: readonly string[], headers: Headers, signal: AbortSignal) => Promise<Response>;
  /** The error for a list that the server does not send. */
  readonly errorFrom: (path: string, problem: unknown) => Error;
  /** In milliseconds; undefined if the error stays. */
  readonly waitAfter: (error: unknown, tries: number) => number | undefined;
}

type Rows = unknown[];
type PageBody = Readonly<Record<string, unknown>>;

interface EditData {
  readonly at: number;
  readonly item: unknown;
  readonly new?: boolean;
  readonly more?: boolean;
}

/** The member with the rows; undefined for a list without pages. */
function rowsKey(body: object): string | undefined {
  return Array.isArray(body) ? undefined : Object.keys(body).find((key) => Array.isArray((body as PageBody)[key]));
}

/** One list, as somebody follows it. */
class LiveList {
  readonly path: string;
  #rows: Rows = [];
  #page: PageBody | undefined;
  #text: string | undefined;
  #hasNews = false;
  /** Whether all edits of a change are made. */
  #isWhole = false;
  #end: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(path: string) {
    this.path = path;
  }

  take(event: string, data: unknown): void {
    if (event === 'list' || event === 'page') this.#replace(data as object, event === 'list');
    else if (event === 'put' || event === 'remove') this.#edit(event, data as EditData);
    if (this.#hasNews && this.#isWhole) this.#wake();
  }

  /** Without an error the loop ends as if the list were over. */
  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  /** The list after a change; undefined at its end. Changes that come faster than they are taken are one. */
  async next(): Promise<unknown> {
    while (this.#end === undefined && !(this.#hasNews && this.#isWhole))
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    if (this.#end?.error !== undefined) throw this.#end.error;
    if (this.#end !== undefined) return undefined;
    this.#hasNews = false;
    const rows = [...this.#rows];
    return this.#page === undefined ? rows : { ...this.#page, [rowsKey(this.#page) ?? '']: rows };
  }

  #replace(body: object, isList: boolean): void {
    const key = rowsKey(body);
    const text = isList ? JSON.stringify(body) : undefined;
    // The list comes again with each connection, mostly as it was.
    this.#hasNews ||= text === undefined || text !== this.#text;
    this.#text = text;
    if (isList) this.#rows = [...((key === undefined ? body : (body as PageBody)[key]) as Rows)];
    this.#page = key === undefined ? undefined : (body as PageBody);
    this.#isWhole = true;
  }

  #edit(event: string, { at, item, new: isNew, more }: EditData): void {
    if (event === 'remove') this.#rows.splice(at, 1);
    else this.#rows.splice(at, isNew ? 0 : 1, item);
    this.#text = undefined;
    this.#hasNews = true;
    this.#isWhole = !more;
  }
}

/** One connection with its lists. It is opened again when it is lost, and when a list is added. */
class LiveStream {
  readonly key: string;
  readonly #headers: Headers;
  readonly #source: LiveSource;
  readonly #lists = new Set<LiveList>();
  #isRunning = false;
  #hasNewList = false;
  #turn = new AbortController();
  #wake: () => void = () => {};
  #tries = 0;

  constructor(source: LiveSource, headers: Headers, key: string) {
    this.#source = source;
    this.#headers = headers;
    this.key = key;
  }

  hasRoomFor({ path }: LiveList): boolean {
    const size = (text: string) => encodeURIComponent(text).length + '&list='.length;
    const used = [...this.#lists].reduce((sum, list) => sum + size(list.path), 0);
    return this.#lists.size === 0 || (this.#lists.size < MOST_LISTS && used + size(path) <= MOST_CHARACTERS);
  }

  add(list: LiveList): void {
    this.#lists.add(list);
    this.#hasNewList = true;
    this.#interrupt();
    if (!this.#isRunning) void this.#run();
  }

  /** The server sends the list until the connection is opened again. */
  remove(list: LiveList): void {
    this.#lists.delete(list);
    if (this.#lists.size === 0) this.#interrupt();
  }

  #interrupt(): void {
    this.#turn.abort();
    this.#wake();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Lists that are followed from the same moment on are opened together.
    await this.#sleep(0);
    while (this.#lists.size > 0) {
      this.#hasNewList = false;
      this.#turn = new AbortController();
      const wait = await this.#follow([...this.#lists], this.#turn);
      if (!this.#hasNewList && this.#lists.size > 0) await this.#sleep(wait);
    }
    this.#isRunning = false;
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Returns the time to wait before the connection is opened again. */
  async #follow(lists: readonly LiveList[], turn: AbortController): Promise<number> {
    const began = Date.now();
    const silence = new Silence(turn);
    try {
      const paths = lists.map(({ path }) => path);
      const response = await this.#source.open(paths, this.#headers, turn.signal);
      const wait = await this.#read(response, lists, silence);
      if (wait !== undefined) return wait;
    } catch (error) {
      const wait = turn.signal.aborted ? 0 : this.#source.waitAfter(error, this.#tries);
      if (wait === undefined) for (const list of lists) this.#fail(list, error);
      else return wait + this.#backoff(began);
    } finally {
      silence.end();
      turn.abort();
    }
    return this.#backoff(began);
  }

  #fail(list: LiveList, error: unknown): void {
    this.#lists.delete(list);
    list.end(error);
  }

  #backoff(began: number): number {
    if (this.#hasNewList) return 0;
    this.#tries = Date.now() - began > STEADY ? 0 : this.#tries + 1;
    return Math.min(500 * 2 ** this.#tries, 30_000) * Math.random();
  }

  /** Returns the time that the server names; undefined if the connection is lost, or has to be opened again. */
  async #read(response: Response, lists: readonly LiveList[], silence: Silence): Promise<number | undefined> {
    const reader = response.body?.getReader();
    const { signal } = this.#turn;
    // In Node 20 a read never settles if the abort comes just after the server ended the response.
    signal.addEventListener('abort', () => reader?.cancel().catch(() => {}));
    const decoder = new TextDecoder();
    const begun = new Set<LiveList>();
    let [rest, id] = ['', 0];
    while (reader !== undefined && !signal.aborted) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done) return undefined;
      silence.begin();
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
        const [event, data] = [field('event'), jsonOf(field('data'))];
        id = Number(field('id') ?? id);
        if (event === 'bye') return (data as { readonly after: number }).after;
        const list = lists[id];
        if (event === undefined || list === undefined || !this.#lists.has(list)) continue;
        if (event === 'error' && this.#isPassing(list, data, begun)) return undefined;
        if (event === 'list') begun.add(list);
        list.take(event, data);
      }
    }
    return undefined;
  }

  /** An error of a list that was sent is tried once more: the token may have ended, and the next request has a new one. */
  #isPassing(list: LiveList, problem: unknown, begun: ReadonlySet<LiveList>): boolean {
    const error = this.#source.errorFrom(list.path, problem);
    if (begun.has(list) || this.#source.waitAfter(error, 0) !== undefined) return true;
    this.#fail(list, error);
    return false;
  }
}

/** Ends a connection that is silent for too long. */
class Silence {
  readonly #turn: AbortController;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(turn: AbortController) {
    this.#turn = turn;
    this.begin();
  }

  begin(): void {
    this.end();
    this.#timer = setTimeout(() => this.#turn.abort(), LONGEST_SILENCE);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

function jsonOf(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

/** The connections of one client. Lists with other headers have another one. */
class LiveStreams {
  readonly #source: LiveSource;
  readonly #streams: LiveStream[] = [];

  constructor(source: LiveSource) {
    this.#source = source;
  }

  async *follow(
    path: string,
    headers: Headers,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<unknown, void, undefined> {
    if (signal?.aborted) return;
    const list = new LiveList(path);
    const stream = this.#streamFor(list, headers);
    // Also where the loop waits for nothing now, and perhaps never will again.
    const end = () => {
      stream.remove(list);
      list.end();
    };
    signal?.addEventListener('abort', end);
    stream.add(list);
    try {
      for (let body = await list.next(); body !== undefined; body = await list.next()) yield body;
    } finally {
      signal?.removeEventListener('abort', end);
      stream.remove(list);
    }
  }

  #streamFor(list: LiveList, headers: Headers): LiveStream {
    let key = '';
    headers.forEach((value, name) => {
      key += `${name}: ${value}\n`;
    });
    const found = this.#streams.find((stream) => stream.key === key && stream.hasRoomFor(list));
    if (found) return found;
    const stream = new LiveStream(this.#source, headers, key);
    this.#streams.push(stream);
    return stream;
  }
}
