/** Values as COPY reads them in its text format: a line for a row, tabs between columns. Chosen once for a type. */
import type { Type } from '../../compiler/definition/definition.ts';
import { binderOf, textFromBound } from '../values/bind.ts';
import { KINDS } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';

export type Encode = (value: Value) => string;

const NULL_TEXT = '\\N';

export function encoderOf(type: Type): Encode {
  const { bind, isFreeText } = KINDS[type.kind];
  const list = binderOf(type);
  const one: Encode = isFreeText ? (value) => escapedText(bind(value)) : bind;
  const text: Encode = type.many ? (value) => escapedText(textFromBound(list(value)) as string) : one;
  return (value) => (value === null ? NULL_TEXT : text(value));
}

/** Most texts have none of these. Halves of surrogate pairs are looked for among all surrogates. */
const UNUSUAL = /[\\\0\t\n\r\ud800-\udfff]/;

function escapedText(text: string): string {
  return UNUSUAL.test(text) ? carefully(text) : text;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function carefully(text: string): string {
  if (text.includes('\0')) throw new Error('a text cannot contain the character U+0000');
  if (!text.isWellFormed()) throw new Error('a text cannot contain half of a surrogate pair');
  return text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] as string);
}
