/** A database behind a proxy that notes what is sent to it. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface CountedDatabase {
  readonly url: string;
  /** What was sent so far: `B` and the name of a statement that is bound, `Q` and the text of one like `COMMIT`. */
  readonly messages: readonly string[];
  close(): Promise<void>;
}

export async function countedDatabase(url: string): Promise<CountedDatabase> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const messages: string[] = [];
  const proxy: Server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const socket of [client, database]) sockets.add(socket.on('error', () => undefined));
    const read = messageReader();
    client.on('data', (bytes) => {
      messages.push(...read(bytes as Buffer));
      database.write(bytes);
    });
    database.pipe(client);
    client.on('close', () => database.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const counted = new URL(url);
  counted.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: counted.href,
    messages,
    async close() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

/** The first message of a connection has no type. */
function messageReader(): (bytes: Buffer) => readonly string[] {
  let rest = Buffer.alloc(0);
  let isFirst = true;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    const found: string[] = [];
    for (;;) {
      const head = isFirst ? 0 : 1;
      if (rest.length < head + 4 || rest.length < head + rest.readUInt32BE(head)) return found;
      const [type, message] = [
        String.fromCharCode(rest[0] as number),
        rest.subarray(head + 4, head + rest.readUInt32BE(head)),
      ];
      const texts = message.toString('latin1').split('\0');
      if (!isFirst && type === 'B') found.push(`B ${texts[1]}`);
      if (!isFirst && type === 'Q') found.push(`Q ${texts[0]}`);
      rest = rest.subarray(head + rest.readUInt32BE(head));
      isFirst = false;
    }
  };
}
