/** Sends requests and collects the answers, with whatever headers and bytes a campaign comes up with. */
import { Agent, request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export interface SentRequest {
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer | null;
}

/** A record may have a name, and an account a subject, of any length. */
const LONGEST_HEAD = 8000;

export function isTooLongForHttp({ target, headers }: SentRequest): boolean {
  return target.length + JSON.stringify(headers).length > LONGEST_HEAD;
}

export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly milliseconds: number;
}

/** Why there is no answer, in a few words. */
type Unanswered = string;

const CLOSED_BEFORE = 'the connection was closed before';

export class Sender {
  readonly #host: string;
  readonly #port: number;
  readonly #patience: number;
  readonly #agent: Agent;

  /** `patience` is how long an answer may take, in milliseconds. */
  constructor(url: string, patience: number) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
    this.#patience = patience;
    this.#agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  }

  /** Sent again where a connection that was kept open turns out to be closed: the server had not read the request. */
  async send(request: SentRequest): Promise<ReceivedAnswer | Unanswered> {
    const first = await this.#sendOver(this.#agent, request);
    return first === CLOSED_BEFORE ? this.#sendOver(false, request) : first;
  }

  #sendOver(agent: Agent | false, request: SentRequest): Promise<ReceivedAnswer | Unanswered> {
    const { method, target, body } = request;
    const start = performance.now();
    const headers = body === null ? request.headers : { ...request.headers, 'content-length': body.length };
    return new Promise((resolve) => {
      const sent = httpRequest({ host: this.#host, port: this.#port, agent, method, path: target, headers });
      sent.once('response', (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', (error) => resolve(error.message));
        answer.once('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const milliseconds = performance.now() - start;
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, milliseconds });
        });
      });
      sent.setTimeout(this.#patience, () => sent.destroy(new Error(`no answer within ${this.#patience} ms`)));
      sent.once('error', (error: NodeJS.ErrnoException) => {
        const wasClosed = sent.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
        resolve(wasClosed ? CLOSED_BEFORE : error.message);
      });
      sent.once('upgrade', (_, socket) => socket.destroy(new Error('upgraded')));
      sent.end(body ?? undefined);
    });
  }

  /** All that the server sends until it closes, or until nothing comes for a while. */
  sendBytes(bytes: Buffer, quietMilliseconds: number): Promise<string> {
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      const socket = connect(this.#port, this.#host, () => socket.write(bytes));
      socket.setTimeout(quietMilliseconds, () => socket.destroy());
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('error', () => undefined);
      socket.once('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
