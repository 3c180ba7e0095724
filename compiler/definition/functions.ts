import { UNITS } from './contract/functions.ts';
import type { Call, Expression, Operation } from './expression.ts';

export type Unit = (typeof UNITS)[number];

/** These change the time of the day, which a date does not have. */
export const CLOCK_UNITS: readonly Unit[] = ['hours', 'minutes', 'seconds'];

export const PERIODS = ['day', 'week', 'month', 'year'] as const;
export type Period = (typeof PERIODS)[number];

export function isUnit(name: string): name is Unit {
  return (UNITS as readonly string[]).includes(name);
}

export function isPeriod(name: string): name is Period {
  return (PERIODS as readonly string[]).includes(name);
}

/** The first argument of `startOf` is written out. */
export function periodOf(argument: Expression): Period {
  const name = argument.kind === 'literal' ? String(argument.value) : argument.kind;
  if (!isPeriod(name)) throw new Error(`\`${name}\` is no period`);
  return name;
}

/**
 * Whether it looks for a part of a text that is not written in the source. A long part makes its result out of range.
 */
export function isSearch({ function: name, arguments: [, part] }: Pick<Call, 'function' | 'arguments'>): boolean {
  return SEARCHES.includes(name) && part?.kind !== 'literal';
}

const SEARCHES: readonly Call['function'][] = ['contains', 'startsWith', 'endsWith', 'replace'];

/** The functions of texts that need no more than the texts. The server uses them too. */
export const TEXT_FUNCTIONS = {
  lower: (text: string) => text.toLowerCase(),
  upper: (text: string) => text.toUpperCase(),
  trim: (text: string) => text.trim(),
  contains: (text: string, part: string) => lowered(text).includes(lowered(part)),
  startsWith: (text: string, start: string) => lowered(text).startsWith(lowered(start)),
  endsWith: (text: string, end: string) => lowered(text).endsWith(lowered(end)),
};

/** A sigma at the end of a word is a sigma. */
function lowered(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

const ARITHMETIC: readonly Operation['operator'][] = ['+', '-', '*', '/', '%', 'negate'];

/** The functions whose result can be too large for its type, or longer than `LONGEST_MADE`. */
const BOUNDED: readonly Call['function'][] = ['round', 'ceil', 'floor', 'integer', 'replace', 'padStart', ...UNITS];

/** Whether the value of the expression can be too large for its type, although all values inside of it are in range. */
export function isBounded(expression: Expression): boolean {
  switch (expression.kind) {
    case 'operation':
      // `+` also joins texts, which are never too long.
      return ARITHMETIC.includes(expression.operator) && expression.type.kind !== 'string';
    case 'convert': {
      const { type, value } = expression;
      return type.digits !== undefined || (type.kind === 'float' && value.type.kind === 'decimal');
    }
    case 'aggregate':
    case 'fold':
      // The average of integers lies between them.
      return (
        expression.function === 'sum' || (expression.function === 'avg' && expression.value?.type.kind !== 'integer')
      );
    case 'call':
      // The smallest integer has no opposite.
      if (expression.function === 'abs') return expression.type.kind === 'integer';
      return BOUNDED.includes(expression.function) || isSearch(expression);
    default:
      return false;
  }
}

/** Digits behind the point of a quotient of decimals, and of their average. */
export const QUOTIENT_PLACES = 16;
