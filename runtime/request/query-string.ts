/** The parameters behind the `?`. */
import {
  type ListOptions,
  type ListValues,
  listParameters,
} from '../../compiler/definition/contract/list-parameters.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Sent } from './inputs.ts';

/**
 * Reads each name once, except those that are `repeatable`, whose values are a list. Any other name that is given twice
 * is rejected: nobody can say which of the two is meant.
 */
export function queryParameters(queryString: string, repeatable: ReadonlySet<string>): Sent {
  if (queryString === '') return NONE;
  const found: Record<string, string | string[]> = Object.create(null);
  for (const pair of queryString.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decoded(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : decoded(pair.slice(at + 1));
    const before = found[name];
    if (Array.isArray(before)) before.push(value);
    else if (before !== undefined) throw malformed(name, 'is given more than once');
    else found[name] = repeatable.has(name) ? [value] : value;
  }
  return found;
}

/** Decodes a text. Unlike URLSearchParams, it does not guess for a broken escape. */
function decoded(text: string): string {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new ApiError('malformed-request', { detail: 'The query string has an invalid escape.' });
  }
}

const NONE: Sent = Object.freeze(Object.create(null));

/** The values of a list's parameters: those that were sent, or the defaults. */
export function listValuesOf(options: ListOptions): (sent: Sent) => ListValues {
  const parameters = Object.entries(listParameters(options));
  return (sent) => {
    const values: Record<string, unknown> = {};
    for (const [name, { fills = name, usual, read, requirement }] of parameters) {
      const text = sent[name];
      const value = text === undefined ? usual : read(text as string);
      if (value === null) throw malformed(name, `must ${requirement}`);
      values[fills] = value;
    }
    return values as ListValues;
  };
}

export function malformed(name: string, what: string): ApiError {
  return new ApiError('malformed-request', { detail: `The query parameter \`${name}\` ${what}.` });
}
