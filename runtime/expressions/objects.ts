/** Objects of values, and what is read of them. */
import type { MemberOf, ObjectOf } from '../../compiler/definition/definition.ts';
import { isList } from '../values/json.ts';
import type { Value } from '../values/value.ts';
import { type Compiled, nary, unary } from './compiled.ts';
import type { Operand } from './fit.ts';

export function objectOf({ members }: ObjectOf, values: readonly Compiled[]): Compiled {
  const names = members.map(({ name }) => name);
  return nary(values, (found) => {
    const object: Record<string, Value> = {};
    for (let at = 0; at < names.length; at++) object[names[at] as string] = found[at] ?? null;
    return object;
  });
}

export function memberOf({ name }: MemberOf, of: Operand): Compiled {
  const read = (value: Value) => ownMember(value, name);
  return unary(of, of.type.many ? (values) => (isList(values) ? values.map(read) : []) : read);
}

/** Never what an object has from its prototype, and nothing of a list, whose length is its own. */
function ownMember(value: Value, name: string): Value {
  if (value === null || typeof value !== 'object' || isList(value) || !Object.hasOwn(value, name)) return null;
  return value[name] ?? null;
}
