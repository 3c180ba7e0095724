/** The bytes of a request's body, up to a limit. */
import { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ApiError } from '../errors/api-error.ts';

/** How large a body may be, in bytes, and where those are counted that are still arriving. */
export interface BodyLimits {
  readonly bodyLimit: number;
  readonly incoming: IncomingBodies;
}

/** Whether the headers announce a body, which may still turn out to be empty. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  const length = headers['content-length'];
  return length !== undefined && length !== '0';
}

/** Discards the unread rest of a request that is answered: it precedes the next request of the connection. */
export function discardRest(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  request.removeAllListeners('data').removeAllListeners('readable').resume();
}

/** Reads a body. Anything beyond the limit is left unread: the caller must close the connection. */
export function bytesOfBody(request: IncomingMessage, { bodyLimit: limit, incoming }: BodyLimits): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(tooLarge(limit));
  if (request.readableEnded || request.destroyed) return Promise.reject(endedEarly());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const body = incoming();
    let length = 0;
    const stop = (): void => {
      body.end();
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      chunks.push(chunk);
      const hasCapacity = body.add(chunk.length);
      if (length <= limit && hasCapacity) return;
      stop();
      request.pause();
      reject(length > limit ? tooLarge(limit) : new BodyNotRead());
    };
    const onEnd = (): void => {
      stop();
      resolve(joined(chunks, length));
    };
    const onClose = (): void => {
      stop();
      reject(endedEarly());
    };
    request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}

function joined(chunks: readonly Buffer[], length: number): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, length);
}

function tooLarge(limit: number): ApiError {
  return new ApiError('too-large', { detail: `The body may have at most ${limit} bytes.` });
}

/** The error for a body whose rest is not read: the caller must close the connection. */
export class BodyNotRead extends ApiError {
  constructor() {
    super('unavailable', {
      detail: 'Too many request bodies are arriving at once. Try again in a second.',
      retryAfter: 1,
    });
  }
}

function endedEarly(): ApiError {
  return new ApiError('malformed-request', { detail: 'The body ended before it was complete.' });
}

// ── Incoming bodies ─────────────────────────────────────────────────────────────────────────────────────────────────

/** The size in bytes up to which a body does not count: a few slow large bodies must not shut out all the others. */
export const SMALL_BODY = 64 * 1024;

/** Large bodies of all requests that are still arriving, and how many bytes of them the server keeps. */
type IncomingBodies = ReturnType<typeof incomingBodies>;

/** `limit` is in bytes. A single body may be larger. Gives the function that begins one. */
export function incomingBodies(limit: number) {
  let count = 0;
  let total = 0;
  return () => {
    let own = 0;
    let isOver = false;
    return {
      /** False where it would be too many bytes. */
      add: (bytes: number) => {
        const wasLarge = own > SMALL_BODY;
        own += bytes;
        if (own <= SMALL_BODY) return true;
        if (!wasLarge) count++;
        total += wasLarge ? bytes : own;
        return count === 1 || total <= limit;
      },
      end: () => {
        if (isOver) return;
        isOver = true;
        if (own <= SMALL_BODY) return;
        count--;
        total -= own;
      },
    };
  };
}
