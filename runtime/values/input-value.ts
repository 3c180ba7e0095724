/** What a client sends as JSON becomes a value of a type, in its canonical form, or is refused with a sentence. */
import type { Type } from '../../compiler/definition/definition.ts';
import { canonicalDate } from './date.ts';
import { canonicalDecimal } from './decimal.ts';
import { faultOfJson, isList, UNSTORABLE } from './json.ts';
import { isStorable } from './text.ts';
import { canonicalTimestamp } from './timestamp.ts';
import { canonicalUuid } from './uuid.ts';
import type { Value } from './value.ts';

export type Checked = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly message: string };

/** The values of an enum, in their order. */
export type EnumValues = (name: string) => readonly string[];

/** Null is for the caller to judge: here it fits no type but `json`. */
export function checkValue(value: unknown, type: Type, enumValues: EnumValues): Checked {
  return type.many ? checkList(value, type, enumValues, checkOne) : checkOne(value, type, enumValues);
}

export type CheckOne = (value: unknown, type: Type, enumValues: EnumValues) => Checked;

/** The sentence on the first item that does not fit says which one it is. */
export function checkList(value: unknown, type: Type, enumValues: EnumValues, checkItem: CheckOne): Checked {
  if (!isList(value)) return refused('must be a list');
  const values: Value[] = [];
  for (const [index, item] of value.entries()) {
    const checked = checkItem(item, type, enumValues);
    if (!checked.ok) return refused(`item ${index + 1} ${checked.message}`);
    values.push(checked.value);
  }
  return accepted(values);
}

const checkOne: CheckOne = (value, type, enumValues) => {
  if (type.kind === 'enum') return enumValue(value, enumValues(type.enum ?? ''));
  return CHECKS[type.kind](value);
};

function accepted(value: Value): Checked {
  return { ok: true, value };
}

export function refused(message: string): Checked {
  return { ok: false, message };
}

function enumValue(value: unknown, values: readonly string[]): Checked {
  if (typeof value === 'string' && values.includes(value)) return accepted(value);
  return refused(`must be one of ${values.join(', ')}`);
}

function stringValue(value: unknown): Checked {
  if (typeof value !== 'string') return refused('must be a string');
  return isStorable(value) ? accepted(value) : refused(UNSTORABLE);
}

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

function booleanValue(value: unknown): Checked {
  return typeof value === 'boolean' ? accepted(value) : refused('must be true or false');
}

function jsonValue(value: unknown): Checked {
  const fault = faultOfJson(value);
  return fault === null ? accepted(value as Value) : refused(fault);
}

/** Of a type that is a text in JSON. */
function textValue(canonical: (text: string) => string | null, message: string): (value: unknown) => Checked {
  const refusal = refused(message);
  return (value) => {
    const text = typeof value === 'string' ? canonical(value) : null;
    return text === null ? refusal : accepted(text);
  };
}

const CHECKS: Readonly<Record<Exclude<Type['kind'], 'enum'>, (value: unknown) => Checked>> = {
  string: stringValue,
  integer: integerValue,
  float: floatValue,
  boolean: booleanValue,
  decimal: textValue(canonicalDecimal, 'must be a decimal as a string, such as "12.50"'),
  timestamp: textValue(canonicalTimestamp, 'must be a timestamp with a zone, such as "2026-03-29T12:30:00Z"'),
  date: textValue(canonicalDate, 'must be a date, such as "2026-03-29"'),
  uuid: textValue(canonicalUuid, 'must be a UUID'),
  json: jsonValue,
  record: jsonValue,
  any: jsonValue,
};
