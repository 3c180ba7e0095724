/** One row for each type: how its values come in, are compared and go out. A new type is a new row. */

import { digitsPhrase, fittedDigits } from '../../compiler/definition/digits.ts';
import type { Type } from '../../compiler/definition/expression.ts';
import type { StoredFile } from '../../compiler/definition/files.ts';
import { canonicalDecimal, compareNumbers, decimalFromNumber } from './decimal.ts';
import { floatText } from './float.ts';
import { faultOfJson, isList, isSameJson, isSameList, jsonText, UNSTORABLE } from './json.ts';
import {
  canonicalDate,
  canonicalTimestamp,
  compareDates,
  compareTimestamps,
  timestampFromDate,
  timestampFromPostgres,
} from './moment.ts';
import { compareTexts, isStorable } from './text.ts';
import { canonicalUuid } from './uuid.ts';
import type { Value } from './value.ts';

export type Checked =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string; readonly isOutOfRange?: true };

/** `values` are those of an enum. */
type Check = (value: unknown, values: readonly string[]) => Checked;

/** No function here is called with null, and none but those of `json` know lists. */
interface Kind {
  /** Checks what a client sends as JSON. */
  readonly check: Check;
  /** Checks what a client sends in a path or a query string. Absent where `check` does that too. */
  readonly checkText?: (text: string) => Checked;
  /** Checks what custom code returns. Absent where `check` does that too. */
  readonly checkCode?: (value: unknown) => Checked;
  /** The one form of a text, where a value can be written in several ways. */
  readonly canonical?: (text: string) => string | null;
  readonly compare: (a: Value, b: Value, values: readonly string[]) => number;
  readonly isSame: (a: Value, b: Value) => boolean;
  /** Prints a value as `stringify` does. */
  readonly print: (value: Value) => string;
  /** Prints a value as Postgres reads it. */
  readonly bind: (value: Value) => string;
  /** Whether that may have characters in it which COPY reads as something else. */
  readonly isFreeText: boolean;
  /** Parses what Postgres prints. */
  readonly parse: (text: string) => Value;
  /** How the bytes that Postgres prints become JSON. */
  readonly json: 'as-it-is' | 'quoted' | 'number' | 'truth' | 'moment';
}

function accepted(value: Value): Checked {
  return { ok: true, value };
}

function refused(message: string): Checked {
  return { ok: false, message };
}

export const identical = (a: Value, b: Value): boolean => a === b;

// ── Texts ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const byText = (compare: (a: string, b: string) => number) => compare as (a: Value, b: Value) => number;

const TEXT = {
  compare: byText(compareTexts),
  isSame: identical,
  print: String,
  bind: String,
  isFreeText: true,
  parse: (text: string): Value => text,
  json: 'quoted',
} as const;

function stringValue(value: unknown): Checked {
  if (typeof value !== 'string') return refused('must be a string');
  return isStorable(value) ? accepted(value) : refused(UNSTORABLE);
}

function enumValue(value: unknown, values: readonly string[]): Checked {
  if (typeof value === 'string' && values.includes(value)) return accepted(value);
  return refused(`must be one of ${values.join(', ')}`);
}

/** A text in JSON, of a form that needs no escapes. */
function formed(canonical: (text: string) => string | null, message: string) {
  const refusal = refused(message);
  const check = (value: unknown): Checked => {
    const text = typeof value === 'string' ? canonical(value) : null;
    return text === null ? refusal : accepted(text);
  };
  return { ...TEXT, isFreeText: false, canonical, check };
}

// ── Numbers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

const NUMBER = {
  compare: compareNumbers,
  isSame: identical,
  isFreeText: false,
  parse: Number,
  json: 'number',
} as const;

function integerValue(value: unknown): Checked {
  if (typeof value !== 'number' || (Number.isFinite(value) && !Number.isInteger(value)))
    return refused('must be an integer');
  // Adding zero makes 0 of -0.
  return Number.isSafeInteger(value) ? accepted(value + 0) : refused(UNSAFE);
}

