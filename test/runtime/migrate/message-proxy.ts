/**
 * A way to Postgres that knows where one message ends and the next begins, and stops at the one it is told: just before
 * it is passed on, or just after.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface MessageProxy {
  readonly url: string;
  /** How many statements have come by. */
  readonly seen: () => number;
  close(): Promise<void>;
}

export interface Cut {
  /** The statement to stop at, from 1. */
  readonly at: number;
  readonly when: 'before' | 'inside';
  /** What is done then. Both sides of the connection are cut afterwards. */
  readonly act: () => Promise<void> | void;
}

export async function openMessageProxy(databaseUrl: string, cut?: Cut): Promise<MessageProxy> {
  const target = new URL(databaseUrl);
  let seen = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const postgres = connect(Number(target.port), target.hostname);
    const ends = [client, postgres];
    const destroy = () => {
      for (const end of ends) end.destroy();
    };
    for (const end of ends) {
      sockets.add(end);
      end.setNoDelay(true).on('error', destroy).on('close', destroy);
    }
    postgres.pipe(client);
    const split = splitMessages();
    let isCut = false;
    const pass = async (message: Buffer, isStatement: boolean): Promise<void> => {
      if (isStatement) seen++;
      isCut = isStatement && seen === cut?.at;
      if (!isCut || cut?.when === 'inside') postgres.write(message);
      if (!isCut) return;
      await cut?.act();
      destroy();
    };
    client.on('data', (chunk) => {
      for (const { message, isStatement } of split(chunk)) if (!isCut) void pass(message, isStatement);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = Object.assign(new URL(databaseUrl), { port: String((server.address() as AddressInfo).port) }).href;
  return {
    url,
    seen: () => seen,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

interface Message {
  readonly message: Buffer;
  readonly isStatement: boolean;
}

/** A statement is a Query, or ends with a Sync. The first message of a connection has no letter. */
const STATEMENTS = new Set(['Q', 'S']);

function splitMessages(): (chunk: Buffer) => readonly Message[] {
  let rest = Buffer.alloc(0);
  let letter = 0;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: Message[] = [];
    while (rest.length >= letter + 4 && rest.length >= letter + rest.readInt32BE(letter)) {
      const length = letter + rest.readInt32BE(letter);
      const isStatement = letter === 1 && STATEMENTS.has(String.fromCharCode(rest[0] ?? 0));
      messages.push({ message: rest.subarray(0, length), isStatement });
      rest = rest.subarray(length);
      letter = 1;
    }
    return messages;
  };
}
