/** Calls of the functions of the language, and of faker in populators. */

import type * as ast from '../ast/ast.ts';
import { UNITS } from '../definition/contract/functions.ts';
import { VALIDATORS } from '../definition/contract/validators.ts';
import { isPeriod, PERIODS, type Unit } from '../definition/functions.ts';
import { type NearName, nearName, nearWord } from '../diagnostics/words/near-name.ts';
import { type Call, type Expression, FUNCTIONS, type FunctionName, type Type } from '../program/program.ts';
import {
  BOOLEAN,
  FLOAT,
  holdsRecord,
  INTEGER,
  isAny,
  isJoinable,
  isListValue,
  isMoment,
  isNumber,
  isOrdered,
  item,
  nonNull,
  nullable,
  STRING,
  sameBase,
  scalar,
  typeName,
  unsized,
} from '../program/type.ts';
import { type Context, isReported, pathText, reported, textOf } from './context.ts';
import { checkFakerCall } from './faker-calls.ts';
import { type Arity, checkCondition, hasRightCount, reportArgument, widens } from './fitting.ts';
import { checkFold, isFolding } from './groups.ts';
import { isLiteral } from './literals.ts';
import { checkRuleCall } from './named-rules.ts';
import { factsWhen } from './narrowing.ts';
import { at, POSITIONS, type Scope, withFacts } from './scope.ts';
import { checkSettingCall, SETTING, settingMeantBy } from './settings.ts';

export function checkCall(context: Context, call: ast.Call, scope: Scope, expected: Type | undefined): Expression {
  const [first] = call.function.steps;
  if (first.text === 'faker') return checkFakerCall(context, call, scope, expected);
  const isPlain = call.function.steps.length === 1;
  if (isPlain && first.text === SETTING) return checkSettingCall(context, call, scope);
  const name = first.text as FunctionName;
  const rule = isPlain ? context.rules.byName.get(name) : undefined;
  if (rule) return checkRuleCall(context, call, rule, scope);
  if (!isPlain || !isFunctionAt(scope, name)) return reportUnknownFunction(context, call, scope);
  context.witness?.meant(first.span, { kind: 'function', name });
  if (scope.grouped && isFolding(name)) return checkFold(context, call, name, scope.grouped, scope.saidInputs);
  const signature = SIGNATURES[name];
  if (signature.codeOnly && scope.position.runs === 'database')
    return context.report('code-only-function', call.span, { name, noun: scope.position.noun }) ?? reported(call.span);
  const args = (signature.arguments ?? checkArguments)(context, call, scope, expected);
  if (!hasRightCount(context, call, signature, call.arguments.length)) return reported(call.span);
  const found = signature.type(args, { context, call, name, expected });
  const type = found && unsized(found);
  return type
    ? ({ kind: 'call', function: name, arguments: args, type, span: call.span } satisfies Call)
    : reported(call.span);
}

function checkArguments(context: Context, call: ast.Call, scope: Scope): readonly Expression[] {
  return call.arguments.map((argument) => context.checkExpression(context, argument, scope));
}

/**
 * Checks arguments of one type. Literals take it from the place or from the first argument that is none, as with the
 * sides of an operator.
 */
function checkAlike(context: Context, call: ast.Call, scope: Scope, expected?: Type): readonly Expression[] {
  const check = (argument: ast.Expression, hint?: Type) => context.checkExpression(context, argument, scope, hint);
  const first = call.arguments.find((argument) => !isLiteral(argument)) ?? call.arguments[0];
  const known = first && check(first, expected);
  const hint = expected ?? known?.type;
  return call.arguments.map((argument) => (known && argument === first ? known : check(argument, hint)));
}

interface CallContext {
  readonly context: Context;
  readonly call: ast.Call;
  readonly name: FunctionName;
  readonly expected: Type | undefined;
}

interface Signature extends Arity {
  readonly codeOnly?: true;
  readonly populatorOnly?: true;
  /** Checks the arguments, if each has rules of its own. */
  readonly arguments?: typeof checkAlike;
  readonly type: (args: readonly Expression[], place: CallContext) => Type | undefined;
}

