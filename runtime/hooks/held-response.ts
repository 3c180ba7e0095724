/**
 * A response that a hook writes while its transaction is still open. What it writes is held back until the transaction
 * is committed: a client never sees an answer about something that is rolled back afterwards.
 */
import type { ServerResponse } from 'node:http';

type Call = readonly [method: 'writeHead' | 'write' | 'end', args: readonly unknown[]];

export interface HeldResponse {
  readonly isEnded: boolean;
  /** Sends what was written. */
  release(): void;
  /** Forgets what was written, and the headers that were set meanwhile. */
  discard(): void;
}

export function holdResponse(response: ServerResponse): HeldResponse {
  const calls: Call[] = [];
  const { writeHead, write, end } = response;
  const before = { headers: response.getHeaders(), status: response.statusCode, message: response.statusMessage };
  let isEnded = false;
  response.writeHead = ((...args: unknown[]) => {
    calls.push(['writeHead', args]);
    return response;
  }) as never;
  response.write = ((...args: unknown[]) => {
    calls.push(['write', args]);
    return true;
  }) as never;
  response.end = ((...args: unknown[]) => {
    calls.push(['end', args]);
    isEnded = true;
    return response;
  }) as never;
  const letGo = () => Object.assign(response, { writeHead, write, end });
  return {
    get isEnded() {
      return isEnded;
    },
    release() {
      letGo();
      for (const [method, args] of calls) (response[method] as (...args: readonly unknown[]) => unknown)(...args);
    },
    discard() {
      letGo();
      for (const name of response.getHeaderNames()) response.removeHeader(name);
      for (const [name, value] of Object.entries(before.headers))
        if (value !== undefined) response.setHeader(name, value);
      response.statusCode = before.status;
      response.statusMessage = before.message;
    },
  };
}
