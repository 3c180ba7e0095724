/** Routes become a server: a listener, a port, and a way to stop. */
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from './config/config.ts';
import type { Lifecycle } from './observe/readiness.ts';
import { createRequestListener, type ListenerOptions, type RequestListener } from './respond/request-listener.ts';
import { drain } from './shutdown.ts';

export interface ServerOptions extends Omit<ListenerOptions, 'config' | 'lifecycle'> {
  readonly config: Pick<Config, 'bodyLimit' | 'corsOrigins' | 'host' | 'port' | 'shutdownTimeout'>;
  /** What is closed when no request runs any more: the database. */
  readonly close: () => Promise<void>;
}

export interface RunningServer {
  readonly app: RequestListener['app'];
  /** The one that was taken where the configuration has 0. */
  readonly port: number;
  /** From the next request on, these are the routes. Requests that run already end as they began. */
  replaceRoutes(replacement: Pick<ServerOptions, 'routes' | 'contract'>): void;
  /** Whether every running request had its answer in time. A second call waits for the first. */
  stop(): Promise<boolean>;
}

export async function serveRoutes(options: ServerOptions): Promise<RunningServer> {
  const { config, log, close } = options;
  const lifecycle: Lifecycle = { isStopping: false };
  let current = createRequestListener({ ...options, lifecycle });
  const server = await listen((request, response) => current.listener(request, response), config);
  const { port } = server.address() as AddressInfo;
  log.info({ host: config.host, port }, 'listening');
  let stopped: Promise<boolean> | null = null;
  const stop = (): Promise<boolean> => {
    stopped ??= drain({ server, lifecycle, log, close, timeout: config.shutdownTimeout });
    return stopped;
  };
  const replaceRoutes: RunningServer['replaceRoutes'] = ({ routes, contract }) => {
    current = createRequestListener({ ...options, routes, contract, lifecycle });
  };
  return { app: current.app, port, replaceRoutes, stop };
}

/** Longer than load balancers keep idle connections, so that they never use one that is just being closed. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 60_000;
const REQUEST_MS = 120_000;

export function listen(
  listener: RequestListener['listener'],
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<Server> {
  const server = createHttpServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS },
    listener,
  );
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(errorOfListening(error, host, port));
    server.once('error', refuse).listen({ host, port }, () => {
      server.off('error', refuse);
      resolve(server);
    });
  });
}

function errorOfListening(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  return new Error(sentenceFor(cause.code, host, port), { cause });
}

function sentenceFor(code: string | undefined, host: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Stop the other program, or set PORT.`;
    case 'EACCES':
      return `Port ${port} needs more rights than this process has. Set PORT to a number above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `The host ${host} is no address of this machine. Set HOST to one that is, such as 0.0.0.0.`;
    default:
      return `Listening on ${host}, port ${port}, failed${code === undefined ? '' : `: ${code}`}.`;
  }
}