const UNSAFE = `must be between -${Number.MAX_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;

function floatValue(value: unknown): Checked {
  if (typeof value !== 'number') return refused('must be a number');
  return Number.isFinite(value) ? accepted(value) : refused('is too large for a float');
}

/** Parses a number. Any other text stays a text, which `check` rejects. */
const numberIn = (form: RegExp, text: string): unknown => (form.test(text) ? Number(text) : text);

const INTEGER = /^-?\d+$/;
/** The form of numbers in JSON, but with any number of leading zeros. */
const FLOAT = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

const DECIMAL = formed(canonicalDecimal, 'must be a decimal as a string, such as "12.50"');

/** Reads a decimal without the quotes that it has in JSON. */
function decimalFromText(text: string): Checked {
  const checked = DECIMAL.check(text);
  return checked.ok ? checked : refused('must be a decimal, such as 12.50');
}

function isSameDecimal(a: Value, b: Value): boolean {
  return a === b || (isNumeric(a) && isNumeric(b) && compareNumbers(a, b) === 0);
}

function isNumeric(value: Value): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
}

// ── Truth and time ──────────────────────────────────────────────────────────────────────────────────────────────────

function booleanValue(value: unknown): Checked {
  return typeof value === 'boolean' ? accepted(value) : refused('must be true or false');
}

const TIMESTAMP = formed(canonicalTimestamp, 'must be a timestamp with a zone, such as "2026-03-29T12:30:00Z"');

function timestampOf(value: unknown): unknown {
  return value instanceof Date && !Number.isNaN(value.getTime()) ? timestampFromDate(value) : value;
}

// ── JSON ────────────────────────────────────────────────────────────────────────────────────────────────────────────

function jsonValue(value: unknown): Checked {
  const fault = faultOfJson(value);
  return fault === null ? accepted(value as Value) : refused(fault);
}

function parsedJson(text: string, check: (value: unknown) => Checked): Checked {
  try {
    return check(JSON.parse(text));
  } catch {
    return refused('must be JSON');
  }
}

/** Converts a value through JSON, so that dates and objects with a `toJSON` are what a client would see. */
function jsonFromCode(value: unknown): Checked {
  if (value instanceof Date) return jsonValue(timestampOf(value));
  try {
    const text: string | undefined = JSON.stringify(value, finite);
    return text === undefined ? refused(NOT_JSON) : jsonValue(JSON.parse(text));
  } catch {
    return refused(NOT_JSON);
  }
}

/** `JSON.stringify` would make null of infinity. */
function finite(_: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('not a number of JSON');
  return value;
}

const NOT_JSON = 'must be a value that JSON can say';

/** Compares values of custom code: only numbers and texts have an order. */
function compareAny(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  throw new Error(`${typeof a} and ${typeof b} cannot be compared`);
}

function printAny(value: Value): string {
  if (typeof value === 'number') return floatText(value);
  return typeof value === 'object' ? jsonText(value) : String(value);
}

const JSON_KIND: Kind = {
  check: jsonValue,
  checkText: (text) => parsedJson(text, jsonValue),
  checkCode: jsonFromCode,
  compare: compareAny,
  isSame: isSameJson,
  print: jsonText,
  bind: (value) => JSON.stringify(value),
  isFreeText: true,
  parse: (text) => JSON.parse(text) as Value,
  json: 'as-it-is',
};

// ── Files ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const UPLOADED = 'must be the `file` of an upload';
const WRITTEN = 'must be what `files.write` has returned';

/** What `context.db.files.write` has returned. A client sends the id of its upload. */
function fileFromCode(value: unknown): Checked {
  const { id, name, type, size } = (value ?? {}) as Partial<StoredFile>;
  const isFile = canonicalUuid(String(id)) === id && typeof name === 'string' && typeof type === 'string';
  return isFile && integerValue(size).ok ? accepted({ id, name, type, size } as Value) : refused(WRITTEN);
}

// ── All of them ─────────────────────────────────────────────────────────────────────────────────────────────────────

export const KINDS: Readonly<Record<Type['kind'], Kind>> = {
  string: { ...TEXT, check: stringValue },
  integer: {
    ...NUMBER,
    check: integerValue,
    checkText: (text) => integerValue(numberIn(INTEGER, text)),
    checkCode: (value) => integerValue(typeof value === 'bigint' ? Number(value) : value),
    print: String,
    bind: String,
  },
  float: {
    ...NUMBER,
    check: floatValue,
    checkText: (text) => floatValue(numberIn(FLOAT, text)),
    print: (value) => floatText(value as number),
    bind: (value) => (Object.is(value, -0) ? '-0' : String(value)),
  },
  boolean: {
    check: booleanValue,
    checkText: (text) => booleanValue(text === 'true' || (text === 'false' ? false : text)),
    compare: (a, b) => Number(a) - Number(b),
    isSame: identical,
    print: String,
    bind: (value) => (value === true ? 't' : 'f'),
    isFreeText: false,
    parse: (text) => text === 't' || text === 'true',
    json: 'truth',
  },
  decimal: {
    ...DECIMAL,
    checkText: decimalFromText,
    checkCode: (value) => DECIMAL.check(Number.isFinite(value) ? decimalFromNumber(value as number) : value),
    compare: compareNumbers,
    isSame: isSameDecimal,
  },
  timestamp: {
    ...TIMESTAMP,
    checkCode: (value) => TIMESTAMP.check(timestampOf(value)),
    compare: byText(compareTimestamps),
    parse: timestampFromPostgres,
    json: 'moment',
  },
  date: { ...formed(canonicalDate, 'must be a date, such as "2026-03-29"'), compare: byText(compareDates) },
  uuid: formed(canonicalUuid, 'must be a UUID'),
  json: JSON_KIND,
  file: { ...JSON_KIND, check: formed(canonicalUuid, UPLOADED).check, checkCode: fileFromCode },
  enum: {
    ...TEXT,
    check: enumValue,
    compare: (a, b, values) => values.indexOf(a as string) - values.indexOf(b as string),
  },
  record: JSON_KIND,
  any: { ...JSON_KIND, print: printAny },
};

// The functions that print values as Postgres reads their types. One is chosen for a type.

/** A bound value: a text as Postgres reads it, or a list of such texts for an array parameter. */
export type Bound = string | null | readonly (string | null)[];

export function binderOf({ kind, many }: Type): (value: Value) => Bound {
  const { bind } = KINDS[kind];
  const one = (value: Value) => (value === null ? null : bind(value));
  return many ? (value) => (value === null ? null : (value as readonly Value[]).map(one)) : one;
}

/** A list becomes an array literal. Every element is quoted, so that `NULL`, braces and empty texts stay what they are. */
export function textFromBound(bound: Bound): string | null {
  return bound === null || typeof bound === 'string' ? bound : `{${bound.map(elementText).join(',')}}`;
}

function elementText(element: string | null): string {
  return element === null ? 'NULL' : `"${element.replace(/[\\"]/g, '\\$&')}"`;
}

