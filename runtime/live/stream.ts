/**
 * The events of live lists, and the connection that carries them to one client (Server-Sent Events).
 *
 * - `list`: what a GET answers. It replaces all that the client has.
 * - `put` `{ "at": 2, "item": { … }, "new": true }`: the item is inserted at that place, or with `"new": false` replaces the one there.
 * - `remove` `{ "at": 2 }`: the item there is removed. Only its place is sent. An item that moves is removed and put.
 * - `page` `{ … }`: the other members of a page, with an empty list in place of the items. It comes behind the edits.
 * - `resync` `{}`: changes may have been missed; a `list` follows.
 * - `error`: a problem document. The list ends: a connection for one list is closed.
 * - `bye` `{ "after": 4210 }`: the server stops. The client connects again after so many milliseconds.
 *
 * Edits are made in their order. `"more": true` says that another one of the same change follows, so what is shown in between
 * was never the list. At `/api/live`, `id:` is the number of the list, from 0, and holds until the next `id:`. Lines that begin
 * with a colon keep the connection open.
 */
import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { Edit, Rows } from './edits.ts';

/** The most bytes that wait for a client. One that does not read is disconnected, and gets the list when it is back. */
const MOST_UNSENT = 64 * 1024;

export function eventOf(name: string, data: string | Buffer): Buffer {
  // Line breaks in JSON are blanks: those of texts are escaped.
  const text = typeof data === 'string' ? Buffer.from(data) : data;
  const line = text.includes(10) || text.includes(13) ? Buffer.from(text.toString().replace(/[\r\n]/g, ' ')) : text;
  return Buffer.concat([Buffer.from(`event: ${name}\ndata: `), line, END]);
}

const END = Buffer.from('\n\n');

export const RESYNC = eventOf('resync', '{}');

export function eventsOf(edits: readonly Edit[], { rows, page }: Rows, isOtherPage: boolean): Buffer {
  const pages = isOtherPage && page !== null ? [eventOf('page', page)] : [];
  const last = pages.length > 0 ? edits.length : edits.length - 1;
  return Buffer.concat([
    ...edits.map((edit, at) => editEvent(edit, rows, at < last ? ',"more":true}' : '}')),
    ...pages,
  ]);
}

function editEvent(edit: Edit, rows: readonly Buffer[], end: string): Buffer {
  if (edit.kind === 'remove') return eventOf('remove', `{"at":${edit.at}${end}`);
  const [head, tail] = [`{"at":${edit.at},"item":`, `,"new":${edit.isNew}${end}`];
  return eventOf('put', Buffer.concat([Buffer.from(head), rows[edit.row] as Buffer, Buffer.from(tail)]));
}

const BEAT = Buffer.from(':\n\n');
/** In milliseconds. */
const REFUSED_WITHIN = 1000;

export class Stream {
  /** That of its request. */
  readonly id: string;
  /** When something was last sent. */
  sentAt = performance.now();
  #response: ServerResponse | null = null;
  /** The events before the head is sent. */
  #first: Buffer[] = [];
  #isClosed = false;
  /** The bytes of first lists that a slow line still carries: they may be any number. */
  #firstUnsent = 0;
  /** The network of the client; null where it is not known. */
  readonly network: string | null;
  /** How many of its lists have not failed. */
  lists: number;

  constructor(id: string, network: string | null, lists: number) {
    this.id = id;
    this.network = network;
    this.lists = lists;
  }

  begin(response: ServerResponse): void {
    this.#response = response;
    for (const events of this.#first) response.write(events);
    this.#first = [];
    if (this.#isClosed || response.req.method === 'HEAD') response.end();
    const { socket } = response.req;
    if (socket.readableEnded) this.#findOutWhetherGone(response);
    else socket.once('end', () => this.#findOutWhetherGone(response));
  }

  /** A client that sends no more may still read: what is sent to one that is gone is refused, and the next write then fails. */
  #findOutWhetherGone(response: ServerResponse): void {
    const beat = () => !response.destroyed && this.beat();
    beat();
    setTimeout(beat, REFUSED_WITHIN).unref();
  }

  send(events: Buffer, isFirst = false): void {
    this.sentAt = performance.now();
    if (this.#isClosed) return;
    const unsent = this.#response?.writableLength ?? this.#firstUnsent;
    if (unsent === 0) this.#firstUnsent = 0;
    if (unsent > MOST_UNSENT + this.#firstUnsent) this.#response?.destroy();
    else if (this.#response === null) this.#first.push(events);
    else this.#response.write(events);
    if (isFirst) this.#firstUnsent += events.length;
  }

  beat(): void {
    this.send(BEAT);
  }

  end(): void {
    this.#isClosed = true;
    this.#response?.end();
  }
}
