/** The functions of the language. */

import type { Call, Expression } from '../../compiler/definition/expression.ts';
import { isSearch, periodOf, type Unit } from '../../compiler/definition/functions.ts';
import { isList } from '../values/json.ts';
import { comparatorOf } from '../values/kinds.ts';
import { dayOf, daysBetween, moved, secondsBetween, startOf, timestampFromDate } from '../values/moment.ts';
import { lengthOf, partOfText, slugOf } from '../values/text.ts';
import { MAX_TOKEN_LENGTH, randomToken } from '../values/uuid.ts';
import type { Value } from '../values/value.ts';
import { extreme } from './aggregate.ts';
import { absolute, decimalOf, integerOf, integerOfDecimal, round, whole } from './arithmetic.ts';
import {
  asynchronous,
  binary,
  type Compiled,
  chosen,
  type Environment,
  firstOf,
  nary,
  strict,
  strictPair,
  synchronous,
  unary,
} from './compiled.ts';
import { fitted, knownType, type Operand, stringify } from './fit.ts';
import { outOfRange, safeInteger, shortEnough, shortPart } from './out-of-range.ts';
import { fitsHash, hashOf } from './passwords.ts';
import { momentOf, type Scope } from './scope.ts';

export function callOf(call: Call, operands: readonly Operand[], environment: Environment): Compiled {
  return FUNCTIONS[call.function](operands, environment, call);
}

type Make = (operands: readonly Operand[], environment: Environment, call: Call) => Compiled;

const FUNCTIONS: Readonly<Record<Call['function'], Make>> = {
  length: (operands, environment, call) =>
    first(operands).type.many
      ? unary(first(operands), strict(itemCount))
      : onText(lengthOf)(operands, environment, call),
  lower: onText((text) => text.toLowerCase()),
  upper: onText((text) => text.toUpperCase()),
  trim: onText((text) => text.trim()),
  replace: (operands, environment, call) => {
    const partOf = isSearch(call) ? shortPart : (part: Value) => part;
    return nary(
      asTexts(operands, environment),
      strictAll(([text, part, other]) => replaced(text as string, partOf(part as string) as string, other as string)),
    );
  },
  substring: ([text, from, length], environment) =>
    nary(
      [
        fitted(text as Operand, { kind: 'string' }, environment),
        ...asIntegers([from, length] as Operand[], environment),
      ],
      strictAll(([value, start, count]) => partOfText(value as string, start as number, count as number)),
    ),
  padStart: ([text, width, filling], environment) =>
    nary(
      [...asTexts([text, filling] as Operand[], environment), ...asIntegers([width as Operand], environment)],
      strictAll(([value, start, count]) => padded(value as string, count as number, start as string)),
    ),
  slugify: onText(slugOf),
  contains: onTwoTexts((text, part) => text.includes(part)),
  startsWith: onTwoTexts((text, start) => text.startsWith(start)),
  endsWith: onTwoTexts((text, end) => text.endsWith(end)),
  stringify: (operands) => stringify(first(operands)),
  now: (_, __, { type }) => synchronous(type.kind === 'integer' ? milliseconds : timestamp),
  today: () => synchronous((scope) => dayOf(momentOf(scope))),
  years: move('years'),
  months: move('months'),
  weeks: move('weeks'),
  days: move('days'),
  hours: move('hours'),
  minutes: move('minutes'),
  seconds: move('seconds'),
  secondsBetween: between(secondsBetween),
  daysBetween: between(daysBetween),
  startOf: ([, moment], _, { arguments: [period] }) => {
    const wanted = periodOf(period as Expression);
    return unary(
      moment as Operand,
      strict((value) => startOf(wanted, value as string)),
    );
  },
  concat: (operands) => nary(operands, (texts) => texts.map((text) => text ?? '').join('')),
  coalesce: (operands) => firstOf(operands, (value) => value !== null),
  if: ([condition, then, otherwise]) => chosen(condition as Operand, then as Operand, otherwise as Operand),
  greatest: (operands, { enumValues }) => extremeOf(operands, enumValues, 1),
  least: (operands, { enumValues }) => extremeOf(operands, enumValues, -1),
  ceil: (operands, environment) => whole('ceil', first(operands), environment),
  floor: (operands, environment) => whole('floor', first(operands), environment),
  integer: (operands) => {
    const operand = first(operands);
    return unary(operand, strict(operand.type.kind === 'decimal' ? integerOfDecimal : integerOf));
  },
  decimal: (operands) => unary(first(operands), strict(decimalOf)),
  round: (operands, environment) => round(first(operands), operands[1], environment),
  abs: (operands, environment) => absolute(first(operands), environment),
  cryptoHash: onTexts(([password = ''], { hashing }, call) =>
    hashing ? hashing.hash(call, password) : hashOf(password),
  ),
  cryptoCompare: onTexts(([password = '', hash = ''], { hashing }) =>
    hashing ? hashing.fits(password, hash) : fitsHash(password, hash),
  ),
  cryptoToken: (operands, environment) => tokenOf(operands[0], environment),
  oneOf: () => {
    throw new Error('`oneOf` has a meaning in populators alone');
  },
  file: () => {
    throw new Error('the address of a file is made by the database');
  },
};

