/**
 * The text that stands for a place in a list: a version, a checksum, and the values of the order as Postgres prints them,
 * so that none of them changes on its way through a client. The checksum is made with the list and its order. It finds
 * what is of another list, or was altered by accident; it keeps nobody from making a cursor, which is why the values are
 * checked and bound like any other. Clients can read them: the compiler sees to it that the response shows them, too.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { OrderItem, Type } from '../../compiler/definition/expression.ts';
import { canonicalDecimal } from '../values/decimal.ts';
import { canonicalDate, canonicalTimestamp } from '../values/moment.ts';
import { isStorable } from '../values/text.ts';
import { canonicalUuid } from '../values/uuid.ts';

/** The values of the order of one record. */
export type Keys = readonly (string | null)[];

/** The id of the record alone where its values are too long for a URL: they are read again. */
type Place = Keys | { readonly id: string };

export interface Cursors {
  textOf(keys: Keys): string;
  /** Null where the text is no cursor of this list in this order. */
  placeIn(text: string): Place | null;
}

const VERSION = 1;
const CHECKSUM_SIZE = 6;
const HEAD_SIZE = 1 + CHECKSUM_SIZE;

/** In characters. Servers and proxies take URLs of about 8,000. */
const LONGEST_CURSOR = 2_000;

/** `list` is a name that no other list of the application has. The order ends with the id. */
export function cursorsOf(list: string, order: readonly OrderItem[]): Cursors {
  const about = JSON.stringify([list, order]);
  const checksumOf = (json: string) =>
    createHash('sha256').update(about).update(json).digest().subarray(0, CHECKSUM_SIZE);
  const cursorOf = (place: unknown): string => {
    const json = JSON.stringify(place);
    return Buffer.concat([Buffer.of(VERSION), checksumOf(json), Buffer.from(json)]).toString('base64url');
  };
  return {
    textOf(keys) {
      const text = cursorOf(keys);
      return text.length > LONGEST_CURSOR ? cursorOf({ id: keys.at(-1) }) : text;
    },
    placeIn(text) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length <= HEAD_SIZE || bytes[0] !== VERSION) return null;
      const json = bytes.toString('utf8', HEAD_SIZE);
      return checksumOf(json).equals(bytes.subarray(1, HEAD_SIZE)) ? placeFrom(jsonFrom(json), order) : null;
    },
  };
}

function placeFrom(value: unknown, order: readonly OrderItem[]): Place | null {
  if (areKeys(value, order)) return value;
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return id !== null && areKeys([id], order.slice(-1)) ? { id: String(id) } : null;
}

function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function areKeys(values: unknown, order: readonly OrderItem[]): values is Keys {
  if (!Array.isArray(values) || values.length !== order.length) return false;
  return values.every((value: unknown, at) => {
    const { type } = (order[at] as OrderItem).value;
    return value === null || (typeof value === 'string' && isStorable(value) && ARE_PRINTED[type.kind](value));
  });
}

const anyText = () => true;
const never = () => false;

/** Whether Postgres prints such a value of the type. Of what no input can be, it prints words, and years of other lengths. */
const ARE_PRINTED: Readonly<Record<Type['kind'], (text: string) => boolean>> = {
  string: anyText,
  enum: anyText,
  integer: (text) => /^-?\d{1,19}$/.test(text),
  float: (text) => NO_NUMBER.test(text) || (FLOAT.test(text) && Number.isFinite(Number(text))),
  decimal: (text) => NO_NUMBER.test(text) || canonicalDecimal(text) !== null,
  boolean: (text) => /^[tf]$/.test(text),
  timestamp: (text) => ENDLESS.test(text) || isPrintedTimestamp(text),
  date: (text) => ENDLESS.test(text) || canonicalDate(text) !== null || FAR_DATE.test(text),
  uuid: (text) => canonicalUuid(text) === text,
  json: never,
  record: never,
  any: never,
};

const NO_NUMBER = /^(-?Infinity|NaN)$/;
const FLOAT = /^-?\d+(\.\d+)?(e[+-]\d+)?$/;
const ENDLESS = /^-?infinity$/;
const FAR_DATE = /^(\d{5,7}-\d\d-\d\d|\d{4,7}-\d\d-\d\d BC)$/;
const TIMESTAMP = /^(\d{4,6}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?)[+-](?:0\d|1[0-5])(?::[0-5]\d){0,2}( BC)?$/;

function isPrintedTimestamp(text: string): boolean {
  const [, day = '', time, era = ''] = TIMESTAMP.exec(text) ?? [];
  if (canonicalTimestamp(`2000-01-01T${time}Z`) === null) return false;
  return canonicalDate(day) !== null || FAR_DATE.test(day + era);
}
