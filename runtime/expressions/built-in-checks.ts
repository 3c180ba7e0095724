/** When the validators of the language hold. */

import {
  ALPHANUMERIC,
  type BuiltInValidator,
  EMAIL,
  LONGEST_EMAIL,
  LONGEST_URL,
  URL_START,
} from '../../compiler/definition/contract/validators.ts';
import type { Type } from '../../compiler/definition/expression.ts';
import { compareNumbers } from '../values/decimal.ts';
import { areDistinct } from '../values/distinct.ts';
import { equal } from '../values/equal.ts';
import { isList } from '../values/json.ts';
import { lengthOf } from '../values/text.ts';
import { canonicalUuid } from '../values/uuid.ts';
import type { Value } from '../values/value.ts';
import type { NonNull } from './compiled.ts';
import { linearPattern } from './linear-pattern.ts';

type Holds = (value: NonNull, args: readonly Value[], type: Type) => boolean;

export const BUILT_IN_CHECKS: Readonly<Record<BuiltInValidator, Holds>> = {
  min: (value, [least = null]) => least !== null && compareNumbers(value, least) >= 0,
  max: (value, [most = null]) => most !== null && compareNumbers(value, most) <= 0,
  minLength: (value, [least = null]) => least !== null && lengthOf(String(value)) >= Number(least),
  maxLength: (value, [most = null]) => most !== null && lengthOf(String(value)) <= Number(most),
  pattern: (value, [pattern = null]) => pattern !== null && linearPattern(String(pattern)).matches(String(value)),
  isEmail: (value) => isShort(value, LONGEST_EMAIL) && IS_EMAIL.test(String(value)),
  isUrl: (value) => isShort(value, LONGEST_URL) && IS_URL_START.test(String(value)) && URL.canParse(String(value)),
  isUuid: (value) => canonicalUuid(String(value)) !== null,
  alphanumeric: (value) => IS_ALPHANUMERIC.test(String(value)),
  oneOf: (value, choices, type) => choices.some((choice) => equal(value, choice, type)),
  isEqual: (value, [expected = null], type) => equal(value, expected, type),
  isNotEqual: (value, [expected = null], type) => !equal(value, expected, type),
  minItems: (list, [least = null]) => least !== null && itemsOf(list).length >= Number(least),
  maxItems: (list, [most = null]) => most !== null && itemsOf(list).length <= Number(most),
  distinct: (list, _, type) => areDistinct(itemsOf(list), type),
};

const IS_EMAIL = new RegExp(EMAIL);
/** What `URL` forgives, such as white space around it, is not forgiven here. */
const IS_URL_START = new RegExp(URL_START);
const IS_ALPHANUMERIC = new RegExp(ALPHANUMERIC);

function itemsOf(list: NonNull): readonly Value[] {
  return isList(list) ? list : [];
}

function isShort(text: NonNull, longest: number): boolean {
  return String(text).length <= longest;
}
