/** Keeps mails in place of a mail server, in `kiln dev` and in tests of applications. */
import type { Mail, SendMail } from './mail.ts';

export interface KeptMail extends Mail {
  readonly sentAt: string;
}

const MOST_KEPT = 200;

export class Mailbox {
  /** The oldest first. */
  readonly mails: KeptMail[] = [];

  readonly take: SendMail = async (mail) => {
    this.mails.push({ ...mail, sentAt: new Date().toISOString() });
    if (this.mails.length > MOST_KEPT) this.mails.shift();
  };
}
