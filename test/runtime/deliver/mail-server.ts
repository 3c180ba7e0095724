/** A mail server that keeps what it is given, and does wrong what a test asks for. */
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

interface ReceivedMail {
  readonly to: readonly string[];
  readonly headers: ReadonlyMap<string, string>;
  readonly raw: string;
}

/** What is done with the data of a mail: it is taken, refused with a status, or never answered. */
export type Answer = 'take' | number | 'hang';

export interface MailServer {
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedMail[];
  answer: Answer;
  close(): Promise<void>;
}

export async function mailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 100,
    logger: false,
    disabledCommands: ['STARTTLS'],
    ...options,
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString();
        received.push({ to: session.envelope.rcptTo.map(({ address }) => address), headers: headersOf(raw), raw });
        if (own.answer === 'take') callback();
        else if (own.answer !== 'hang')
          callback(Object.assign(new Error(`no ${session.envelope.rcptTo[0]?.address}`), { responseCode: own.answer }));
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  const listening = (server.server.address() as AddressInfo).port;
  const own: MailServer = {
    port: listening,
    url: `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${listening}`,
    received,
    answer: 'take',
    close: () => new Promise((resolve) => void server.close(resolve)),
  };
  return own;
}

function headersOf(raw: string): ReadonlyMap<string, string> {
  const [head = ''] = raw.split('\r\n\r\n', 1);
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
}
