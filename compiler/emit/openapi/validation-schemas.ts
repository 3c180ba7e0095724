/**
 * Validators as JSON Schema. Only what holds exactly is said in keywords: what they allow passes the validator, what they
 * forbid does not. The rest is said in words.
 */

import {
  ALPHANUMERIC,
  type BuiltInValidator,
  EMAIL,
  LONGEST_EMAIL,
  LONGEST_URL,
  URL_START,
  UUID,
  VALIDATORS,
} from '../../definition/contract/validators.ts';
import type { Type, Validation } from '../../definition/expression.ts';
import { longestTextFor, readPattern } from '../../definition/pattern.ts';
import type { Schema } from './document.ts';

export interface Limits {
  /** The keywords for a value that is not null and has its type. */
  readonly keywords: Schema;
  /** Sentences about what the keywords do not cover. */
  readonly unsaid: readonly string[];
}

const NO_LIMITS: Limits = { keywords: {}, unsaid: [] };

export function limitsOf(validation: Validation | null, type: Type): Limits {
  return validation === null ? NO_LIMITS : partOf(validation, type);
}

function partOf(validation: Validation, type: Type): Limits {
  switch (validation.kind) {
    case 'and':
      return allOf(validation.parts.map((part) => partOf(part, type)));
    case 'or':
      return anyOf(validation, type);
    case 'not':
      return notOf(validation, type);
    case 'check':
      return checkOf(validation, type);
  }
}

function allOf(parts: readonly Limits[]): Limits {
  return {
    keywords: parts.map(({ keywords }) => keywords).reduce(bothOf, {}),
    unsaid: parts.flatMap(({ unsaid }) => unsaid),
  };
}

function anyOf(validation: Extract<Validation, { kind: 'and' | 'or' }>, type: Type): Limits {
  const parts = validation.parts.map((part) => partOf(part, type));
  if (!parts.every(isExact)) return inWords(validation);
  return { keywords: { anyOf: parts.map(({ keywords }) => keywords) }, unsaid: [] };
}

function notOf(validation: Extract<Validation, { kind: 'not' }>, type: Type): Limits {
  const part = partOf(validation.part, type);
  return isExact(part) ? { keywords: { not: part.keywords }, unsaid: [] } : inWords(validation);
}

function isExact({ unsaid }: Limits): boolean {
  return unsaid.length === 0;
}

function inWords(validation: Validation, keywords: Schema = {}): Limits {
  return { keywords, unsaid: [`Must ${phraseOf(validation)}.`] };
}

// ── Single checks ───────────────────────────────────────────────────────────────────────────────────────────────────

type Check = Extract<Validation, { kind: 'check' }>;
type Constant = string | number | boolean;

function checkOf(check: Check, type: Type): Limits {
  const { validator, value } = check;
  if (typeof validator !== 'string' || value !== null) return inWords(check);
  if (validator === 'distinct') return distinctOf(check, type);
  if (validator === 'isUrl') return inWords(check, { maxLength: LONGEST_URL, pattern: URL_START });
  const keywords = KEYWORDS[validator](
    check.arguments.map((each) => (each.kind === 'literal' ? each.value : null)),
    type,
  );
  return keywords === null ? inWords(check) : { keywords, unsaid: [] };
}

/** The keywords; null if none have the same meaning. */
type Keywords = (args: readonly (Constant | null)[], type: Type) => Schema | null;

const KEYWORDS: Readonly<Record<Exclude<BuiltInValidator, 'isUrl' | 'distinct'>, Keywords>> = {
  min: ([least], type) => (isNumeric(type) && typeof least === 'number' ? { minimum: least } : null),
  max: ([most], type) => (isNumeric(type) && typeof most === 'number' ? { maximum: most } : null),
  minLength: ([least], type) => (isText(type) && isCount(least) ? { minLength: least } : null),
  maxLength: ([most], type) => (isText(type) && isCount(most) ? { maxLength: most } : null),
  pattern: ([pattern], type) => (isText(type) && typeof pattern === 'string' ? patternKeywords(pattern) : null),
  isEmail: (_, type) => (isText(type) ? { format: 'email', maxLength: LONGEST_EMAIL, pattern: EMAIL } : null),
  isUuid: (_, type) => (isText(type) ? { format: 'uuid', pattern: UUID } : null),
  alphanumeric: (_, type) => (isText(type) ? { pattern: ALPHANUMERIC } : null),
  oneOf: (values, type) => (areExact(values, type) ? { enum: [...new Set(values)] } : null),
  isEqual: (values, type) => (areExact(values, type) ? { const: values[0] } : null),
  isNotEqual: (values, type) => (areExact(values, type) ? { not: { const: values[0] } } : null),
  minItems: ([least], { many }) => (many && isCount(least) ? { minItems: least } : null),
  maxItems: ([most], { many }) => (many && isCount(most) ? { maxItems: most } : null),
};

