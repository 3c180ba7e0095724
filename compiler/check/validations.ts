/** `validate { minLength(4) and (isEmail() or alphanumeric()) }`: calls joined by `and`, `or`, `not`. */

import type * as ast from '../ast/ast.ts';
import type { BuiltInValidator, ValidatorAlias } from '../definition/contract/validators.ts';
import { PATTERN_LIMITS, readPattern } from '../definition/pattern.ts';
import { type NearName, nearWord } from '../diagnostics/words/near-name.ts';
import { checksIn } from '../program/parts.ts';
import type { Expression, Type, Validation, Validator } from '../program/program.ts';
import { INTEGER, isAny, isNumber, item, many, nonNull, STRING, sameBase, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import type { Context } from './context.ts';
import { checkFitting, hasRightCount, widens } from './fitting.ts';
import type { Scope } from './scope.ts';

/**
 * The subject of a validation: the value of a field, or, in an action, the first argument of each call. Inside a
 * combination it is the value that the combination validates; `within` has the combinations around it.
 */
type Subject = { readonly within?: readonly string[] } & (
  | { readonly kind: 'field'; readonly name: string; readonly type: Type }
  | { readonly kind: 'argument' }
  | { readonly kind: 'value'; readonly value: Expression }
);

export function checkValidation(
  context: Context,
  written: ast.Expression,
  subject: Subject,
  scope: Scope,
): Validation | undefined {
  if (written.kind === 'binary' && (written.operator === 'and' || written.operator === 'or')) {
    const parts = [written.left, written.right].map((side) => checkValidation(context, side, subject, scope));
    const sound = parts.filter((part) => part !== undefined);
    if (sound.length < 2) return undefined;
    const joined: Validation = { kind: written.operator, parts: sound };
    return written.operator === 'or' ? unmixed(context, joined, subject, written.span) : joined;
  }
  if (written.kind === 'unary' && written.operator === 'not') {
    const part = checkValidation(context, written.operand, subject, scope);
    return part && unmixed(context, { kind: 'not', part }, subject, written.span);
  }
  if (written.kind === 'call' && written.function.steps.length === 1)
    return checkCheck(context, written, subject, scope);
  return reportNoValidator(context, written, subject);
}

/** Reports validators of a list and of its items that are joined by anything but `and`. */
function unmixed(context: Context, validation: Validation, { kind }: Subject, span: Span): Validation | undefined {
  if (kind !== 'field') return validation;
  const names = checksIn(validation).map(({ validator }) => validator.name);
  const ofList = names.find(isOfLists);
  const ofItems = names.find((name) => !isOfLists(name));
  if (ofList === undefined || ofItems === undefined) return validation;
  return context.report('mixed-list-validators', span, { ofList, ofItems });
}

function isOfLists(name: string): boolean {
  return isBuiltInValidator(name) && BUILT_INS[name].ofLists;
}

function reportNoValidator(context: Context, { kind, span, ...written }: ast.Expression, subject: Subject): undefined {
  const name = kind === 'path' && 'steps' in written && written.steps.length === 1 ? written.steps[0].text : '';
  const isKnown = isBuiltInValidator(name) || context.validators.has(name);
  context.report('not-a-validator', span, {
    validator: isKnown ? name : undefined,
    isText: kind === 'string',
    isAction: subject.kind === 'argument',
  });
}

function checkCheck(context: Context, call: ast.Call, subject: Subject, scope: Scope): Validation | undefined {
  const name = call.function.steps[0];
  const builtIn = isBuiltInValidator(name.text) ? BUILT_INS[name.text] : undefined;
  const validator = context.validators.get(name.text);
  if (!builtIn && !validator) {
    const near = meantValidator(name.text, [...BUILT_IN_VALIDATORS, ...context.validators.keys()]);
    return context.report('unknown-validator', name.span, { name: name.text, near, builtIn: BUILT_IN_NAMES });
  }
  context.witness?.meant(name.span, { kind: 'validator', name: name.text, validator: builtIn ? undefined : validator });
  const given = subject.kind === 'value' ? subject.value : undefined;
  const value = subject.kind === 'argument' ? checkSubject(context, call, scope) : given;
  if (subject.kind === 'argument' && !value) return undefined;
  // Most validators of a list check each of its items.
  const ofField = subject.kind === 'field' && (isOfLists(name.text) ? subject.type : item(subject.type));
  const type = ofField || (value as Expression).type;
  const by = subject.kind === 'field' ? `\`${subject.name}\`` : 'this value';
  const written = subject.kind === 'argument' ? call.arguments.slice(1) : call.arguments;
  if (context.combinations.byName.has(name.text)) {
    if (!hasRightCount(context, call, { fewest: 0, most: 0 }, written.length)) return undefined;
    if (subject.within?.includes(name.text)) return context.report('endless-validator', name.span, { name: name.text });
    return checkCombination(context, name.text, value ? { ...subject, kind: 'value', value } : subject, scope);
  }
  const place: ValidationContext = { context, call, scope, type, by, written };
  return builtIn ? checkBuiltIn(place, builtIn, value) : checkOwn(place, validator as Validator, value);
}

/** Checks a combination as if it were written out. A mistake inside it is reported once, however often it is used. */
export function checkCombination(
  context: Context,
  name: string,
  subject: Subject,
  scope: Scope,
): Validation | undefined {
  const { byName, told } = context.combinations;
  const report: Context['report'] = (code, span, facts) => {
    const key = `${code} ${span.file} ${span.start} ${'by' in facts ? facts.by : ''}`;
    if (!told.has(key)) context.report(code, span, facts);
    told.add(key);
  };
  const within = [...(subject.within ?? []), name];
  return checkValidation({ ...context, report }, byName.get(name) as ast.Expression, { ...subject, within }, scope);
}

function meantValidator(name: string, known: readonly string[]): NearName | undefined {
  const word = name.toLowerCase().replaceAll('_', '');
  const [foreign] = Object.entries(OTHER_NAMES).find(([, others]) => others.includes(word)) ?? [];
  return foreign ? { name: foreign } : nearWord(name, known);
}

/** Names of these validators in other libraries. */
const OTHER_NAMES: Readonly<Partial<Record<BuiltInValidator, readonly string[]>>> = {
  isEmail: ['email'],
  isUrl: ['url', 'uri'],
  isUuid: ['uuid'],
  pattern: ['regex', 'matches', 'regexp'],
  alphanumeric: ['alnum'],
  oneOf: ['inlist', 'choices'],
  min: ['gte', 'minimum', 'minvalue'],
  max: ['lte', 'maximum', 'maxvalue'],
  minLength: ['lengthmin'],
  maxLength: ['lengthmax'],
};

interface ValidationContext {
  readonly context: Context;
  readonly call: ast.Call;
  readonly scope: Scope;
  /** The type of the value that is validated. */
  readonly type: Type;
  readonly by: string;
  readonly written: readonly ast.Expression[];
}

function checkSubject(context: Context, call: ast.Call, scope: Scope): Expression | undefined {
  const [first] = call.arguments;
  if (first) return context.checkExpression(context, first, scope);
  return context.report('validator-without-value', call.span, { name: call.function.steps[0].text });
}

interface BuiltInSignature {
  readonly name: BuiltInValidator;
  /** Whether it validates a list as a whole. */
  readonly ofLists: boolean;
  readonly accepts: (type: Type) => boolean;
  readonly wants: string;
  /** The types of the arguments, from the type of the value. `'many'` takes any number of them, or one list. */
  readonly arguments: (type: Type) => readonly Type[] | 'many';
}

const isText = (type: Type) => type.base.kind === 'string';
const isWhole = (type: Type) => type.base.kind === 'integer';
const isFloat = (type: Type) => type.base.kind === 'float';
const isBoolean = (type: Type) => type.base.kind === 'boolean';
const isAnyValue = (type: Type) => type.base.kind !== 'record' && type.base.kind !== 'json';
const itself = (type: Type) => [nonNull(type)];
const length = () => [INTEGER];
const nothing = () => [];

const entry = (
  name: BuiltInValidator,
  accepts: (type: Type) => boolean,
  wants: string,
  args: BuiltInSignature['arguments'],
): BuiltInSignature => ({ name, ofLists: false, accepts, wants, arguments: args });

const listEntry = (name: BuiltInValidator, args: BuiltInSignature['arguments']): BuiltInSignature => ({
  ...entry(name, ({ many: isMany, base }) => isMany && base.kind !== 'record', 'a list', args),
  ofLists: true,
});

/** The names of a built-in validator. */
export type ValidatorName = BuiltInValidator | ValidatorAlias;

const BUILT_INS: Readonly<Record<ValidatorName, BuiltInSignature>> = {
  min: entry('min', isNumber, 'a number', itself),
  max: entry('max', isNumber, 'a number', itself),
  minInt: entry('min', isWhole, 'an integer', itself),
  maxInt: entry('max', isWhole, 'an integer', itself),
  minFloat: entry('min', isFloat, 'a float', itself),
  maxFloat: entry('max', isFloat, 'a float', itself),
  minLength: entry('minLength', isText, 'a string', length),
  maxLength: entry('maxLength', isText, 'a string', length),
  pattern: entry('pattern', isText, 'a string', () => [STRING]),
  isEmail: entry('isEmail', isText, 'a string', nothing),
  isUrl: entry('isUrl', isText, 'a string', nothing),
  isUuid: entry('isUuid', isText, 'a string', nothing),
  alphanumeric: entry('alphanumeric', isText, 'a string', nothing),
  oneOf: entry('oneOf', isAnyValue, 'a single value', () => 'many'),
  isEqual: entry('isEqual', isAnyValue, 'a single value', itself),
  isNotEqual: entry('isNotEqual', isAnyValue, 'a single value', itself),
  minItems: listEntry('minItems', length),
  maxItems: listEntry('maxItems', length),
  distinct: listEntry('distinct', nothing),
  isEqualInt: entry('isEqual', isWhole, 'an integer', itself),
  isEqualFloat: entry('isEqual', isFloat, 'a float', itself),
  isEqualString: entry('isEqual', isText, 'a string', itself),
  isEqualBool: entry('isEqual', isBoolean, 'a boolean', itself),
};

/** The names of the built-in validators, with the aliases. */
export const BUILT_IN_VALIDATORS = Object.keys(BUILT_INS) as readonly ValidatorName[];

/** The names of the built-in validators, without the aliases. */
const BUILT_IN_NAMES = [...new Set(Object.values(BUILT_INS).map(({ name }) => name))];

function checkBuiltIn(
  place: ValidationContext,
  signature: BuiltInSignature,
  value: Expression | undefined,
): Validation | undefined {
  const { context, type } = place;
  if (!isAny(type) && (type.many !== signature.ofLists || !signature.accepts(type)))
    return reportWrongType(place, signature.wants);
  const wanted = signature.arguments(type);
  const args = wanted === 'many' ? checkChoices(place) : checkArguments(place, wanted);
  if (!args) return undefined;
  if (signature.name === 'pattern') checkPattern(context, args[0]);
  return { kind: 'check', validator: { kind: 'built-in', name: signature.name }, value, arguments: args };
}

function reportWrongType({ context, call, type, by }: ValidationContext, wants: string): undefined {
  const validator = call.function.steps[0].text;
  return context.report('validator-on-wrong-type', call.span, { validator, wants, by, type: typeName(type) });
}

function checkArguments(place: ValidationContext, wanted: readonly Type[]): readonly Expression[] | undefined {
  const { context, call, scope, written } = place;
  const name = call.function.steps[0].text;
  const { length } = wanted;
  if (!hasRightCount(context, call, { fewest: length, most: length }, written.length)) return undefined;
  return written.map((argument, index) =>
    checkFitting(context, argument, scope, { type: wanted[index] as Type, by: `\`${name}\``, takes: true }),
  );
}

/** `oneOf("a", "b")` and `oneOf(["a", "b"])` say the same. */
function checkChoices(place: ValidationContext): readonly Expression[] | undefined {
  const { context, call, scope, written, type } = place;
  const [only] = written;
  if (!hasRightCount(context, call, { fewest: 1, most: 99 }, written.length) || !only) return undefined;
  const choices = written.length === 1 && only.kind === 'list' ? only.items : written;
  const wanted = { type: item(many(nonNull(type))), by: '`oneOf`', takes: true };
  return choices.map((choice) => checkFitting(context, choice, scope, wanted));
}

/** The pattern must be one that the server can read; it is tried here. */
function checkPattern(context: Context, argument: Expression | undefined): void {
  if (argument?.kind !== 'literal' || typeof argument.value !== 'string') {
    if (argument && !isAny(argument.type)) context.report('pattern-not-literal', argument.span, {});
    return;
  }
  try {
    new RegExp(argument.value, 'u');
    checkIsLinear(context, argument.value, argument.span);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    context.report('bad-pattern', argument.span, { reason: error.message });
  }
}

function checkIsLinear(context: Context, pattern: string, span: Span): void {
  const read = readPattern(pattern);
  if (!('problem' in read)) return;
  const { kind, part, at } = read.problem;
  const character = [...pattern.slice(0, at)].length + 1;
  context.report('unsupported-pattern', span, { kind, part, character, most: PATTERN_LIMITS[kind] });
}

function checkOwn(place: ValidationContext, validator: Validator, value?: Expression): Validation | undefined {
  const { type } = place;
  const [first, ...rest] = validator.arguments;
  if (!first) return undefined;
  const fits = isAny(type) || isAny(first.type) || sameBase(first.type.base, type.base) || widens(type, first.type);
  if (!fits || type.many) return reportWrongType(place, typeName(first.type));
  const args = checkArguments(
    place,
    rest.map((argument) => argument.type),
  );
  return args && { kind: 'check', validator, value, arguments: args };
}

export function isBuiltInValidator(name: string): name is ValidatorName {
  return Object.hasOwn(BUILT_INS, name);
}
