/** A client of live lists, as a browser would be one: it has the rows, and makes the edits that it is sent. */
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { until } from '../../support/until.ts';

export interface LiveEvent {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sends
  readonly data: any;
}

export class Follower {
  readonly events: LiveEvent[] = [];
  /** By the number of the list. */
  readonly bodies = new Map<string, unknown>();
  status: number | null = null;
  isClosed = false;
  text = '';
  readonly #request: ClientRequest;
  #response: IncomingMessage | null = null;
  #id = '';
  #rest = '';

  constructor(url: string, headers: Readonly<Record<string, string>> = {}, agent: false | undefined = false) {
    this.#request = request(url, { agent, headers: { accept: 'text/event-stream', ...headers } }, (response) => {
      this.status = response.statusCode ?? null;
      this.#response = response;
      response.setEncoding('utf8');
      response.on('data', (text: string) => this.#take(text));
      response.on('close', () => {
        this.isClosed = true;
      });
      response.on('error', () => undefined);
    });
    this.#request.on('error', () => {
      this.isClosed = true;
    });
    this.#request.end();
  }

  /** The list as it is now. */
  rows(id = ''): readonly Record<string, unknown>[] {
    return rowsOf(this.bodies.get(id)) as readonly Record<string, unknown>[];
  }

  names(): readonly string[] {
    return this.events.map(({ event }) => event);
  }

  async first(): Promise<this> {
    await until(() => this.status !== null && (this.status !== 200 || this.bodies.size > 0));
    return this;
  }

  pause(): void {
    this.#response?.pause();
  }

  stop(): void {
    this.#request.destroy();
  }

  #take(text: string): void {
    this.text += text;
    this.#rest += text;
    // Only where a block may have ended: a long one comes in hundreds of parts.
    if (this.status !== 200 || !/^\n|\n\n/.test(text)) return;
    const blocks = this.#rest.split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#event(block);
  }

  #event(block: string): void {
    const lines = block.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line) ?? []);
    const value = (name: string) => lines.find(([, key]) => key === name)?.[2];
    this.#id = value('id') ?? this.#id;
    const event = value('event');
    if (event === undefined) return;
    const data = JSON.parse(value('data') ?? 'null');
    this.events.push({ id: this.#id, event, data });
    if (event === 'list') this.bodies.set(this.#id, data);
    const rows = rowsOf(this.bodies.get(this.#id)) as unknown[];
    if (event === 'remove') rows.splice(data.at, 1);
    if (event === 'put') rows.splice(data.at, data.new ? 0 : 1, data.item);
    if (event === 'page') this.bodies.set(this.#id, { ...data, data: rows });
  }
}

function rowsOf(body: unknown): unknown {
  return Array.isArray(body) ? body : (body as { data?: unknown } | undefined)?.data;
}
