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
  const length = writeHead(response, answer, common);
  const body = bodyBehind(response, answer, common);
  if (length === 0) response.end();
  else if (isSmall(body)) response.end(body.toString('latin1'), 'latin1');
  else response.end(body);
  return length;
}

/** Sends the head of a response that stays open. */
export function sendHead(response: ServerResponse, answer: WholeAnswer, common: readonly string[] | null): void {
  writeHeaders(response, answer, common, 'unknown');
  response.flushHeaders();
}

/** Node writes head and body as one text, and would encode the bytes of the head a second time with it. */
function bodyBehind(
  response: ServerResponse,
  { body, headers }: WholeAnswer,
  common: readonly string[] | null,
): WholeAnswer['body'] {
  if (typeof body !== 'string') return body;
  const mayHaveBytes = headers !== null || common === null || response.getHeaderNames().length > 0;
  return mayHaveBytes ? Buffer.from(body) : body;
}

/** The size that Node copies on its stack when it writes a text. */
const SMALL = 16_000;

/** Node sends a text together with the head, but bytes apart from it. As Latin-1, where a byte is a character, they stay the same. */
function isSmall(body: WholeAnswer['body']): body is Buffer {
  return typeof body === 'object' && body !== null && body.length < SMALL;
}

/**
 * Does the same where a part of the request's body is left unread. Closing at once would reset the connection, and the
 * client might lose the answer; so the rest is discarded for a moment.
 */
export function sendAndClose(response: ServerResponse, answer: WholeAnswer, common: readonly string[] | null): number {
  response.shouldKeepAlive = false;
  const length = writeHead(response, answer, common);
  if (length > 0) response.write(answer.body);
  endWhenDrained(response);
  return length;
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
  else sendRest(answer, sending);
  return sending;
}

function sendRest(answer: SlicedAnswer, sending: Sending): void {
  const { response } = sending.unread;
  sending.unread.readAt = performance.now();
  try {
    for (let slice = answer.body.next(); slice !== null; slice = answer.body.next()) {
      if (slice instanceof Promise) {
        sending.unread.readAt = null;
        slice.then((made) => sendMade(made, answer, sending)).catch((error: unknown) => breakOff(sending, error));
        return;
      }
      if (!write(slice, answer, sending)) return;
    }
    end(response);
  } catch (error) {
    breakOff(sending, error);
  }
}

/** Sends a slice, and reads the next one unless the client has gone in the meantime. */
function sendMade(slice: Buffer | null, answer: SlicedAnswer, sending: Sending): void {
  const { response } = sending.unread;
  if (response.destroyed) return;
  sending.unread.readAt = performance.now();
  if (slice === null) end(response);
  else if (write(slice, answer, sending)) sendRest(answer, sending);
}

/** Whether the client takes more at once. Otherwise the rest is sent when it has taken this. */
function write(slice: Buffer, answer: SlicedAnswer, sending: Sending): boolean {
  const { response } = sending.unread;
  sending.bytes += slice.length;
  if (response.write(slice)) return true;
  response.once('drain', () => sendRest(answer, sending));
  return false;
}

function breakOff(sending: Sending, error: unknown): void {
  sending.error = error;
  sending.unread.response.destroy();
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

/** Writes the head, and returns how much of the body is to follow. */
function writeHead(response: ServerResponse, answer: WholeAnswer, common: readonly string[] | null): number {
  requireFinalStatus(answer.status);
  const length = hasBody(answer.status) ? Buffer.byteLength(answer.body ?? '') : null;
  writeHeaders(response, answer, common, length);
  return length === null || response.req.method === 'HEAD' ? 0 : length;
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
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new RangeError(`a response cannot have the status ${status}`);
  }
}
