/** A mail as it is sent: the arguments of Kiln's own code, joined. */

export interface Mail {
  /** Of the job, so that each try sends the same mail. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<void>;

export interface MailParts {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
}

export function mailFrom({ to, subject, html }: MailParts, id: string): Mail {
  return { id, to, subject, html, text: '' };
}
