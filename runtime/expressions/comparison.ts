/** Questions about two values, or about one and a list. */
import type { Operation, Type } from '../../compiler/definition/definition.ts';
import { equal } from '../values/equal.ts';
import { isList } from '../values/json.ts';
import { identical, KINDS } from '../values/kinds.ts';
import { comparatorOf } from '../values/order.ts';
import type { Value } from '../values/value.ts';
import { binary, type Compiled, type Environment, strictPair } from './compiled.ts';
import { fitted, fittedIfPossible, knownType, type Operand } from './fit.ts';

type OrderOperator = Extract<Operation['operator'], '<' | '<=' | '>' | '>='>;
type Pair = readonly [Operand, Operand];

const HOLDS: Readonly<Record<OrderOperator, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Null where either side is. */
export function ordered(operator: OrderOperator, [left, right]: Pair, environment: Environment): Compiled {
  const type = knownType([left.type, right.type]);
  const compare = comparatorOf(type, environment.enumValues);
  const holds = HOLDS[operator];
  return binary(
    fitted(left, type, environment),
    fitted(right, type, environment),
    strictPair((a, b) => holds(compare(a, b))),
  );
}

/** Two nulls are equal. */
export function same([left, right]: Pair, environment: Environment): Compiled {
  const type = knownType([left.type, right.type]);
  const isSame = equalityOf(type);
  return binary(fittedIfPossible(left, type, environment), fittedIfPossible(right, type, environment), isSame);
}

/** As `is` compares. Nothing is in what is no list. */
export function member([left, right]: Pair, environment: Environment): Compiled {
  const type = knownType([left.type, itemType(right.type)]);
  const isSame = equalityOf(type);
  return binary(
    fittedIfPossible(left, type, environment),
    fittedIfPossible(right, { ...type, many: true }, environment),
    (value, list) => isList(list) && list.some((item) => isSame(value, item)),
  );
}

function itemType({ many: _, ...item }: Type): Type {
  return item;
}

function equalityOf(type: Type): (a: Value, b: Value) => boolean {
  return !type.many && KINDS[type.kind].isSame === identical ? identical : (a, b) => equal(a, b, type);
}
