/** A way to Postgres that treats the parameters of a connection as some poolers do. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface StartupProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** The parameters to go on with, or the text of a refusal. */
export type Treatment = (parameters: ReadonlyMap<string, string>) => ReadonlyMap<string, string> | string;

interface Habits {
  /** Whether connections to Postgres stay when their clients have gone, as those of poolers do. */
  readonly keeps?: boolean;
}

export async function openStartupProxy(url: string, treat: Treatment, habits: Habits = {}): Promise<StartupProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', (message) => {
      const treated = treat(parametersIn(message));
      if (typeof treated === 'string') return void socket.end(refusal(treated));
      const onward = connect(Number(target.port), target.hostname).on('error', () => socket.destroy());
      sockets.add(onward);
      onward.write(startupMessage(treated));
      onward.pipe(socket);
      if (habits.keeps) socket.on('data', (chunk) => chunk.equals(TERMINATE) || onward.write(chunk));
      else socket.pipe(onward);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = Object.assign(new URL(url), { port: String((server.address() as AddressInfo).port) });
  return {
    url: own.href,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The last message of a client. */
const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4]);

const HEAD = 8;

/** Length and version, then names and values, each with a zero behind it, and one more zero. */
function parametersIn(message: Buffer): ReadonlyMap<string, string> {
  const parts = message.toString('utf8', HEAD, message.readInt32BE(0) - 2).split('\0');
  return new Map(Array.from({ length: parts.length / 2 }, (_, at) => [parts[2 * at] ?? '', parts[2 * at + 1] ?? '']));
}

function startupMessage(parameters: ReadonlyMap<string, string>): Buffer {
  const text = [...parameters].map(([name, value]) => `${name}\0${value}\0`).join('');
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(HEAD);
  head.writeInt32BE(HEAD + body.length, 0);
  head.writeInt32BE(3 << 16, 4);
  return Buffer.concat([head, body]);
}

function refusal(text: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${text}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
