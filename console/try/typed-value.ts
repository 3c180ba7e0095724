/** Texts of a form as values of JSON, and back. What is no value of the type is sent as it is: the server says why not. */
import { hasInexactNumbers } from '../../compiler/definition/contract/exact-json.ts';
import type { PlainType } from '../state/schema.ts';

/** Undefined where nothing is sent. */
export function valueFrom(text: string | null, type: PlainType): unknown {
  if (text === null) return null;
  if (text === '') return undefined;
  if (type === 'integer' || type === 'number')
    return !hasInexactNumbers(text) && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return type === 'any' || type === 'object' ? jsonOr(text) : text;
}

/** A number that would be rounded stays a text, with all of its digits. */
function jsonOr(text: string): unknown {
  try {
    return hasInexactNumbers(text) ? text : JSON.parse(text);
  } catch {
    return text;
  }
}

export function textFrom(value: unknown): string | null {
  if (value === undefined) return '';
  if (value === null) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
