/** A mail as it is sent, made of the arguments of Kiln's own code: the parts of its templates, and the values between them. */
import { escaped } from '../../compiler/definition/escaped.ts';
import type { Value } from '../values/value.ts';
import { DeliveryError } from './delivery-error.ts';
import { plainTextOf } from './plain-text.ts';

export interface Mail {
  /** Of the job, so that each try sends the same mail. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<void>;

/** `html` and `text` are lists of texts; `html0`, `html1`, … the values between those of `html`. */
type MailParts = Readonly<Record<string, Value>>;

export function mailFrom(parts: MailParts, id: string): Mail {
  const html = joined(parts, 'html', escaped);
  const to = shown(parts.to);
  if (!ADDRESS.test(to)) throw new DeliveryError('the address of the mail is not valid', { isFinal: true });
  return {
    id,
    to,
    subject: shown(parts.subject).replace(LINE_BREAKS, ' '),
    html,
    text: parts.text === undefined ? plainTextOf(html) : joined(parts, 'text', (value) => value),
  };
}

/** One address, without a name: no list, no group and no line break can be in it. */
const ADDRESS = /^[^\s@,;:<>()[\]"\\]+@[^\s@,;:<>()[\]"\\]+$/;

const LINE_BREAKS = /[\r\n\u0085\u2028\u2029]+/g;

function joined(parts: MailParts, name: 'html' | 'text', written: (value: string) => string): string {
  const texts = parts[name] as readonly string[];
  return texts.map((text, at) => (at === 0 ? text : written(shown(parts[`${name}${at - 1}`])) + text)).join('');
}

function shown(value: Value | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}
