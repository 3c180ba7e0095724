/**
 * Requests that another service signs: an HMAC over the bytes of the body, and where the scheme has them, over the id and
 * the time of the message. Whatever is wrong gets the same answer, so that nobody can find out a signature piece by piece.
 */
import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { SignatureScheme } from '../../compiler/definition/signed-requests.ts';
import { ApiError } from '../errors/api-error.ts';
import { standardKey } from '../values/signing-key.ts';
import type { JsonObject } from './json-body.ts';

/** What a request claims. Null where it lacks a part. */
interface Claim {
  readonly key: string | Buffer | null;
  /** The text that is signed with the body behind it. */
  readonly prefix: string;
  readonly signatures: readonly Buffer[];
  /** When it was signed, in seconds; undefined where the scheme has no time. */
  readonly time?: string | undefined;
}

type Header = (name: string) => string;

const CLAIMS: Readonly<Record<SignatureScheme, (header: Header, secret: string) => Claim>> = {
  standard(header, secret) {
    const time = header('webhook-timestamp');
    return {
      key: standardKey(secret),
      prefix: `${header('webhook-id')}.${time}.`,
      signatures: valuesOf(header('webhook-signature').split(' '), 'v1,', 'base64'),
      time,
    };
  },
  stripe(header, secret) {
    const parts = header('stripe-signature').split(',');
    const time = parts.find((part) => part.startsWith('t='))?.slice(2) ?? '';
    return { key: secret, prefix: `${time}.`, signatures: valuesOf(parts, 'v1=', 'hex'), time };
  },
  github: (header, secret) => ({
    key: secret,
    prefix: '',
    signatures: valuesOf([header('x-hub-signature-256')], 'sha256=', 'hex'),
  }),
};

function valuesOf(parts: readonly string[], begin: string, encoding: 'base64' | 'hex'): readonly Buffer[] {
  return parts.flatMap((part) => (part.startsWith(begin) ? Buffer.from(part.slice(begin.length), encoding) : []));
}

/** How far the clocks of both sides may be apart, in seconds. An older request may be a copy that somebody sends again. */
const TOLERANCE = 5 * 60;

/** Throws unless the service has signed exactly this body, now. */
export function verifySignature(
  scheme: SignatureScheme,
  secret: string,
  headers: IncomingHttpHeaders,
  body: Buffer,
  now = Date.now(),
): void {
  const { key, prefix, signatures, time } = CLAIMS[scheme]((name) => String(headers[name] ?? ''), secret);
  if (key === null || (time !== undefined && !isNear(time, now))) throw notSigned();
  const expected = createHmac('sha256', key).update(prefix).update(body).digest();
  const right = signatures.filter((each) => each.length === expected.length && timingSafeEqual(each, expected));
  if (right.length === 0) throw notSigned();
}

function isNear(time: string, now: number): boolean {
  return /^\d{1,15}$/.test(time) && Math.abs(now / 1000 - Number(time)) <= TOLERANCE;
}

const IDS: Readonly<Record<SignatureScheme, (header: Header, body: JsonObject) => unknown>> = {
  standard: (header) => header('webhook-id'),
  stripe: (_, { id }) => id,
  github: (header) => header('x-github-delivery'),
};

/** The id of a message, which the service keeps when it repeats the request. */
export function messageId(scheme: SignatureScheme, headers: IncomingHttpHeaders, body: JsonObject): string {
  const id = IDS[scheme]((name) => String(headers[name] ?? ''), body);
  if (typeof id === 'string' && id !== '') return id;
  throw new ApiError('malformed-request', { detail: 'The request has no id by which a repeat could be recognised.' });
}

function notSigned(): ApiError {
  return new ApiError('unauthenticated', { detail: 'The signature is missing, wrong or too old.' });
}
