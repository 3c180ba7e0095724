/** What comes from outside becomes a value of a type, in its canonical form, or is refused with a sentence. */
import type { Type } from '../../compiler/definition/expression.ts';
import { isList } from './json.ts';
import { accepted, type Check, type Checked, KINDS, parsedJson, refused } from './kinds.ts';
import type { Value } from './value.ts';

/** The values of an enum, in their order. */
export type EnumValues = (name: string) => readonly string[];

/** What a client sends as JSON. Null is for the caller to judge: here it fits no type but `json`. */
export function checkValue(value: unknown, type: Type, enumValues: EnumValues): Checked {
  return checkAny(value, type, enumValues, KINDS[type.kind].check);
}

/** What custom code gives: wider than what a client may send, and as strict in the end. */
export function fitsType(value: unknown, type: Type, enumValues: EnumValues): Checked {
  const { checkCode, check } = KINDS[type.kind];
  return checkAny(value, type, enumValues, checkCode ?? check);
}

/** The value of a parameter of the path or of the query, where everything arrives as text. */
export function valueFromText(text: string, type: Type, enumValues: EnumValues): Checked {
  if (type.many) return parsedJson(text, (value) => checkValue(value, type, enumValues));
  const { checkText } = KINDS[type.kind];
  return checkText ? checkText(text) : checkValue(text, type, enumValues);
}

const NO_VALUES: readonly string[] = [];

function checkAny(value: unknown, { enum: name, many }: Type, enumValues: EnumValues, check: Check): Checked {
  const values = name === undefined ? NO_VALUES : enumValues(name);
  return many ? checkList(value, values, check) : check(value, values);
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
