/** One check of a validation: what is looked at, the arguments, the question, and what the client is told. */
import {
  ALPHANUMERIC,
  type BuiltInValidator,
  EMAIL,
  LONGEST_EMAIL,
  LONGEST_URL,
  URL_START,
  VALIDATORS,
} from '../../compiler/definition/contract/validators.ts';

import type { Expression, Type, Validation, Validator } from '../../compiler/definition/expression.ts';
import { memoized } from '../../compiler/definition/memo.ts';
import { hasTrait } from '../../compiler/definition/scalars.ts';
import { compareNumbers, decimalFromNumber } from '../values/decimal.ts';
import { areDistinct, isList } from '../values/json.ts';
import { equal } from '../values/kinds.ts';
import { lengthOf } from '../values/text.ts';
import { canonicalUuid } from '../values/uuid.ts';
import type { Value } from '../values/value.ts';
import { compileExpression } from './compile-expression.ts';
import {
  after,
  type Compiled,
  type CompiledValidation,
  constant,
  type Environment,
  type Failure,
  inTurn,
  NONE,
  type NonNull,
  nary,
  type ValidationEnvironment,
} from './compiled.ts';
import { linearPattern } from './linear-pattern.ts';
import { type Arguments, emptyScope, type Scope } from './scope.ts';
import { partsOf } from './server-only.ts';

type Check = Extract<Validation, { readonly kind: 'check' }>;

export function compileCheck(
  check: Check,
  environment: ValidationEnvironment,
  isNegated: boolean,
  subject?: Type,
): CompiledValidation {
  const [pattern] = check.arguments;
  if (check.validator !== 'pattern' || pattern?.kind !== 'literal')
    return compileQuestion(check, environment, isNegated, subject);
  const { longestText } = linearPattern(String(pattern.value));
  if (longestText === Number.POSITIVE_INFINITY) return compileQuestion(check, environment, isNegated);
  const compared = compileQuestion({ ...check, value: null }, environment, isNegated);
  const limited = inTurn(shortEnough(longestText), compared);
  return check.value ? ofSubject(compileExpression(check.value, environment), limited) : limited;
}

/** A text that is too long to be compared with a pattern fails, whether it is to match or not to match. */
function shortEnough(max: number): CompiledValidation {
  const message = `must have at most ${max} characters, because longer texts are not compared with the pattern`;
  const failures: readonly Failure[] = [{ code: 'max-length', message, params: { max } }];
  return { isAsync: false, check: (value) => (lengthOf(String(value ?? '')) > max ? failures : NONE) };
}

/** The value is worked out once, whatever is asked about it. */
function ofSubject(subject: Compiled, validation: CompiledValidation): CompiledValidation {
  const check = (_: Value, scope: Scope) =>
    after(subject.run(scope) as Value, (value) => validation.check(value, scope));
  return { isAsync: subject.isAsync || validation.isAsync, check };
}

function compileQuestion(
  check: Check,
  environment: ValidationEnvironment,
  isNegated: boolean,
  type?: Type,
): CompiledValidation {
  const subject = check.value && compileExpression(check.value, environment);
  const args = argumentsOf(check.arguments, environment);
  const question = questionOf(check, environment, check.value?.type ?? type);
  const failures = (values: readonly Value[]) => [failureOf(check, question, values, isNegated)];
  const judged = (holds: boolean, values: readonly Value[]) => (holds === isNegated ? failures(values) : NONE);
  const ask = (given: Value, scope: Scope) =>
    after((subject ? subject.run(scope) : given) as Value, (value) => {
      if (value === null) return NONE;
      return after(args.run(scope) as readonly Value[], (values) =>
        after(question.holds(value, values, scope), (holds) => judged(holds, values)),
      );
    });
  return { isAsync: question.isAsync || args.isAsync || (subject?.isAsync ?? false), check: ask };
}

/** Compiles arguments. Literals are evaluated here, once. */
function argumentsOf(args: readonly Expression[], environment: Environment): Compiled {
  const parts = args.map((argument) => compileExpression(argument, environment));
  if (!args.every(({ kind }) => kind === 'literal')) return nary(parts, (values) => values);
  return constant(parts.map((part) => part.run(emptyScope()) as Value));
}

