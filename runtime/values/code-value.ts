/** What custom code gives becomes a value of a type: wider than what a client may send, and as strict in the end. */
import type { Type } from '../../compiler/definition/definition.ts';
import { decimalFromNumber } from './decimal.ts';
import { type Checked, type CheckOne, checkList, checkValue, type EnumValues, refused } from './input-value.ts';
import { timestampFromDate } from './timestamp.ts';

/** Null is for the caller to judge. */
export function fitsType(value: unknown, type: Type, enumValues: EnumValues): Checked {
  return type.many ? checkList(value, type, enumValues, fitsOne) : fitsOne(value, type, enumValues);
}

const fitsOne: CheckOne = (value, type, enumValues) => {
  const one: Type = type.many ? { kind: type.kind, ...(type.enum === undefined ? {} : { enum: type.enum }) } : type;
  switch (type.kind) {
    case 'timestamp':
      return checkValue(timestampOf(value), one, enumValues);
    case 'decimal':
      return checkValue(isFiniteNumber(value) ? decimalFromNumber(value) : value, one, enumValues);
    case 'integer':
      return checkValue(typeof value === 'bigint' ? Number(value) : value, one, enumValues);
    case 'json':
    case 'record':
    case 'any':
      return fitsJson(value, one, enumValues);
    default:
      return checkValue(value, one, enumValues);
  }
};

function timestampOf(value: unknown): unknown {
  return value instanceof Date && !Number.isNaN(value.getTime()) ? timestampFromDate(value) : value;
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** What JSON makes of it, so that dates and objects with a `toJSON` are what a client would see. */
function fitsJson(value: unknown, type: Type, enumValues: EnumValues): Checked {
  if (value instanceof Date) return checkValue(timestampOf(value), type, enumValues);
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? refused(NOT_JSON) : checkValue(JSON.parse(text), type, enumValues);
  } catch {
    return refused(NOT_JSON);
  }
}

const NOT_JSON = 'must be a value that JSON can say';