/** The signature of a duration by itself. `checkMove` handles durations that are added to a date or a timestamp. */
const DURATION: Signature = {
  fewest: 1,
  most: 1,
  type: (_, { context, call, name }) => context.report('stray-duration', call.span, { name }),
};

/** Some functions are there for populators alone. */
export function functionsAt(scope: Scope | undefined): readonly FunctionName[] {
  return FUNCTIONS.filter((name) => isFunctionAt(scope, name));
}

function isFunctionAt(scope: Scope | undefined, name: FunctionName): boolean {
  return Object.hasOwn(SIGNATURES, name) && (scope?.position.faker || !SIGNATURES[name].populatorOnly);
}

/** Whether the function runs only in the server, so it cannot be used in a computation of the database. */
export function isCodeOnly(name: FunctionName): boolean {
  return SIGNATURES[name].codeOnly ?? false;
}

/** What an argument may be, and its words in a message. */
const KINDS = {
  text: [isText, 'a string'],
  integer: [isInteger, 'an integer'],
  number: [isNumber, 'a number'],
  numeral: [(type: Type) => isNumber(type) || isText(type), 'a number or a string'],
  moment: [(type: Type) => isMoment(type) || isAny(type), 'a date or a timestamp'],
  joinable: [isJoinable, 'something that joins to a string'],
  single: [(type: Type) => !holdsRecord(type), 'a single value'],
  ordered: [(type: Type) => type.base.kind === 'null' || isOrdered(type), 'a number, a string, a date or a timestamp'],
} as const;

/** A function of these arguments. It gives null where it is given null. */
function of(takes: readonly (keyof typeof KINDS)[], result: Type): Signature {
  return {
    fewest: takes.length,
    most: takes.length,
    type: (args, place) => {
      const isRight = args.every((argument, at) => isKind(argument, takes[at] ?? 'single', place));
      return isRight ? nullLike(args, result) : undefined;
    },
  };
}

/** Whether it is of that kind, which is reported otherwise. */
function isKind(argument: Expression, kind: keyof typeof KINDS, { context, call }: CallContext): boolean {
  const [holds, wants] = KINDS[kind];
  const isRight = !argument.type.many && holds(argument.type);
  if (!isRight) reportArgument(context, call, argument, wants);
  return isRight;
}

const SIGNATURES: Readonly<Record<FunctionName, Signature>> = {
  length: of(['text'], INTEGER),
  lower: of(['text'], STRING),
  upper: of(['text'], STRING),
  trim: of(['text'], STRING),
  replace: of(['text', 'text', 'text'], STRING),
  substring: of(['text', 'integer', 'integer'], STRING),
  padStart: of(['text', 'integer', 'text'], STRING),
  slugify: of(['text'], STRING),
  contains: of(['text', 'text'], BOOLEAN),
  startsWith: of(['text', 'text'], BOOLEAN),
  endsWith: of(['text', 'text'], BOOLEAN),
  stringify: { fewest: 1, most: 1, type: (args, place) => (allAre(args, 'single', place) ? STRING : undefined) },
  now: {
    fewest: 0,
    most: 0,
    type: (_, { expected }) => (expected?.base.kind === 'integer' ? INTEGER : scalar('timestamp')),
  },
  today: { fewest: 0, most: 0, type: () => scalar('date') },
  ...(Object.fromEntries(UNITS.map((unit) => [unit, DURATION])) as Record<Unit, Signature>),
  // A date counts as its beginning, in UTC.
  secondsBetween: { ...of(['moment', 'moment'], INTEGER), arguments: checkMoments },
  daysBetween: { ...of(['moment', 'moment'], INTEGER), arguments: checkMoments },
  startOf: { fewest: 2, most: 2, arguments: checkStart, type: startOfType },
  // Unlike `+`, it treats null as an empty string.
  concat: { fewest: 1, most: 99, type: (args, place) => (allAre(args, 'joinable', place) ? STRING : undefined) },
  coalesce: { fewest: 2, most: 99, arguments: checkAlike, type: coalesceType },
  if: { fewest: 3, most: 3, arguments: checkChoice, type: choiceType },
  greatest: { fewest: 2, most: 99, arguments: checkAlike, type: greatestType },
  least: { fewest: 2, most: 99, arguments: checkAlike, type: greatestType },
  round: { fewest: 1, most: 2, type: roundType },
  ceil: { fewest: 1, most: 1, type: roundType },
  floor: { fewest: 1, most: 1, type: roundType },
  abs: { fewest: 1, most: 1, type: (args, place) => (allAre(args, 'number', place) ? args[0]?.type : undefined) },
  integer: { fewest: 1, most: 1, type: (args, place) => readNumberType(args, place, INTEGER) },
  decimal: { fewest: 1, most: 1, type: (args, place) => readNumberType(args, place, scalar('decimal')) },
  count: { fewest: 1, most: 1, type: countType },
  exists: { fewest: 1, most: 1, type: (args, place) => (isCollection(args[0], place) ? BOOLEAN : undefined) },
  sum: { fewest: 1, most: 1, type: (args, place) => overNumbers(args[0], place) },
  avg: { fewest: 1, most: 1, type: averageType },
  min: { fewest: 1, most: 1, type: extremeType },
  max: { fewest: 1, most: 1, type: extremeType },
  cryptoHash: { ...of(['text'], STRING), codeOnly: true },
  cryptoCompare: { ...of(['text', 'text'], BOOLEAN), codeOnly: true },
  cryptoToken: {
    fewest: 0,
    most: 1,
    codeOnly: true,
    type: (args, place) => (allAre(args, 'integer', place) ? STRING : undefined),
  },
  oneOf: { fewest: 1, most: 1, populatorOnly: true, arguments: checkPicked, type: pickedType },
};

