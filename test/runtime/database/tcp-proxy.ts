/** A way to the database that can be shut and opened again, as a server is that goes away and comes back. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpProxy {
  /** The address of the database, by way of this proxy. */
  readonly url: string;
  /** How many connections were made to it. */
  readonly attempts: () => number;
  open(): Promise<void>;
  /** Passes nothing more on over the connections that there are, as a network does that has failed. */
  freeze(): void;
  /** The same, and over no new ones either, until it is shut. */
  isolate(): void;
  /** Leads elsewhere from the next connection on, as a name does that is given to another server. */
  redirect(databaseUrl: string): void;
  /** Ends every connection, and takes no new ones. */
  shut(): Promise<void>;
}

/** It is shut at first. */
export async function createProxy(databaseUrl: string): Promise<TcpProxy> {
  let target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let attempts = 0;
  let isIsolated = false;
  let server: Server | null = null;

  const pass = (socket: Socket): void => {
    attempts++;
    if (isIsolated) {
      sockets.add(socket.on('error', () => undefined));
      return;
    }
    const other = connect(Number(target.port), target.hostname);
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => two.destroy());
      one.on('close', () => {
        sockets.delete(one);
        two.destroy();
      });
      one.pipe(two);
    }
  };

  const listen = (port: number): Promise<number> =>
    new Promise((resolve) => {
      const listening = createServer(pass).listen(port, '127.0.0.1', () => {
        server = listening;
        resolve((listening.address() as AddressInfo).port);
      });
    });

  const shut = async (): Promise<void> => {
    isIsolated = false;
    if (server === null) return;
    const closing = new Promise((resolve) => server?.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closing;
    server = null;
  };

  const freeze = (): void => {
    for (const socket of sockets) socket.unpipe().pause();
  };

  const port = await listen(0);
  await shut();
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    attempts: () => attempts,
    open: async () => {
      await listen(port);
    },
    freeze,
    redirect: (other) => {
      target = new URL(other);
    },
    isolate: () => {
      isIsolated = true;
      freeze();
    },
    shut,
  };
}
