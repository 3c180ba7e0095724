/** The validators of the language: when they hold, and how they are said behind `must` or `must not`. */

import type { BuiltInValidator, Type } from '../../compiler/definition/definition.ts';
import { LONGEST_EMAIL, LONGEST_URL } from '../../compiler/definition/text-limits.ts';
import { compareNumbers } from '../values/decimal.ts';
import { equal } from '../values/equal.ts';
import { lengthOf } from '../values/text.ts';
import { canonicalUuid } from '../values/uuid.ts';
import type { Value } from '../values/value.ts';
import type { NonNull } from './compiled.ts';
import { linearPattern } from './linear-pattern.ts';
import type { Words } from './question.ts';

interface BuiltInCheck extends Words {
  readonly holds: (value: NonNull, args: readonly Value[], type: Type) => boolean;
}

export const BUILT_IN_CHECKS: Readonly<Record<BuiltInValidator, BuiltInCheck>> = {
  min: {
    holds: (value, [least = null]) => least !== null && compareNumbers(value, least) >= 0,
    params: ([min = null]) => ({ min }),
    phrase: ([min = null]) => `be at least ${min}`,
    plainPhrase: 'be large enough',
  },
  max: {
    holds: (value, [most = null]) => most !== null && compareNumbers(value, most) <= 0,
    params: ([max = null]) => ({ max }),
    phrase: ([max = null]) => `be at most ${max}`,
    plainPhrase: 'be small enough',
  },
  minLength: {
    holds: (value, [least = null]) => least !== null && lengthOf(String(value)) >= Number(least),
    params: ([min = null]) => ({ min }),
    phrase: ([min = null]) => `have at least ${characters(min)}`,
    plainPhrase: 'be long enough',
  },
  maxLength: {
    holds: (value, [most = null]) => most !== null && lengthOf(String(value)) <= Number(most),
    params: ([max = null]) => ({ max }),
    phrase: ([max = null]) => `have at most ${characters(max)}`,
    plainPhrase: 'be short enough',
  },
  pattern: {
    holds: (value, [pattern = null]) => pattern !== null && linearPattern(String(pattern)).matches(String(value)),
    params: ([pattern = null]) => ({ pattern }),
    phrase: ([pattern = null]) => `match the pattern ${pattern}`,
    plainPhrase: 'match the pattern',
  },
  isEmail: ofForm('be an email address', isEmail),
  isUrl: ofForm('be a URL that begins with http:// or https://', isUrl),
  isUuid: ofForm('be a UUID', (text) => canonicalUuid(text) !== null),
  alphanumeric: ofForm('have only letters from a to z and digits', (text) => /^[A-Za-z0-9]+$/.test(text)),
  oneOf: {
    holds: (value, choices, type) => choices.some((choice) => equal(value, choice, type)),
    params: (values) => ({ values }),
    phrase: (values) => `be one of ${values.join(', ')}`,
    plainPhrase: 'be one of the allowed values',
  },
  isEqual: {
    holds: (value, [expected = null], type) => equal(value, expected, type),
    params: ([value = null]) => ({ value }),
    phrase: ([value = null]) => `be ${value}`,
    plainPhrase: 'be the expected value',
  },
  isNotEqual: {
    holds: (value, [expected = null], type) => !equal(value, expected, type),
    params: ([value = null]) => ({ value }),
    phrase: ([value = null]) => `be ${value}`,
    plainPhrase: 'be this value',
    isNegation: true,
  },
};

function ofForm(phrase: string, holds: (text: string) => boolean): BuiltInCheck {
  return { holds: (value) => holds(String(value)), params: () => ({}), phrase: () => phrase, plainPhrase: phrase };
}

function characters(count: Value): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const LOCAL_PART = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}$/i;
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})+$`, 'i');

/** As browsers have it, with a dot in the domain and the lengths of RFC 5321. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  return (
    text.length <= LONGEST_EMAIL && LOCAL_PART.test(text.slice(0, Math.max(at, 0))) && DOMAIN.test(text.slice(at + 1))
  );
}

/** What `URL` forgives, such as white space around it, is not forgiven here. */
function isUrl(text: string): boolean {
  return text.length <= LONGEST_URL && /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text);
}
