/** A server over hand-made routes, for the tests of one subject through both doors. */
import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Segment } from '../../../compiler/definition/contract/routes.ts';
import { createLog } from '../../../runtime/observe/log.ts';
import { createMetrics } from '../../../runtime/observe/metrics.ts';
import type { Answer, Exchange, Route } from '../../../runtime/request/exchange.ts';
import { createRequestListener, type ListenerOptions } from '../../../runtime/respond/request-listener.ts';
import { type ListenConfig, listen, type ServerOptions } from '../../../runtime/server.ts';

export const LANES = ['fast', 'express'] as const;

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Empty where the body is no JSON. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface Serving {
  readonly server: Server;
  readonly port: number;
  /** The lines of the log so far. */
  readonly lines: Record<string, unknown>[];
  ask(path: string, options?: Asked): Promise<Received>;
  /** Resolves with all that the server sent when it closes the connection. */
  askRaw(text: string | Uint8Array): Promise<string>;
  connect(): Socket;
  close(): Promise<void>;
}

export interface Asked extends RequestOptions {
  readonly body?: string | Uint8Array;
}

type ServingOptions = Partial<Omit<ListenerOptions, 'routes' | 'config' | 'log'>> & {
  readonly config?: Partial<ListenerOptions['config'] & ListenConfig>;
};

/** What no test is about. */
export const CONFIG = {
  host: '127.0.0.1',
  port: 0,
  bodyLimit: 1000,
  bodiesLimit: 1_000_000,
  corsOrigins: [],
  connectionsMax: 1000,
  connectionRequestsMax: 16,
  requestsMax: 1000,
  writeTimeout: 30_000,
  unreadLimit: 1_000_000,
  metricsPort: null,
  shutdownGrace: 0,
} as const satisfies Omit<ServerOptions['config'], 'shutdownTimeout'>;

const METRICS = createMetrics();

/** What is written to it is sent at once, as what a hook has written is after the commit. */
export function responseIn({ held, response }: Exchange): Exchange['response'] {
  held?.letGo();
  return response;
}

/** Until `closeAll`. */
const open: Serving[] = [];

export async function serve(routes: readonly Route[], options: ServingOptions = {}): Promise<Serving> {
  const lines: Record<string, unknown>[] = [];
  const log = createLog('debug', { write: (line) => lines.push(JSON.parse(line)) });
  const config = { ...CONFIG, ...options.config };
  const { listener } = createRequestListener({
    metrics: METRICS,
    showsMetrics: true,
    isReady: async () => ({ ready: true }),
    ...options,
    routes,
    log,
    config,
  });
  const serving = servingOf(await listen(listener, config, log), lines);
  open.push(serving);
  return serving;
}

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((each) => each.close()));
}

function servingOf(server: Server, lines: Record<string, unknown>[]): Serving {
  const { port } = server.address() as AddressInfo;
  const connectTo = (): Socket => connect(port, '127.0.0.1');
  return {
    server,
    port,
    lines,
    ask: (path, options) => ask(port, path, options),
    connect: connectTo,
    askRaw: (text) => askRaw(connectTo(), text),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function ask(port: number, path: string, { body, ...options }: Asked = {}): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, path, agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: jsonFrom(text) });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function askRaw(socket: Socket, text: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', reject).on('close', () => resolve(received));
    socket.write(text);
  });
}

function jsonFrom(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** `GET /api/post/:slug`. */
export function route(
  methodAndPath: string,
  handle: (exchange: Exchange) => Promise<Answer | null> | Answer | null,
  options: { readonly needsExpress?: boolean } = {},
): Route {
  const [method = '', pattern = ''] = methodAndPath.split(' ');
  return {
    method,
    pattern,
    path: segmentsOf(pattern),
    needsExpress: options.needsExpress ?? false,
    handle: async (exchange) => handle(exchange),
  };
}

export function segmentsOf(pattern: string): readonly Segment[] {
  const texts = pattern.split('/').filter((text) => text !== '');
  return texts.map((text) =>
    text.startsWith(':') ? { kind: 'parameter', name: text.slice(1) } : { kind: 'literal', text },
  );
}

export function ok(value: unknown): Answer {
  return { status: 200, headers: null, body: JSON.stringify(value) };
}
