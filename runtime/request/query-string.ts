/** The parameters behind the `?`. */
import { ApiError } from '../errors/api-error.ts';
import type { Sent } from './inputs.ts';

/** Each name once. A name that is given twice is refused: nobody can say which of the two is meant. */
export function queryParameters(queryString: string): Sent {
  if (queryString === '') return NONE;
  const found: Record<string, string> = Object.create(null);
  for (const pair of queryString.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decoded(at < 0 ? pair : pair.slice(0, at));
    if (name in found) throw malformed(name, 'is given more than once');
    found[name] = at < 0 ? '' : decoded(pair.slice(at + 1));
  }
  return found;
}

/** Unlike URLSearchParams, this does not make something up for an escape that is broken. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ApiError('malformed-request', { detail: 'The query string has an escape that cannot be read.' });
  }
}

const NONE: Sent = Object.freeze(Object.create(null));

interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
}

/** `page` counts from 1. */
export function pageFrom(
  sent: Sent,
  { pageSize, max }: { readonly pageSize: number; readonly max: number },
): PageRequest {
  return { page: whole(sent, 'page', 1, LAST_PAGE), pageSize: whole(sent, 'pageSize', pageSize, max) };
}

/** So that the number of the first record is still an exact integer, whatever the size of a page. */
const LAST_PAGE = 1_000_000_000_000;

function whole(sent: Sent, name: string, otherwise: number, largest: number): number {
  const text = sent[name];
  if (text === undefined) return otherwise;
  const value = /^\d{1,15}$/.test(text as string) ? Number(text) : Number.NaN;
  if (value >= 1 && value <= largest) return value;
  throw malformed(name, `must be an integer from 1 to ${largest}`);
}

function malformed(name: string, what: string): ApiError {
  return new ApiError('malformed-request', { detail: `The query parameter \`${name}\` ${what}.` });
}