/**
 * The keyword for distinct items. Equal JSON is an equal value, but a decimal or a UUID can be written in several ways.
 */
function distinctOf(check: Check, type: Type): Limits {
  const keywords: Schema = { uniqueItems: true };
  return type.kind in JSON_TYPES ? { keywords, unsaid: [] } : inWords(check, keywords);
}

/**
 * The keywords of a pattern. The server compares a large pattern with short texts only; for others the limit is far
 * beyond any sent text.
 */
function patternKeywords(pattern: string): Schema {
  const read = readPattern(pattern);
  const longest = 'size' in read ? longestTextFor(read) : Number.POSITIVE_INFINITY;
  return longest < FAR_BEYOND ? { maxLength: longest, pattern } : { pattern };
}

const FAR_BEYOND = 100_000;

/** Whether JSON has it as a number. Decimals are texts in JSON, in which `1.0` and `1` differ. */
function isNumeric({ kind }: Type): boolean {
  return kind === 'integer' || kind === 'float';
}

function isText({ kind }: Type): boolean {
  return kind === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0;
}

/** Whether two values are equal exactly if their JSON is equal: a UUID may also be sent in capitals. */
function areExact(values: readonly (Constant | null)[], { kind }: Type): boolean {
  const type = JSON_TYPES[kind];
  return type !== undefined && values.length > 0 && values.every((value) => typeof value === type);
}

const JSON_TYPES: Readonly<Partial<Record<Type['kind'], string>>> = {
  string: 'string',
  enum: 'string',
  integer: 'number',
  float: 'number',
  boolean: 'boolean',
};

// ── Both of two schemas ─────────────────────────────────────────────────────────────────────────────────────────────

const STRICTER: Readonly<Partial<Record<keyof Schema, (a: number, b: number) => number>>> = {
  minimum: Math.max,
  minLength: Math.max,
  minItems: Math.max,
  maxItems: Math.min,
  maximum: Math.min,
  maxLength: Math.min,
};

/** The schema that both allow. A keyword that both have goes into `allOf`, unless one of the two is stricter. */
export function bothOf(one: Schema, other: Schema): Schema {
  const shared = Object.keys(other).filter((key) => key in one) as (keyof Schema)[];
  const merged: Schema = { ...one, ...other };
  if (shared.length === 0) return merged;
  if (!shared.every((key) => key in STRICTER)) return { ...one, allOf: [...(one.allOf ?? []), other] };
  return { ...merged, ...Object.fromEntries(shared.map((key) => [key, stricter(key, one, other)])) };
}

function stricter(key: keyof Schema, one: Schema, other: Schema): number {
  return STRICTER[key]?.(one[key] as number, other[key] as number) ?? 0;
}

// The requirements of a validator in words, for those that JSON Schema cannot express.

/** The words after `must`. */
export function phraseOf(validation: Validation): string {
  switch (validation.kind) {
    case 'and':
    case 'or':
      return validation.parts.map(innerPhrase).join(` ${validation.kind} `);
    case 'not':
      return `not ${innerPhrase(validation.part)}`;
    case 'check':
      return checkPhrase(validation);
  }
}

function innerPhrase(validation: Validation): string {
  const isJoined = validation.kind === 'and' || validation.kind === 'or';
  return isJoined ? `(${phraseOf(validation)})` : phraseOf(validation);
}

function checkPhrase({ validator, arguments: given }: Check): string {
  const args = given.flatMap((argument) => (argument.kind === 'literal' ? [argument.value] : []));
  // Others are known only when the program runs.
  const isKnown = args.length === given.length;
  if (typeof validator === 'object')
    return `pass \`${validator.own}${isKnown ? `(${args.map(shown).join(', ')})` : ''}\``;
  if (!isKnown) return `pass \`${validator}\``;
  const { phrase, isNegation } = VALIDATORS[validator];
  return `${isNegation ? 'not ' : ''}${phrase(args, shown)}`;
}

function shown(value: unknown): string {
  return JSON.stringify(value);
}
