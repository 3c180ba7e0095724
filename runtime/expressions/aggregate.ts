/** Aggregates over a list that the server has already, such as the records of a query that an action made. */
import type { Aggregate, Type } from '../../compiler/definition/expression.ts';
import { divideDecimals, quotientOf, sumOfDecimals } from '../values/decimal.ts';
import { isList } from '../values/json.ts';
import { comparatorOf } from '../values/kinds.ts';
import type { Value } from '../values/value.ts';
import { type NumberKind, numberKind } from './arithmetic.ts';
import { type Compiled, type Environment, unary } from './compiled.ts';
import { fittedValue, floatFromDecimal, type Operand } from './fit.ts';
import { finiteFloat, fittingDecimal, safeInteger } from './out-of-range.ts';

/** Nulls are not counted, as in the database. */
export function aggregateOf({ function: name, type }: Aggregate, list: Operand, environment: Environment): Compiled {
  const over = OVER[name](itemType(list.type, type), environment);
  return unary(list, (values) => over(presentOf(values)));
}

type Over = (values: readonly Value[]) => Value;

const OVER: Readonly<Record<Aggregate['function'], (item: Type, environment: Environment) => Over>> = {
  count: () => (values) => values.length,
  exists: () => (values) => values.length > 0,
  sum: (item, { enumValues }) => {
    const add = SUMS[numberKind(item)];
    return (values) => add(values.map((value) => fittedValue(value, item, enumValues)));
  },
  avg: (item, { enumValues }) => {
    const mean = MEANS[numberKind(item)];
    return (values) => (values.length === 0 ? null : mean(values.map((value) => fittedValue(value, item, enumValues))));
  },
  min: (item, { enumValues }) => extreme(comparatorOf(item, enumValues), -1),
  max: (item, { enumValues }) => extreme(comparatorOf(item, enumValues), 1),
};

/** The type of an item. A value of custom code gets the type of the aggregate. */
function itemType({ many: _, nullable: __, ...item }: Type, { kind }: Type): Type {
  return item.kind === 'any' ? { kind: kind === 'any' ? 'any' : kind } : item;
}

function presentOf(values: Value): readonly Value[] {
  return isList(values) ? values.filter((value) => value !== null) : [];
}

const sumOfNumbers = (values: readonly Value[]) => values.reduce<number>((sum, value) => sum + (value as number), 0);
const exactSum = (values: readonly Value[]) => sumOfDecimals(values.map(String));

const SUMS: Readonly<Record<NumberKind, Over>> = {
  integer: (values) => safeInteger(Number(exactSum(values))),
  float: (values) => finiteFloat(sumOfNumbers(values)),
  decimal: (values) => fittingDecimal(exactSum(values)),
};

const MEANS: Readonly<Record<NumberKind, Over>> = {
  // Postgres divides exactly, and rounds to a float in the end.
  integer: (values) => floatFromDecimal(divideDecimals(exactSum(values), String(values.length))),
  float: (values) => finiteFloat(finiteFloat(sumOfNumbers(values)) / values.length),
  decimal: (values) => quotientOf(exactSum(values), String(values.length)),
};

export function extreme(compare: (a: Value, b: Value) => number, sign: 1 | -1): Over {
  return (values) =>
    values.reduce<Value>((best, value) => (best === null || compare(value, best) * sign > 0 ? value : best), null);
}
