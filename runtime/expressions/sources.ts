/** Where values come from: the text of the program, the request, and the records that were found. */
import type { Argument, InputValue, Literal, Snapshot } from '../../compiler/definition/expression.ts';
import { isList } from '../values/json.ts';
import { KINDS } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { type Compiled, constant, synchronous } from './compiled.ts';
import { resultName, type Scope } from './scope.ts';

const AUTH = '@auth';

/** Of a value that can be written in several ways, all comparisons see the same one. */
export function literalOf({ value, type }: Literal): Compiled {
  if (typeof value !== 'string') return constant(value);
  return constant(KINDS[type.kind].canonical?.(value) ?? value);
}

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
  if (read === null) {
    const result = resultName(record);
    // A list that custom code gives may be null, if it says so.
    const nothing: Value = type.many && !type.nullable ? [] : null;
    return synchronous(({ records }) => ownValue(records, result) ?? nothing);
  }
  const none: Value = type.many ? [] : null;
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