function checkPicked(context: Context, call: ast.Call, scope: Scope): readonly Expression[] {
  return call.arguments.map((argument) => context.checkExpression(context, argument, at(scope, POSITIONS.picked)));
}

function pickedType([argument]: readonly Expression[], place: CallContext): Type | undefined {
  if (argument?.kind === 'path' && argument.type.many && holdsRecord(argument.type)) return item(argument.type);
  return argument && reportArgument(place.context, place.call, argument, 'the records of a relation');
}

function isInteger(type: Type): boolean {
  return type.base.kind === 'integer' || isAny(type);
}

function isText(type: Type): boolean {
  return type.base.kind === 'string' || isAny(type);
}

function nullLike(args: readonly Expression[], type: Type | undefined): Type | undefined {
  return type && args.some((argument) => argument.type.nullable) ? nullable(type) : type;
}

/** The type of a number that is read from a text: nullable, because the text may not be a number. */
function readNumberType(args: readonly Expression[], place: CallContext, result: Type): Type | undefined {
  if (!allAre(args, 'numeral', place)) return undefined;
  return args.every(({ type }) => !type.nullable && isNumber(type) && !isAny(type)) ? result : nullable(result);
}

/** The type of `greatest` and `least`. Nulls are ignored, as in `max`. */
function greatestType(args: readonly Expression[], place: CallContext): Type | undefined {
  return allAre(args, 'ordered', place) ? coalesceType(args, place) : undefined;
}

function allAre(args: readonly Expression[], kind: keyof typeof KINDS, place: CallContext): boolean {
  return args.every((argument) => isKind(argument, kind, place));
}

/** The type of `count`, which also counts the items of a list. */
function countType([argument]: readonly Expression[], place: CallContext): Type | undefined {
  if (argument && isListValue(argument)) return argument.type.nullable ? nullable(INTEGER) : INTEGER;
  return isCollection(argument, place) ? INTEGER : undefined;
}

function isCollection(argument: Expression | undefined, place: CallContext): argument is Expression {
  if (!argument) return false;
  const isRead = argument.kind === 'path' || argument.kind === 'member';
  const fits = isAny(argument.type) || (argument.type.many && isRead && !isListValue(argument));
  if (!fits) reportArgument(place.context, place.call, argument, 'a collection');
  return fits;
}

function overNumbers(argument: Expression | undefined, place: CallContext): Type | undefined {
  if (!isCollection(argument, place)) return undefined;
  if (isNumber(argument.type)) return { ...argument.type, many: false };
  return reportArgument(place.context, place.call, argument, 'a collection of numbers');
}

