/** One check of a validation: what is looked at, the arguments, the question, and what the client is told. */
import { VALIDATORS } from '../../compiler/definition/contract/validators.ts';
import type { Expression, Type, Validation, Validator } from '../../compiler/definition/expression.ts';
import { memoized } from '../../compiler/definition/memo.ts';
import { hasTrait } from '../../compiler/definition/scalars.ts';
import { decimalFromNumber } from '../values/decimal.ts';
import { lengthOf } from '../values/text.ts';
import type { Value } from '../values/value.ts';
import { BUILT_IN_CHECKS } from './built-in-checks.ts';
import { compileExpression } from './compile-expression.ts';
import { type Compiled, constant, type Environment, type NonNull, nary } from './compiled.ts';
import {
  type CompiledValidation,
  type Failure,
  inTurn,
  NONE,
  type ValidationEnvironment,
} from './compiled-validation.ts';
import { linearPattern } from './linear-pattern.ts';
import type { Question } from './question.ts';
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
  const check = subject.isAsync
    ? async (_: Value, scope: Scope) => validation.check((await subject.run(scope)) as Value, scope)
    : (_: Value, scope: Scope) => validation.check(subject.run(scope) as Value, scope);
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
  const isAsync = question.isAsync || args.isAsync || (subject?.isAsync ?? false);
  return isAsync ? asyncCheck(subject, args, question, judged) : syncCheck(subject, args, question, judged);
}

type Judged = (holds: boolean, args: readonly Value[]) => readonly Failure[];

function syncCheck(subject: Compiled | null, args: Compiled, { holds }: Question, judged: Judged): CompiledValidation {
  const check = (given: Value, scope: Scope) => {
    const value = (subject ? subject.run(scope) : given) as Value;
    if (value === null) return NONE;
    const values = args.run(scope) as readonly Value[];
    return judged(holds(value, values, scope) as boolean, values);
  };
  return { isAsync: false, check };
}

function asyncCheck(subject: Compiled | null, args: Compiled, { holds }: Question, judged: Judged): CompiledValidation {
  const check = async (given: Value, scope: Scope) => {
    const value = (subject ? await subject.run(scope) : given) as Value;
    if (value === null) return NONE;
    const values = (await args.run(scope)) as readonly Value[];
    return judged(await holds(value, values, scope), values);
  };
  return { isAsync: true, check };
}

/** Those that are written out are evaluated here, once. */
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

/** What was read, sent or given by custom code may be secret, so only what the program says itself is repeated. */
function isTellable(expression: Expression): boolean {
  return !UNTOLD.includes(expression.kind) && partsOf(expression).every(isTellable);
}

const UNTOLD: readonly Expression['kind'][] = ['snapshot', 'input', 'hook'];

// ── Own validator ────────────────────────────────────────────────────────────────────────────────────────────────────

/** What a validator asserts is compiled once for all the fields and inputs that have it. */
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
    holds: isAsync
      ? async (value, args, scope) => (await run(scope, bound(value, args))) === true
      : (value, args, scope) => run(scope, bound(value, args)) === true,
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