function questionOf(
  { validator, arguments: [first] }: Check,
  environment: ValidationEnvironment,
  subject: Type | undefined,
): Question {
  if (typeof validator === 'object') return ownQuestion(environment.validator(validator.own), environment);
  const holds = BUILT_IN_CHECKS[validator];
  const { param, phrase, ...words } = VALIDATORS[validator];
  const type = words.isOfLists && subject ? subject : comparedAs(first?.type);
  return {
    ...words,
    params: (args) => (param === null ? {} : { [param]: param === 'values' ? args : (args[0] ?? null) }),
    phrase: (args) => phrase(args, String),
    isAsync: false,
    holds: (value: NonNull, args: readonly Value[]) => holds(value, args, type),
  };
}

/** Numbers are equal by value, whichever types they have. */
function comparedAs(type: Type | undefined): Type {
  return !type || hasTrait(type.kind, 'number') ? { kind: 'decimal' } : type;
}

function failureOf(check: Check, question: Question, args: readonly Value[], isNegated: boolean): Failure {
  const isTold = check.arguments.every(isTellable);
  const phrase = isTold ? question.phrase(args) : question.plainPhrase;
  const isNot = isNegated !== (question.isNegation ?? false);
  const plain = `${isNot ? 'must not' : 'must'} ${phrase}`;
  const message = isNegated ? plain : (question.message ?? plain);
  return { code: check.code, message, params: isTold ? question.params(args) : {} };
}

/**
 * Whether the value may be shown. Values that were read, sent or returned by custom code may be secret, so only those
 * of the program itself are repeated.
 */
function isTellable(expression: Expression): boolean {
  return !UNTOLD.includes(expression.kind) && partsOf(expression).every(isTellable);
}

const UNTOLD: readonly Expression['kind'][] = ['snapshot', 'input', 'request', 'hook'];

// ── Own validator ───────────────────────────────────────────────────────────────────────────────────────────────────

/** The assertion of a validator is compiled once for all the fields and inputs that have it. */
const assertsIn = memoized((environment: ValidationEnvironment) =>
  memoized(({ assert }: Validator) => compileExpression(assert, environment)),
);

/** The value is the first argument, the written ones follow. */
function ownQuestion(validator: Validator, environment: ValidationEnvironment): Question {
  const { isAsync, run } = assertsIn(environment)(validator);
  const [first, ...rest] = validator.arguments;
  const names = rest.map(({ name }) => name);
  const asFirst = first?.type.kind === 'decimal' ? decimalOf : (value: NonNull) => value;
  const bound = (value: NonNull, args: readonly Value[]): Arguments => ({
    [first?.name ?? '']: asFirst(value),
    ...named(names, args),
  });
  return {
    isAsync,
    holds: (value, args, scope) => after(run(scope, bound(value, args)), (result) => result === true),
    params: (args) => named(names, args),
    phrase: () => `satisfy ${validator.name}`,
    plainPhrase: `satisfy ${validator.name}`,
    message: validator.message,
  };
}

function named(names: readonly string[], values: readonly Value[]): Arguments {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]));
}

/** An integer fits a decimal, also where it is the value of a field itself. */
function decimalOf(value: NonNull): NonNull {
  return typeof value === 'number' ? decimalFromNumber(value) : value;
}

// ── Built in checks ─────────────────────────────────────────────────────────────────────────────────────────────────

// The checks of the validators of the language.

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
/** The beginning of a URL. `URL` accepts more, such as white space around it. */
const IS_URL_START = new RegExp(URL_START);
const IS_ALPHANUMERIC = new RegExp(ALPHANUMERIC);

function itemsOf(list: NonNull): readonly Value[] {
  return isList(list) ? list : [];
}

function isShort(text: NonNull, longest: number): boolean {
  return String(text).length <= longest;
}

// ── Question ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A validator, ready to be asked about values that are not null, and how it is said behind `must` or `must not`. */
interface Question {
  readonly isAsync: boolean;
  readonly holds: (value: NonNull, args: readonly Value[], scope: Scope) => boolean | Promise<boolean>;
  readonly params: (args: readonly Value[]) => Readonly<Record<string, Value>>;
  readonly phrase: (args: readonly Value[]) => string;
  /** The phrase where the arguments are not for the client to know. */
  readonly plainPhrase: string;
  /** Present where the phrase says the opposite of what the validator asks for. */
  readonly isNegation?: true;
  /** Present where the author has written it: said instead, unless the validator stands behind `not`. */
  readonly message?: string | undefined;
}
