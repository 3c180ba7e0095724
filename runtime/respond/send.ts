/** Writes an answer to the client. */
import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { SLICE } from '../query/json-form.ts';
import { LONG } from '../query/rows-json.ts';
import { announcesBody } from '../request/body.ts';
import type { Answer, SlicedAnswer, Slices, WholeAnswer } from '../request/exchange.ts';
import { type BodyLength, headersOf, setHeaders } from './headers.ts';
import type { UnreadAnswer } from './unread-answers.ts';

/** The answer in slices if it is long, so that it is written as fast as the client reads it; null otherwise. */
export function inSlices(answer: Answer): SlicedAnswer | null {
  const { status, headers, body } = answer;
  if (body === null || !hasBody(status)) return null;
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return { status, headers, body };
  return body.length < LONG
    ? null
    : { status, headers, body: slicesOf(typeof body === 'string' ? Buffer.from(body) : body) };
}

function slicesOf(bytes: Buffer): Slices {
  let at = 0;
  const { length } = bytes;
  const next = (): Buffer | null => {
    if (at >= length) return null;
    at += SLICE;
    return bytes.subarray(at - SLICE, at);
  };
  return { size: length, length, next };
}

/**
 * Sends an answer, and returns the number of bytes of its body. Throws, with nothing sent, where the answer cannot be
 * written. `common` is null where hooks had those headers: their changes stay.
 */
export function send(response: ServerResponse, answer: WholeAnswer, common: readonly string[] | null): number {
  const body = writeHead(response, answer, common);
  const { length } = body;
  if (length === 0) response.end();
  // Node sends a text together with the head, but bytes apart from it. As Latin-1, where a byte is a character, they stay the same.
  else if (length < SMALL) response.end(body.toString('latin1'), 'latin1');
  else response.end(body);
  return length;
}

/** The size that Node copies on its stack when it writes a text. */
const SMALL = 16_000;

/** Sends the head of a response that stays open. */
export function sendHead(response: ServerResponse, answer: WholeAnswer, common: readonly string[] | null): void {
  writeHeaders(response, answer, common, 'unknown');
  response.flushHeaders();
}

/**
 * Does the same where a part of the request's body is left unread. Closing at once would reset the connection, and the
 * client might lose the answer; so the rest is discarded for a moment.
 */
export function sendAndClose(response: ServerResponse, answer: WholeAnswer, common: readonly string[] | null): number {
  response.shouldKeepAlive = false;
  const body = writeHead(response, answer, common);
  if (body.length > 0) response.write(body);
  endWhenDrained(response);
  return body.length;
}

/** How far the sending of a long body has come. */
interface Sending {
  readonly unread: UnreadAnswer;
  bytes: number;
  /** The error in the middle of the body. */
  error?: unknown;
}

/**
 * Sends a long body, a slice whenever the client has taken the previous one. A failure in between breaks the connection
 * off: the client must not take a part for the whole.
 */
export function sendSlices(unread: UnreadAnswer, answer: SlicedAnswer, common: readonly string[] | null): Sending {
  const { response } = unread;
  requireFinalStatus(answer.status);
  writeHeaders(response, answer, common, answer.body.length ?? 'unknown');
  const sending: Sending = { unread, bytes: 0 };
  // A client may send all of its body before it reads anything.
  if (closesBeforeBody(response)) response.req.resume();
  if (response.req.method === 'HEAD') end(response);
  else void sendRest(answer, sending);
  return sending;
}

/** Waits for the client and for slices that have to be read first, and for nothing else. */
async function sendRest({ body }: SlicedAnswer, sending: Sending): Promise<void> {
  const { unread } = sending;
  const { response } = unread;
  try {
    for (;;) {
      unread.readAt = performance.now();
      const next = body.next();
      if (next instanceof Promise) unread.readAt = null;
      const slice = next instanceof Promise ? await next : next;
      if (response.destroyed) return;
      unread.readAt = performance.now();
      if (slice === null) return end(response);
      sending.bytes += slice.length;
      if (!response.write(slice)) await new Promise((drained) => response.once('drain', drained));
    }
  } catch (error) {
    sending.error = error;
    response.destroy();
  }
}

/** Whether the connection would be closed while the body of the request is still arriving. */
export function closesBeforeBody({ req: request, shouldKeepAlive }: ServerResponse): boolean {
  return !shouldKeepAlive && !request.complete && announcesBody(request);
}

function end(response: ServerResponse): void {
  if (closesBeforeBody(response)) endWhenDrained(response);
  else response.end();
}

const LONGEST_DRAIN_MS = 1000;

function endWhenDrained(response: ServerResponse): void {
  const stop = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(stop, LONGEST_DRAIN_MS);
  response.req.once('end', stop).once('close', stop).once('error', stop).resume();
}

const NOTHING = Buffer.alloc(0);

/** Writes the head, and returns what of the body is to follow. */
function writeHead(response: ServerResponse, answer: WholeAnswer, common: readonly string[] | null): Buffer {
  requireFinalStatus(answer.status);
  const bytes = typeof answer.body === 'string' ? Buffer.from(answer.body) : (answer.body ?? NOTHING);
  const isSent = hasBody(answer.status);
  writeHeaders(response, answer, common, isSent ? bytes.length : null);
  return isSent && response.req.method !== 'HEAD' ? bytes : NOTHING;
}

/** Node would keep one value of a list where there are headers already. */
function writeHeaders(
  response: ServerResponse,
  answer: Answer,
  common: readonly string[] | null,
  length: BodyLength,
): void {
  const hasHeaders = common === null || response.getHeaderNames().length > 0;
  if (hasHeaders) setHeaders(response, answer, common, length);
  response.writeHead(answer.status, hasHeaders ? undefined : headersOf(answer, common, length));
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 304;
}

/** A 1xx would leave the client waiting for more. */
function requireFinalStatus(status: number): void {
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new RangeError(`a response cannot have the status ${status}`);
}
