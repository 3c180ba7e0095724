/** Types of values as callers see them: which JSON is one, and what the language calls it. */
import { isTextInJson } from '../definition/scalars.ts';

/** `string`, `timestamp`, `enum` and so on of the language; `object`, `list` and `any` of JSON. */
export type ValueKind = string;

/** Whether all JSON of the one is JSON of the other, too. */
export function isWider(kind: ValueKind, than: ValueKind): boolean {
  if (kind === 'any' || kind === 'json') return true;
  if (kind === 'float') return than === 'integer';
  return kind === 'string' && than !== 'string' && isText(than);
}

function isText(kind: ValueKind): boolean {
  return kind === 'enum' || (!JSON_KINDS.includes(kind) && isTextInJson(kind));
}

const JSON_KINDS: readonly ValueKind[] = ['any', 'object', 'list', 'record'];
