/** Hands a webhook to its receiver, signed as the specification Standard Webhooks says. */
import { createHmac } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { standardKey } from '../values/signing-key.ts';
import { DeliveryError } from './delivery-error.ts';
import { checkedLookup, isPublic, type Resolve, refusal, resolveName } from './public-address.ts';

/** The arguments of Kiln's own code. */
export interface WebhookParts {
  readonly url: string;
  readonly secret: string;
  /** The secret that is being replaced. */
  readonly otherSecret?: string | null;
  readonly body: string;
}

/** The text of the body, which is stored, so that each try sends the same bytes. */
export function webhookBody({ type, timestamp, data }: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ type, timestamp, data });
}

interface SenderOptions {
  /** Whether it may be sent without TLS, and to addresses of this machine and its networks. */
  readonly isPrivateAllowed: boolean;
  readonly resolve?: Resolve;
}

/** Where it is sent, after all that can be said before a connection is made. */
export function receiverOf({ url }: WebhookParts, { isPrivateAllowed }: SenderOptions): URL {
  const found = URL.canParse(url) ? new URL(url) : null;
  if (!found || !/^https?:$/.test(found.protocol)) throw new DeliveryError('the URL of the receiver is invalid', FINAL);
  if (found.username || found.password) throw new DeliveryError('the URL of the receiver has a user name', FINAL);
  if (isPrivateAllowed) return found;
  if (found.protocol !== 'https:') throw new DeliveryError('the URL of the receiver does not begin with https', FINAL);
  // Without the brackets of an address of version 6.
  const address = found.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) && !isPublic(address)) throw refusal();
  return found;
}

const FINAL = { isFinal: true } as const;

export async function sendWebhook(parts: WebhookParts, id: string, signal: AbortSignal, options: SenderOptions) {
  const url = receiverOf(parts, options);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const secrets = [parts.secret, ...(parts.otherSecret ? [parts.otherSecret] : [])];
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(parts.body),
    'user-agent': 'Kiln',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signature(`${id}.${timestamp}.${parts.body}`, secret)).join(' '),
  };
  const lookup = options.isPrivateAllowed ? undefined : checkedLookup(options.resolve ?? resolveName);
  const request = { method: 'POST', headers, lookup, agent: false, signal } as const;
  const answer = await statusOf(url, request, parts.body).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : unreached(error);
  });
  judge(answer);
}

/** The seconds before the next try: ten tries in three days. */
const WAITS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

export function waitAfterWebhook(attempt: number, random = Math.random()): number {
  return (WAITS[attempt - 1] ?? LONGEST_WAIT) * (0.8 + 0.4 * random);
}

function signature(content: string, secret: string): string {
  const key = standardKey(secret);
  if (!key || key.length < 24 || key.length > 64)
    throw new DeliveryError('the secret of the receiver is not `whsec_` and 24 to 64 bytes in Base64', FINAL);
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** The status says all. What the receiver sends behind it is not read. */
function statusOf(url: URL, options: https.RequestOptions, body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http;
    const sent = request(url, options, (response) => {
      resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      response.on('error', () => undefined).destroy();
    });
    sent.on('error', reject);
    // The only event where the receiver switches to another protocol. What was settled before stays so.
    sent.on('close', () => reject(new DeliveryError('the receiver closed the connection without an answer')));
    sent.end(body);
  });
}

const UNREACHED = 'the receiver could not be reached';

/** The address may be confidential, so only what kind of error it was is kept. */
function unreached(error: unknown): unknown {
  if (error instanceof DeliveryError) return error;
  const { code, name } = error as NodeJS.ErrnoException;
  const what = /CERT|SIGNATURE/.test(code ?? '') ? 'the certificate of the receiver is not trusted' : UNREACHED;
  return new DeliveryError(`${what} (${code ?? name})`);
}

function judge({ status, retryAfter }: Answer): void {
  if (status >= 200 && status < 300) return;
  const message = `the receiver answered ${status}`;
  if (status === 410) throw new DeliveryError(message, { isFinal: true, isGone: true });
  const isRedirect = status >= 300 && status < 400;
  const isBusy = status === 429 || status === 503;
  throw new DeliveryError(isRedirect ? `${message}: redirects are not followed` : message, {
    retryAfter: isBusy ? secondsFrom(retryAfter) : null,
  });
}

const LONGEST_WAIT = 24 * 60 * 60;

/** A number of seconds or a date, and at most a day. */
export function secondsFrom(retryAfter: string | undefined, now = Date.now()): number | null {
  if (retryAfter === undefined) return null;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - now) / 1000;
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), LONGEST_WAIT);
}