const itemCount = (list: Value): Value => (isList(list) ? list.length : 0);
const milliseconds = (scope: Scope): Value => momentOf(scope).getTime();
const timestamp = (scope: Scope): Value => timestampFromDate(momentOf(scope));

function first(operands: readonly Operand[]): Operand {
  return operands[0] as Operand;
}

function asTexts(operands: readonly Operand[], environment: Environment): readonly Compiled[] {
  return operands.map((operand) => fitted(operand, { kind: 'string' }, environment));
}

function asIntegers(operands: readonly Operand[], environment: Environment): readonly Compiled[] {
  return operands.map((operand) => fitted(operand, { kind: 'integer' }, environment));
}

/** Applies a function; null where one of the values is null. */
function strictAll(apply: (values: readonly Value[]) => Value): (values: readonly Value[]) => Value {
  return (values) => (values.includes(null) ? null : apply(values));
}

function extremeOf(operands: readonly Operand[], enumValues: Environment['enumValues'], sign: 1 | -1): Compiled {
  const best = extreme(comparatorOf(knownType(operands.map(({ type }) => type)), enumValues), sign);
  return nary(operands, (values) => best(values.filter((value) => value !== null)));
}

/** Replaces each occurrence. An empty text is never found. */
function replaced(text: string, part: string, other: string): string {
  if (part === '') return text;
  const pieces = text.split(part);
  const length = lengthOf(text);
  shortEnough(length + (pieces.length - 1) * (lengthOf(other) - lengthOf(part)), length);
  return pieces.join(other);
}

function padded(text: string, width: number, filling: string): string {
  const missing = width - lengthOf(text);
  if (missing <= 0) return text;
  shortEnough(width);
  if (filling === '') return text;
  const characters = Array.from(filling);
  return Array.from({ length: missing }, (_, at) => characters[at % characters.length]).join('') + text;
}

/** Adds a duration to a date or a timestamp. */
function move(unit: Unit): Make {
  return ([moment, count], environment) => {
    const number = fitted(count as Operand, { kind: 'integer' }, environment);
    const apply = (value: Value, by: Value) => inYears(moved(value as string, by as number, unit));
    return binary(moment as Operand, number, strictPair(apply));
  };
}

function inYears(moment: string | null): string {
  if (moment === null) throw outOfRange('is not in the years 1 to 9999');
  return moment;
}

function between(apply: (from: string, to: string) => number): Make {
  return ([from, to]) =>
    binary(
      from as Operand,
      to as Operand,
      strictPair((a, b) => safeInteger(apply(a as string, b as string))),
    );
}

function onText(apply: (text: string) => Value): Make {
  return (operands, environment) =>
    unary(
      fitted(first(operands), { kind: 'string' }, environment),
      strict((text) => apply(text as string)),
    );
}

/** Applies a function to two texts, ignoring case. Null where one of the two is null. */
function onTwoTexts(apply: (text: string, part: string) => boolean): Make {
  return (operands, environment, call) => {
    const partOf = isSearch(call) ? shortPart : (part: Value) => part;
    return nary(asTexts(operands, environment), ([text = null, part = null]) =>
      text === null || part === null ? null : apply(lowered(String(text)), lowered(String(partOf(part)))),
    );
  };
}

/** A sigma at the end of a word is a sigma. */
function lowered(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

/** Applies a function to texts; null where one of them is null. */
function onTexts(apply: (texts: readonly string[], scope: Scope, call: Call) => Promise<Value>): Make {
  return (operands, environment, call) => {
    const texts = nary(asTexts(operands, environment), (values) => values);
    return asynchronous(async (scope, args) => {
      const values = (await texts.run(scope, args)) as readonly Value[];
      return values.includes(null) ? null : apply(values as readonly string[], scope, call);
    });
  };
}

function tokenOf(length: Operand | undefined, environment: Environment): Compiled {
  if (!length) return synchronous(() => randomToken());
  return unary(
    fitted(length, { kind: 'integer' }, environment),
    strict((count) => tokenOfLength(count as number)),
  );
}

function tokenOfLength(length: number): string {
  if (length < 1 || length > MAX_TOKEN_LENGTH)
    throw outOfRange(`is not a token: its length must be from 1 to ${MAX_TOKEN_LENGTH}`);
  return randomToken(length);
}