// The functions that read what Postgres prints. One is chosen for a type, then called for every value of a row.

export function parserOf({ kind, many }: Type): (text: string | null) => Value {
  const parse = many ? listParser(kind) : KINDS[kind].parse;
  return (text) => (text === null ? null : parse(text));
}

/** A list is printed as a JSON array, in which decimals and moments are texts. */
function listParser(kind: Type['kind']): (text: string) => Value {
  const { json, parse } = KINDS[kind];
  if (json !== 'moment') return KINDS.json.parse;
  return (text) => (JSON.parse(text) as (string | null)[]).map((item) => item && parse(item));
}

/** The order of the values of a type, as in the database; neither may be null. */
export function comparatorOf(
  { kind, enum: name }: Type,
  enumValues: (name: string) => readonly string[],
): (a: Value, b: Value) => number {
  const { compare } = KINDS[kind];
  const values = name === undefined ? [] : enumValues(name);
  return (a, b) => compare(a, b, values);
}

/**
 * Whether two values are equal. Two nulls are. Decimals are compared by value, JSON without regard to the order of
 * keys.
 */
export function equal(a: Value, b: Value, type?: Type): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  const isSame = type ? KINDS[type.kind].isSame : isSameJson;
  return type?.many && isList(a) && isList(b) ? isSameList(a, b, isSame) : isSame(a, b);
}

// Values from outside become values of a type, in their canonical form, or are rejected with a sentence.

/** The values of an enum, in their order. */
export type EnumValues = (name: string) => readonly string[];

/** Checks what a client sends as JSON. The caller decides about null: here it fits no type but `json`. */
export function checkValue(value: unknown, type: Type, enumValues: EnumValues): Checked {
  return checkAny(value, type, enumValues, KINDS[type.kind].check);
}

/** Checks what custom code returns: it accepts more forms than from a client, and is as strict in the end. */
export function fitsType(value: unknown, type: Type, enumValues: EnumValues): Checked {
  const { checkCode, check } = KINDS[type.kind];
  return checkAny(value, type, enumValues, checkCode ?? check);
}

/** The value of a parameter of the path or of the query, where everything arrives as text. */
export function valueFromText(text: string, type: Type, enumValues: EnumValues): Checked {
  if (type.many) return parsedJson(text, (value) => checkValue(value, type, enumValues));
  const { checkText } = KINDS[type.kind];
  return checkText ? sized(checkText(text), type) : checkValue(text, type, enumValues);
}

const NO_VALUES: readonly string[] = [];

function checkAny(value: unknown, type: Type, enumValues: EnumValues, check: Check): Checked {
  const { enum: name, many, digits } = type;
  const values = name === undefined ? NO_VALUES : enumValues(name);
  const one: Check = digits ? (item) => sized(check(item, values), type) : check;
  return many ? checkList(value, values, one) : one(value, values);
}

/** Removes the limit of digits for a comparison: any decimal can be compared. */
export function unsized({ digits: _, ...type }: Type): Type {
  return type;
}

/** Fits a decimal to its number of digits, with all its places. */
function sized(checked: Checked, { digits }: Type): Checked {
  if (!digits || !checked.ok) return checked;
  const fitted = fittedDigits(String(checked.value), digits);
  return fitted === null ? { ok: false, message: digitsPhrase(digits), isOutOfRange: true } : accepted(fitted);
}

/** The sentence on the first item that does not fit says which one it is. */
function checkList(value: unknown, values: readonly string[], check: Check): Checked {
  if (!isList(value)) return refused('must be a list');
  const found: Value[] = [];
  for (const [index, item] of value.entries()) {
    const checked = check(item, values);
    if (!checked.ok) return refused(`item ${index + 1} ${checked.message}`);
    found.push(checked.value);
  }
  return accepted(found);
}
