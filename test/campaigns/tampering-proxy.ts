/** A server that answers in the place of another, to see whether a campaign notices. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ReceivedAnswer, Sender, type SentRequest } from './send.ts';

export type Forward = () => Promise<ReceivedAnswer>;

/** Null closes the connection without an answer. */
export type Tamper = (request: SentRequest, forward: Forward) => Promise<ReceivedAnswer | null>;

export interface TamperingProxy {
  readonly url: string;
  close(): Promise<void>;
}

export async function startTamperingProxy(target: string, tamper: Tamper): Promise<TamperingProxy> {
  const sender = new Sender(target, 60_000);
  const server = createServer(async (incoming, response) => {
    const request = await requestOf(incoming);
    const answer = await tamper(request, () => forwarded(sender, request));
    if (answer === null) incoming.socket.destroy();
    else write(answer, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      sender.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function requestOf(incoming: IncomingMessage): Promise<SentRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { 'transfer-encoding': _, 'content-length': __, connection: ___, ...headers } = incoming.headers;
  const body = chunks.length === 0 ? null : Buffer.concat(chunks);
  return { method: incoming.method ?? 'GET', target: incoming.url ?? '/', headers, body };
}

async function forwarded(sender: Sender, request: SentRequest): Promise<ReceivedAnswer> {
  const answer = await sender.send(request);
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
}

function write({ status, headers, text }: ReceivedAnswer, response: ServerResponse): void {
  const { 'transfer-encoding': _, 'content-length': __, connection: ___, ...kept } = headers;
  response.writeHead(status, kept as Record<string, string>).end(text);
}

/** The same answer with another body. */
export function withJson(answer: ReceivedAnswer, change: (body: never) => unknown): ReceivedAnswer {
  return { ...answer, text: JSON.stringify(change(JSON.parse(answer.text) as never)) };
}
