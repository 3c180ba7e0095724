/** The headers of a browser about what it can read and what it has already. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Encoding } from './assets.ts';

const PREFERRED = ['br', 'gzip'] as const;

/** Chooses the smallest form that the client reads. */
export function encodingFor({ 'accept-encoding': accepted }: IncomingHttpHeaders): Encoding {
  const weights = weightsFrom(typeof accepted === 'string' ? accepted : '');
  const isTaken = (encoding: string): boolean => (weights.get(encoding) ?? weights.get('*') ?? 0) > 0;
  return PREFERRED.find(isTaken) ?? 'identity';
}

export function encodedHeaders(headers: Headers, encoding: Encoding): Headers {
  return encoding === 'identity' ? headers : { ...headers, 'content-encoding': encoding };
}

type Headers = Readonly<Record<string, string>>;

/** Parses weights: `gzip;q=0.5, br` gives half for gzip and one for br. */
function weightsFrom(header: string): ReadonlyMap<string, number> {
  const parts = header.toLowerCase().split(',');
  return new Map(
    parts.map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [name, weight === undefined ? 1 : Number(weight) || 0];
    }),
  );
}

export function tagOf(content: string): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/** Proxies that compress mark a tag as weak, which is as good here. */
export function hasAlready({ 'if-none-match': known }: IncomingHttpHeaders, tag: string): boolean {
  if (known === undefined) return false;
  const tags = known.split(',').map((each) => each.trim().replace(/^W\//, ''));
  return tags.includes(tag) || tags.includes('*');
}
