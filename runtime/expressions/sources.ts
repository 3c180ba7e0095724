/** Where values come from: the text of the program, the request, and the records that were found. */
import type { Argument, InputValue, Literal, Snapshot, Type } from '../../compiler/definition/definition.ts';
import { canonicalDecimal } from '../values/decimal.ts';
import { isList } from '../values/json.ts';
import { canonicalTimestamp } from '../values/timestamp.ts';
import { canonicalUuid } from '../values/uuid.ts';
import type { Value } from '../values/value.ts';
import { type Compiled, constant, synchronous } from './compiled.ts';
import { resultName, type Scope } from './scope.ts';

const AUTH = '@auth';

export function literalOf({ value, type }: Literal): Compiled {
  if (typeof value !== 'string') return constant(value);
  return constant(CANONICAL[type.kind](value) ?? value);
}

const asWritten = (text: string): string => text;

/** Of a value that can be written in several ways, the one that all comparisons see. */
const CANONICAL: Readonly<Record<Type['kind'], (text: string) => string | null>> = {
  string: asWritten,
  integer: asWritten,
  float: asWritten,
  boolean: asWritten,
  decimal: canonicalDecimal,
  timestamp: canonicalTimestamp,
  date: asWritten,
  uuid: canonicalUuid,
  json: asWritten,
  enum: asWritten,
  record: asWritten,
  any: asWritten,
};

export function inputOf({ path }: InputValue): Compiled {
  const [first = '', second] = path;
  if (second === undefined) return synchronous(({ inputs }) => ownValue(inputs, first));
  return synchronous(({ inputs }) => ownValue(ownValue(inputs, first), second));
}

export function argumentOf({ name }: Argument): Compiled {
  return synchronous((_, args) => ownValue(args, name));
}

/** Names are the author's, and may be those of something that every object has. */
function ownValue(holder: unknown, name: string): Value {
  if (holder === null || typeof holder !== 'object' || !Object.hasOwn(holder, name)) return null;
  return (holder as Readonly<Record<string, Value>>)[name] ?? null;
}

export function authenticated(): Compiled {
  return synchronous((scope) => isThere(scope, AUTH));
}

function isThere({ records }: Scope, name: string): boolean {
  return ownValue(records, name) !== null;
}

export function snapshotOf({ record, read, type }: Snapshot): Compiled {
  const none: Value = type.many ? [] : null;
  if (read === null) {
    const result = resultName(record);
    return synchronous(({ records }) => ownValue(records, result) ?? none);
  }
  // A list in a field of type `json` is one value.
  const isOneValue = type.kind === 'json';
  return synchronous(({ records }) => {
    const found = ownValue(records, record);
    if (isList(found)) return joined(found, read, isOneValue);
    return found === null ? none : (ownValue(found, read) ?? none);
  });
}

function joined(found: readonly Value[], read: string, isOneValue: boolean): Value {
  const values = found.map((snapshot) => ownValue(snapshot, read));
  return isOneValue ? values : values.flatMap((value) => (isList(value) ? value : [value]));
}
