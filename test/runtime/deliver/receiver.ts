/** A receiver of webhooks that keeps what it gets, and answers as a test says. */
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

interface ReceivedHook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}

export type Answering = (response: ServerResponse, path: string) => void;

export interface Receiver {
  readonly url: string;
  readonly received: ReceivedHook[];
  /** The most requests that were under way at the same time. */
  most: number;
  answer: Answering;
  close(): Promise<void>;
}

export const status =
  (code: number, headers: Readonly<Record<string, string>> = {}): Answering =>
  (response) =>
    void response.writeHead(code, headers).end();

export const never: Answering = () => undefined;

/** `tls` is its certificate with the key. */
export async function receiver(
  answer: Answering = status(204),
  tls?: { readonly key: Buffer; readonly cert: Buffer },
): Promise<Receiver> {
  let current = 0;
  const receive: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    current += 1;
    own.most = Math.max(own.most, current);
    response.on('close', () => {
      current -= 1;
    });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      own.received.push({ headers: request.headers, body: Buffer.concat(chunks).toString(), path });
      own.answer(response, path);
    });
  };
  const server = tls ? createSecureServer(tls, receive) : createServer(receive);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // A test that fails before it closes the receiver still ends.
  server.unref();
  const own: Receiver = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    most: 0,
    answer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return own;
}
