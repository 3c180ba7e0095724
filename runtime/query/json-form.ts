/** How the bytes of a field become JSON: chosen once for a type, as the parsers of `values` are, and with the same result. */

import type { Buffer } from 'node:buffer';
import type { Type } from '../../compiler/definition/expression.ts';
import { KINDS, parserOf } from '../values/kinds.ts';
import type { Chunk, DataRow } from './data-row.ts';
import { type JsonBytes, Piece } from './json-bytes.ts';

/** Writes a field that is not null: the bytes from `start` to the end that the row knows. */
export type JsonForm = (out: JsonBytes, row: DataRow, start: number) => void;

export function jsonFormOf(type: Type, parse = parserOf(type)): JsonForm {
  const { json } = KINDS[type.kind];
  const through = throughValue(parse);
  if (type.many) return json === 'moment' || type.kind === 'float' ? through : asItIs;
  return FORMS[json](through);
}

/** `through` is the way that every value can take, for those of a form that need it. */
const FORMS: Readonly<Record<(typeof KINDS)[Type['kind']]['json'], (through: JsonForm) => JsonForm>> = {
  'as-it-is': () => asItIs,
  quoted: () => quoted,
  number: numberOr,
  truth: () => truth,
  moment: momentOr,
};

const asItIs: JsonForm = (out, row, start) => out.copy(row.chunk, start, row.end);

const quoted: JsonForm = (out, row, start) => out.text(row.chunk, start, row.end);

const TRUE = new Piece('true');
const FALSE = new Piece('false');
const LETTER_T = 't'.charCodeAt(0);

const truth: JsonForm = (out, row, start) => out.piece(row.chunk.view.getUint8(start) === LETTER_T ? TRUE : FALSE);

/** The form of the few types that JSON writes differently from Postgres. */
function throughValue(parse: ReturnType<typeof parserOf>): JsonForm {
  return (out, row, start) => out.json(JSON.stringify(parse(row.chunk.bytes.toString('utf8', start, row.end))));
}

// ── Numbers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The number of digits that JavaScript always keeps exact. */
const EXACT_DIGITS = 15;
const MINUS = '-'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);

function numberOr(through: JsonForm): JsonForm {
  return (out, row, start) => {
    if (isPlainNumber(row.chunk, start, row.end)) out.copy(row.chunk, start, row.end);
    else through(out, row, start);
  };
}

/** Whether JSON can take the number as it is: no `1e+20`, `NaN`, `-Infinity` or `-0`. */
function isPlainNumber({ view }: Chunk, start: number, end: number): boolean {
  if (end - start > EXACT_DIGITS) return false;
  if (end - start === 2 && view.getUint8(start) === MINUS && view.getUint8(start + 1) === ZERO) return false;
  for (let at = start; at < end; at++) if (view.getUint8(at) > NINE) return false;
  return true;
}

// ── Moments ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const DATE_SIZE = 10;
const SPACE = ' '.charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);
const LETTER_BIG_T = 'T'.charCodeAt(0);
const END = new Piece('Z"');

/** Converts `2026-11-15 04:56:40.12+00` to `"2026-11-15T04:56:40.12Z"`. */
function momentOr(through: JsonForm): JsonForm {
  return (out, row, start) => {
    if (!isPlainMoment(row.chunk, start, row.end)) return through(out, row, start);
    const { chunk, end } = row;
    out.byte(QUOTE);
    out.copy(chunk, start, start + DATE_SIZE);
    out.byte(LETTER_BIG_T);
    out.copy(chunk, start + DATE_SIZE + 1, end - 3);
    out.piece(END);
  };
}

function isPlainMoment({ view }: Chunk, start: number, end: number): boolean {
  return (
    end - start > DATE_SIZE + 4 &&
    view.getUint8(start + DATE_SIZE) === SPACE &&
    view.getUint8(end - 3) === PLUS &&
    view.getUint8(end - 2) === ZERO &&
    view.getUint8(end - 1) === ZERO
  );
}

const PLUS = '+'.charCodeAt(0);

/** The slices of a long list. */
export interface JsonSlices {
  /** The approximate number of bytes that it holds before the first slice is taken. */
  readonly size: number;
  /** Null after the last one. A promise where something has to be read for it first. */
  next(): Buffer | null | Promise<Buffer | null>;
}

/** The size in bytes. A slice ends with the record that reaches it. */
export const SLICE = 64 * 1024;

/** The text before and after a list. */
export interface Around {
  readonly before: string;
  readonly behind: string;
}
