/** The functions of the language. */

import type { Call } from '../../compiler/definition/expression.ts';
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
  type Compiled,
  chosen,
  type Environment,
  firstOf,
  nary,
  strict,
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
    (first(operands).type.many ? on(['any'], itemCount) : on(['string'], lengthOf))(operands, environment, call),
  lower: on(['string'], (text) => text.toLowerCase()),
  upper: on(['string'], (text) => text.toUpperCase()),
  trim: on(['string'], (text) => text.trim()),
  replace: searching(replaced),
  substring: on(['string', 'integer', 'integer'], partOfText),
  padStart: on(['string', 'integer', 'string'], padded),
  slugify: on(['string'], slugOf),
  contains: searching((text, part) => lowered(text).includes(lowered(part))),
  startsWith: searching((text, start) => lowered(text).startsWith(lowered(start))),
  endsWith: searching((text, end) => lowered(text).endsWith(lowered(end))),
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
  secondsBetween: on(['moment', 'moment'], (from, to) => safeInteger(secondsBetween(from, to))),
  daysBetween: on(['moment', 'moment'], (from, to) => safeInteger(daysBetween(from, to))),
  startOf: ([, moment], environment, call) => {
    const wanted = periodOf(first(call.arguments));
    return on(['moment'], (value) => startOf(wanted, value))([moment as Operand], environment, call);
  },
  concat: (operands) => nary(operands, (texts) => texts.map((text) => text ?? '').join('')),
  coalesce: (operands) => firstOf(operands, (value) => value !== null),
  if: ([condition, then, otherwise]) => chosen(condition as Operand, then as Operand, otherwise as Operand),
  greatest: (operands, { enumValues }) => extremeOf(operands, enumValues, 1),
  least: (operands, { enumValues }) => extremeOf(operands, enumValues, -1),
  ceil: (operands, environment) => whole('ceil')(first(operands), environment),
  floor: (operands, environment) => whole('floor')(first(operands), environment),
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
  cryptoToken: (operands, environment, call) =>
    operands.length > 0
      ? on(['integer'], tokenOfLength)(operands, environment, call)
      : synchronous(() => randomToken()),
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

function first<Part>(parts: readonly Part[]): Part {
  return parts[0] as Part;
}

function asTexts(operands: readonly Operand[], environment: Environment): readonly Compiled[] {
  return operands.map((operand) => fitted(operand, { kind: 'string' }, environment));
}

/** The values that a function takes; a moment is a date or a timestamp. Those of custom code are fitted, except moments. */
interface Taken {
  readonly string: string;
  readonly integer: number;
  readonly moment: string;
  readonly any: Value;
}

type ValuesOf<Kinds extends readonly (keyof Taken)[]> = { [At in keyof Kinds]: Taken[Kinds[At]] };

/** Applies a function to values of these kinds; null where one of them is null. */
function on<const Kinds extends readonly (keyof Taken)[]>(
  kinds: Kinds,
  apply: (...values: ValuesOf<Kinds>) => Value,
): Make {
  return (operands, environment) => {
    const parts = kinds.map((kind, at) =>
      fitted(operands[at] as Operand, { kind: kind === 'moment' ? 'any' : kind }, environment),
    );
    const strictly = (values: readonly Value[]) =>
      values.includes(null) ? null : apply(...(values as unknown as ValuesOf<Kinds>));
    return nary(parts, strictly);
  };
}

/** Applies a function that looks for a text in another one, which may be replaced by a third. */
function searching(apply: (text: string, part: string, other: string) => Value): Make {
  return (operands, environment, call) => {
    const partOf = isSearch(call) ? shortPart : (part: Value) => part;
    const find = (text: string, part: string, other = '') => apply(text, partOf(part) as string, other);
    return on(
      operands.map(() => 'string' as const),
      find,
    )(operands, environment, call);
  };
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
  return on(['moment', 'integer'], (moment, count) => inYears(moved(moment, count, unit)));
}

function inYears(moment: string | null): string {
  if (moment === null) throw outOfRange('is not in the years 1 to 9999');
  return moment;
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

function tokenOfLength(length: number): string {
  if (length < 1 || length > MAX_TOKEN_LENGTH)
    throw outOfRange(`is not a token: its length must be from 1 to ${MAX_TOKEN_LENGTH}`);
  return randomToken(length);
}