function averageType([argument]: readonly Expression[], place: CallContext): Type | undefined {
  const type = overNumbers(argument, place);
  if (!type) return undefined;
  return nullable(type.base.kind === 'decimal' ? type : FLOAT);
}

function extremeType([argument]: readonly Expression[], place: CallContext): Type | undefined {
  if (!isCollection(argument, place)) return undefined;
  if (isOrdered(argument.type)) return nullable(item(argument.type));
  return reportArgument(place.context, place.call, argument, 'a collection of numbers, strings, dates or timestamps');
}

/** The number of a duration. */
export function checkDurationCount(context: Context, call: ast.Call, scope: Scope): Expression | undefined {
  const [{ text, span }] = call.function.steps;
  const name = text as FunctionName;
  context.witness?.meant(span, { kind: 'function', name });
  const args = call.arguments.map((argument) => context.checkExpression(context, argument, scope, INTEGER));
  if (!hasRightCount(context, call, DURATION, args.length)) return undefined;
  const [count] = args as [Expression];
  if (isReported(count)) return undefined;
  return allAre(args, 'integer', { context, call, name, expected: INTEGER }) ? count : undefined;
}

/** What is expected of the call is no moment. */
function checkMoments(context: Context, call: ast.Call, scope: Scope): readonly Expression[] {
  return checkAlike(context, call, scope);
}

/** A moment that is a literal takes its type from the place. */
function checkStart(context: Context, call: ast.Call, scope: Scope, expected: Type | undefined): readonly Expression[] {
  const hints = [STRING, expected && isMoment(expected) ? expected : undefined];
  return call.arguments.map((argument, at) => context.checkExpression(context, argument, scope, hints[at]));
}

function startOfType(args: readonly Expression[], place: CallContext): Type | undefined {
  const [period, moment] = args as [Expression, Expression];
  const written = period.kind === 'literal' ? String(period.value) : undefined;
  const isKnown = written !== undefined && isPeriod(written);
  if (!isKnown && !isReported(period))
    return place.context.report('unknown-period', period.span, {
      period: written,
      near: written && nearWord(written, PERIODS)?.name,
      periods: PERIODS,
    });
  if (!isKnown || !isKind(moment, 'moment', place)) return undefined;
  return isAny(moment.type) ? scalar('timestamp') : moment.type;
}

function coalesceType(args: readonly Expression[], place: CallContext): Type | undefined {
  const type = commonType(args, place);
  if (!type || type.base.kind === 'null') return type;
  return args.every((argument) => argument.type.nullable) ? nullable(type) : nonNull(type);
}

/** The common type of the arguments. An integer may become a float or a decimal. */
function commonType(args: readonly Expression[], place: CallContext): Type | undefined {
  const all = args.filter(({ type }) => type.base.kind !== 'null' && !isAny(type));
  const [first] = all;
  if (!first) return (args.find(({ type }) => isAny(type)) ?? args[0])?.type;
  const known = all.find(({ type }) => widens(first.type, type)) ?? first;
  const other = all.find(({ type }) => !sameBase(type.base, known.type.base) && !widens(type, known.type));
  if (other)
    return place.context.report('mixed-arguments', other.span, {
      function: place.name,
      first: typeName(first.type),
      other: typeName(other.type),
    });
  const manyArgument = args.find(({ type }) => type.many);
  if (manyArgument) return reportArgument(place.context, place.call, manyArgument, 'a single value');
  return known.type;
}

/** The two values of an `if` rely on its condition. A literal takes its type from the other value. */
function checkChoice(context: Context, call: ast.Call, scope: Scope, expected?: Type): readonly Expression[] {
  const [condition, ...values] = call.arguments;
  if (!condition || values.length !== 2) return [];
  const checked = checkCondition(context, condition, scope, 'the condition of an `if`');
  const [then, otherwise] = values as [ast.Expression, ast.Expression];
  const value = (written: ast.Expression, outcome: boolean, hint: Type | undefined) =>
    context.checkExpression(context, written, withFacts(scope, factsWhen(checked, outcome)), expected ?? hint);
  if (isLiteral(then) && !isLiteral(otherwise)) {
    const other = value(otherwise, false, undefined);
    return [checked, value(then, true, other.type), other];
  }
  const first = value(then, true, undefined);
  return [checked, first, value(otherwise, false, first.type)];
}

