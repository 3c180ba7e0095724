/** Hands mails to the mail server that `MAIL_URL` names, over connections that are kept for a while. */
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Config } from '../config/config.ts';
import { waitFor } from '../values/semaphore.ts';
import { DeliveryError } from './delivery-error.ts';
import type { SendMail } from './mail.ts';

type MailConfig = Pick<Config, 'mailUrl' | 'mailFrom'>;

/** In milliseconds. A server that says nothing for so long is given up. */
const TIMES = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 10_000 };

/** What is missing for a server that sends the mails of the application, one sentence each. */
export function mailProblems({ jobs = [] }: Definition, config: MailConfig & Pick<Config, 'jobs'>): readonly string[] {
  const mails = jobs.filter(({ delivers }) => delivers === 'mail').map(({ name }) => name);
  if (mails.length === 0 || config.jobs === 0) return [];
  const why = `the application sends mail (${mails.slice(0, 3).join(', ')}${mails.length > 3 ? ', …' : ''})`;
  return [
    ...(config.mailUrl === null
      ? [`MAIL_URL is not set: ${why}. It must look like \`smtp://user:password@host:587\`.`]
      : []),
    ...(config.mailFrom === null
      ? [`MAIL_FROM is not set: ${why}. It must look like \`Shop <shop@example.com>\`.`]
      : []),
  ];
}

/** The library is loaded with the first mail. */
export function smtpSender({ mailUrl, mailFrom }: MailConfig) {
  let transport: ReturnType<typeof transportFor> | null = null;
  const send: SendMail = async ({ id, to, subject, html, text }, signal) => {
    if (mailUrl === null || mailFrom === null) throw new DeliveryError('MAIL_URL and MAIL_FROM are not set');
    transport ??= transportFor(mailUrl);
    const messageId = `<${id}@${domainOf(mailFrom)}>`;
    const sending = (await transport).sendMail({ from: mailFrom, to, subject, html, text, messageId });
    // The connection is given up after its own time.
    await waitFor(sending, { signal }).catch((error: unknown) => {
      throw failureOf(error);
    });
  };
  return {
    send,
    close: () =>
      void transport?.then(
        (mailer) => mailer.close(),
        () => undefined,
      ),
  };
}

async function transportFor(mailUrl: string) {
  const { createTransport } = await import('nodemailer');
  // A password is not sent to somebody who pretends that the server has no TLS.
  const requireTLS = new URL(mailUrl).password !== '';
  return createTransport({ url: mailUrl, pool: true, maxRequeues: 0, requireTLS, ...TIMES });
}

function domainOf(address: string): string {
  return /@([^@>\s]+)>?$/.exec(address)?.[1] ?? 'localhost';
}

/** The codes of errors about the mail itself. With others, such as a wrong password, any other mail would fail too. */
const OF_MAIL: readonly unknown[] = ['EENVELOPE', 'EMESSAGE'];

/** What the server said may name the address, so only its status is kept. */
function failureOf(error: unknown): DeliveryError {
  const { responseCode: status, code, message } = error as Error & { responseCode?: number; code?: string };
  if (status !== undefined && OF_MAIL.includes(code))
    return new DeliveryError(`the mail server answered ${status}`, { isFinal: status >= 500 });
  const why = [code ?? 'no answer', ...(status === undefined ? [] : [status])].join(' ');
  // The library replaces the code of the error.
  const isUntrusted = /certificate/i.test(message);
  const what = isUntrusted ? 'the certificate of the mail server is not trusted' : 'the mail server could not be used';
  return new DeliveryError(`${what} (${why})`);
}
