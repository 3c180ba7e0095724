/** The errors of node:http itself, before there is a request for a route: their answers are problem documents, too. */
import { Buffer } from 'node:buffer';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { PROBLEM_TYPE } from '../../compiler/definition/contract/problems.ts';
import { ApiError, HookRefusal } from '../errors/api-error.ts';
import { requestIdFrom } from '../request/request-target.ts';
import { answerFromError } from './answer-from-error.ts';
import { commonHeaders } from './headers.ts';
import { UNHURRIED } from './http-exchange.ts';
import { afterAnswers } from './pipelined-requests.ts';
import { sendAndClose } from './send.ts';

export function answerEarly(server: Server, log: Logger): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuse(error.code, socket, log));
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const id = requestIdFrom(undefined);
    record(log, id, 417, 'the expectation is unknown');
    sendAndClose(response, answerFromError(EXPECTATION, id), commonHeaders(id, [], []));
  });
}

const EXPECTATION = refusal(417, 'expectation-failed', 'The only expectation that the server meets is 100-continue.');

const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** The refusals by the error of Node's parser. */
const REFUSALS: Readonly<Record<string, ApiError | HookRefusal>> = {
  HPE_HEADER_OVERFLOW: refusal(431, 'headers-too-large', 'The headers and the path may have at most 16 KB together.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ApiError('too-large', { detail: 'The extensions of a chunk are too long.' }),
  [REQUEST_TIMEOUT]: refusal(408, 'request-timeout', 'The request did not arrive in time.'),
};
const NOT_HTTP = new ApiError('malformed-request', { detail: 'The request is not valid HTTP/1.1.' });

function refusal(status: number, code: string, message: string): HookRefusal {
  return new HookRefusal(status, message, undefined, { code, errors: [] });
}

/** How long the client may continue to send, in milliseconds, so that it is not reset before it has read the answer. */
const LONGEST_DRAIN = 1000;

const refused = new WeakSet<Socket>();

/**
 * The parser fails again with everything that still arrives. That is not read any more. What came before it on the
 * connection is answered first.
 */
function refuse(code: string | undefined, socket: Socket, log: Logger): void {
  if (refused.has(socket) || (code === REQUEST_TIMEOUT && UNHURRIED.has(socket))) return;
  refused.add(socket);
  afterAnswers(socket, () => refuseNow(code, socket, log));
}

function refuseNow(code: string | undefined, socket: Socket, log: Logger): void {
  if (!socket.writable || hasBegunAnswer(socket)) {
    socket.destroySoon();
    return;
  }
  const id = requestIdFrom(undefined);
  const { status, body } = answerFromError(REFUSALS[code ?? ''] ?? NOT_HTTP, id);
  record(log, id, status, code);
  socket.end(textOf(status, String(body), commonHeaders(id, [], [])));
  const timer = setTimeout(() => socket.destroy(), LONGEST_DRAIN);
  socket.once('close', () => clearTimeout(timer)).resume();
}

/** Node keeps the answer that is being written at the socket. Its client must not take ours for a part of it. */
function hasBegunAnswer(socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent ?? false;
}

function textOf(status: number, body: string, common: readonly string[]): string {
  const headers = [...common, 'content-type', PROBLEM_TYPE, 'content-length', String(Buffer.byteLength(body))];
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, 'connection: close', '', body].join('\r\n');
}

function record(log: Logger, requestId: string, status: number, reason: string | undefined): void {
  log.info({ requestId, status, reason }, 'refused a request before it was complete');
}