function choiceType([, ...values]: readonly Expression[], place: CallContext): Type | undefined {
  return nullLike(values, commonType(values, place));
}

/**
 * The type of `round`, which rounds half away from zero. One argument gives a whole number, a second one the places to
 * keep.
 */
function roundType(args: readonly Expression[], place: CallContext): Type | undefined {
  const [value, places] = args as [Expression, Expression | undefined];
  if (!isKind(value, 'number', place) || (places && !isKind(places, 'integer', place))) return undefined;
  const type = value.type.base.kind === 'float' && !places ? INTEGER : value.type;
  return nullLike(args, type);
}

function reportUnknownFunction(context: Context, call: ast.Call, scope: Scope): Expression {
  const { steps, span } = call.function;
  const name = pathText(call.function);
  const facts = { name, functions: functionsAt(scope) };
  const isValidator = steps.length === 1 && Object.hasOwn(VALIDATORS, name);
  const method = steps.length > 1 ? calledAsMethod(call) : undefined;
  const setting = settingMeantBy(call);
  if (setting) context.report('unknown-function', call.span, { ...facts, near: setting });
  else if (isValidator) context.report('unknown-function', span, { ...facts, near: undefined, isValidator });
  else if (method) context.report('unknown-function', call.span, { ...facts, ...method });
  else
    context.report('unknown-function', span, {
      ...facts,
      near: steps.length > 1 ? undefined : meantCall(context, name),
    });
  return reported(call.span);
}

function meantCall({ rules }: Context, name: string): NearName | undefined {
  return meantFunction(name) ?? nearName(name, [...rules.byName.values(), { name: SETTING }]);
}

/** `name.toUpperCase()`, which is `upper(name)`, and `Math.round(x)`, which is `round(x)`. */
function calledAsMethod({ function: { steps, span }, arguments: args }: ast.Call) {
  const subject = textOf(steps.slice(0, -1));
  const meant = meantFunction(steps.at(-1)?.text ?? '')?.name;
  if (!meant) return undefined;
  const inside = FOREIGN_OBJECTS.has(subject) ? '' : subject;
  const [first] = args;
  if (!first) return { near: { name: `${meant}(${inside})` } };
  const head = { ...span, end: first.span.start };
  const text = inside === '' ? `${meant}(` : `${meant}(${inside}, `;
  return { near: { name: `${text}…)` }, edits: [{ span: head, text }] };
}

/** Objects that hold functions in other languages. */
const FOREIGN_OBJECTS: ReadonlySet<string> = new Set(['Math', 'Date', 'math', 'datetime', 'Time', 'String']);

function meantFunction(name: string): NearName | undefined {
  const foreign = FUNCTIONS.find((known) => OTHER_NAMES[known]?.includes(name.toLowerCase()));
  return foreign ? { name: foreign } : nearWord(name, FUNCTIONS);
}

/** The names of these functions in other languages. */
const OTHER_NAMES: Readonly<Partial<Record<FunctionName, readonly string[]>>> = {
  upper: ['touppercase', 'uppercase', 'upcase'],
  lower: ['tolowercase', 'lowercase', 'downcase'],
  trim: ['strip'],
  replace: ['replaceall', 'gsub'],
  substring: ['substr', 'slice'],
  padStart: ['lpad'],
  ceil: ['ceiling'],
  integer: ['int', 'parseint'],
  decimal: ['numeric'],
  slugify: ['slug', 'parameterize'],
  contains: ['includes', 'icontains'],
  startsWith: ['starts_with'],
  endsWith: ['ends_with'],
  stringify: ['tostring', 'to_s'],
  length: ['len'],
  if: ['iif', 'cond', 'ifelse'],
  coalesce: ['ifnull', 'nvl'],
  now: ['current_timestamp'],
  today: ['current_date'],
  avg: ['average'],
  startOf: ['date_trunc'],
  daysBetween: ['datediff'],
  days: ['day', 'interval'],
};
