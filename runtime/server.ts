/** Routes become a server: a listener, a port, and a way to stop. */

import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { once } from '../compiler/definition/memo.ts';
import type { Config } from './config/config.ts';
import type { Lifecycle } from './observe/readiness.ts';
import { answerEarly } from './respond/early-refusals.ts';
import { disconnectStalled, requestGate } from './respond/open-sockets.ts';
import { limitPipelining } from './respond/pipelined-requests.ts';
import { createRequestListener, type ListenerOptions, type RequestListener } from './respond/request-listener.ts';
import { drain, nothingInFlight } from './shutdown.ts';

export interface ServerOptions extends Omit<ListenerOptions, 'config' | 'lifecycle' | 'showsMetrics'> {
  readonly config: ListenerOptions['config'] & ListenConfig & ShutdownConfig & Pick<Config, 'metricsPort'>;
  /** Closes the database, when no request runs any more. */
  readonly close: () => Promise<void>;
}

/** The address to listen on, and the limits of its clients. */
export type ListenConfig = Pick<Config, 'host' | 'port' | 'connectionsMax' | 'connectionRequestsMax' | 'writeTimeout'>;

type ShutdownConfig = Pick<Config, 'shutdownGrace' | 'shutdownTimeout'>;

export interface MountedApp {
  /** Answers every path that it gets. */
  readonly app: Awaited<ReturnType<RequestListener['app']>>;
  /** Stops after the server around it has answered its requests. */
  stop(): Promise<void>;
}

export interface RunningServer {
  /** The one that was taken where the configuration has 0. */
  readonly port: number;
  /** The port of `/metrics`; null where there is none. */
  readonly metricsPort: number | null;
  /** Replaces the routes from the next request on. Running requests end as they began. */
  replaceRoutes(replacement: Pick<ServerOptions, 'routes' | 'contract'>): void;
  /** Whether every running request had its answer in time. A second call waits for the first. */
  stop(): Promise<boolean>;
}

export async function serveRoutes(options: ServerOptions): Promise<RunningServer> {
  const { config, log, close } = options;
  const lifecycle: Lifecycle = { isStopping: false, inFlight: 0 };
  const isBesideMetrics = config.metricsPort === config.port && config.port !== 0;
  let current = createRequestListener({ ...options, lifecycle, showsMetrics: isBesideMetrics });
  const gate = requestGate((request, response) => current.listener(request, response));
  const server = await listen(gate.receive, config, log);
  const { port } = server.address() as AddressInfo;
  const metrics = isBesideMetrics ? null : await listenForMetrics(options, lifecycle, server);
  const metricsPort = isBesideMetrics ? port : metrics && (metrics.address() as AddressInfo).port;
  log.info({ host: config.host, port, ...(metricsPort === null ? {} : { metricsPort }) }, 'listening');
  const stop = once((): Promise<boolean> => {
    const { shutdownGrace: grace, shutdownTimeout: timeout } = config;
    return drain({ server, gate, lifecycle, log, close, grace, timeout }).finally(() => end(metrics));
  });
  const replaceRoutes: RunningServer['replaceRoutes'] = ({ routes, contract }) => {
    current = createRequestListener({ ...options, routes, contract, lifecycle, showsMetrics: isBesideMetrics });
  };
  return { port, metricsPort, replaceRoutes, stop };
}

export async function mountRoutes(options: ServerOptions): Promise<MountedApp> {
  const lifecycle: Lifecycle = { isStopping: false, inFlight: 0 };
  const { app } = createRequestListener({ ...options, lifecycle, showsMetrics: false });
  const stop = async (): Promise<void> => {
    lifecycle.isStopping = true;
    await nothingInFlight(lifecycle, options.config.shutdownTimeout);
    await options.close();
  };
  return { app: await app(), stop };
}

/** Metrics say much about an application, so they are not on the port that clients reach. They can be read to the end. */
async function listenForMetrics(options: ServerOptions, lifecycle: Lifecycle, server: Server): Promise<Server | null> {
  const { config, log } = options;
  if (config.metricsPort === null) return null;
  const { listener } = createRequestListener({ ...options, routes: [], lifecycle, showsMetrics: true });
  try {
    return await listen(listener, { ...config, port: config.metricsPort }, log, 'METRICS_PORT');
  } catch (error) {
    end(server);
    throw error;
  }
}

function end(server: Server | null): void {
  server?.close();
  server?.closeAllConnections();
}

/** Longer than load balancers keep idle connections, so that they never use one that is just being closed. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 60_000;
const REQUEST_MS = 120_000;

export function listen(
  listener: RequestListener['listener'],
  config: ListenConfig,
  log: Logger,
  variable: 'PORT' | 'METRICS_PORT' = 'PORT',
): Promise<Server> {
  const { host, port } = config;
  const server = httpServer(listener, config, log);
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => reject(errorOfListening(error, host, port, variable));
    server.once('error', refuse).listen({ host, port }, () => {
      server.off('error', refuse);
      resolve(server);
    });
  });
}

function httpServer(listener: RequestListener['listener'], config: ListenConfig, log: Logger): Server {
  const timeouts = { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS };
  const server = createHttpServer(timeouts, limitPipelining(config.connectionRequestsMax, listener));
  server.maxConnections = config.connectionsMax;
  // node:http would otherwise end the connection together with the client. Its types leave the property out.
  Object.assign(server, { httpAllowHalfOpen: true });
  answerEarly(server, log);
  disconnectStalled(server, config.writeTimeout, () =>
    log.info('disconnected a client that did not read its response'),
  );
  return server;
}

function errorOfListening(cause: NodeJS.ErrnoException, host: string, port: number, variable: string): Error {
  return new Error(sentenceFor(cause.code, host, port, variable), { cause });
}

function sentenceFor(code: string | undefined, host: string, port: number, variable: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is in use. Stop the other program, or set ${variable}.`;
    case 'EACCES':
      return `Port ${port} needs more rights than this process has. Set ${variable} to a number above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `The host ${host} is not an address of this machine. Set HOST to one that is, such as 0.0.0.0.`;
    default:
      return `Listening on ${host}, port ${port}, failed${code === undefined ? '' : `: ${code}`}.`;
  }
}
