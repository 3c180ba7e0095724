/**
 * What the validators of a field ask for, as far as a generator can aim at it. One set of constraints for each way to
 * satisfy an `or`; what cannot be said here, such as an own validator, is only checked afterwards.
 */
import type { BuiltInValidator } from '../../compiler/definition/contract/validators.ts';
import type { Expression, Validation } from '../../compiler/definition/expression.ts';
import type { Value } from '../values/value.ts';

export interface Constraints {
  readonly min?: number;
  readonly max?: number;
  readonly shortest?: number;
  readonly longest?: number;
  readonly pattern?: string;
  readonly form?: 'email' | 'url' | 'uuid' | 'alphanumeric';
  readonly choices?: readonly Value[];
  /** Of a list. */
  readonly fewest?: number;
  readonly most?: number;
  readonly isDistinct?: true;
}

/** An `and` of many `or`s has more ways than anybody means. */
const MOST_WAYS = 16;

export function waysToSatisfy(validation: Validation | null): readonly Constraints[] {
  if (validation === null) return [{}];
  switch (validation.kind) {
    case 'and':
      return validation.parts.map(waysToSatisfy).reduce(everyPair, [{}]);
    case 'or':
      return validation.parts.flatMap(waysToSatisfy).slice(0, MOST_WAYS);
    case 'not':
      return [{}];
    case 'check':
      return [constraintsOf(validation)];
  }
}

function everyPair(left: readonly Constraints[], right: readonly Constraints[]): readonly Constraints[] {
  return left.flatMap((a) => right.map((b) => both(a, b))).slice(0, MOST_WAYS);
}

function both(a: Constraints, b: Constraints): Constraints {
  const limits = {
    ...limit('min', Math.max, a, b),
    ...limit('max', Math.min, a, b),
    ...limit('shortest', Math.max, a, b),
    ...limit('longest', Math.min, a, b),
    ...limit('fewest', Math.max, a, b),
    ...limit('most', Math.min, a, b),
  };
  return { ...a, ...b, ...limits };
}

type Limit = 'min' | 'max' | 'shortest' | 'longest' | 'fewest' | 'most';

function limit(name: Limit, stricter: (a: number, b: number) => number, a: Constraints, b: Constraints): Constraints {
  const found = [a[name], b[name]].filter((value) => value !== undefined);
  const [first, second = first] = found;
  return first === undefined || second === undefined ? {} : { [name]: stricter(first, second) };
}

type Check = Extract<Validation, { readonly kind: 'check' }>;

function constraintsOf({ validator, value, arguments: args }: Check): Constraints {
  if (typeof validator === 'object' || value !== null) return {};
  const known = args.map(constantOf);
  return known.includes(undefined) ? {} : CONSTRAINTS[validator](known as readonly Value[]);
}

const CONSTRAINTS: Readonly<Record<BuiltInValidator, (args: readonly Value[]) => Constraints>> = {
  min: ([min]) => ({ min: Number(min) }),
  max: ([max]) => ({ max: Number(max) }),
  minLength: ([shortest]) => ({ shortest: Number(shortest) }),
  maxLength: ([longest]) => ({ longest: Number(longest) }),
  pattern: ([pattern]) => ({ pattern: String(pattern) }),
  isEmail: () => ({ form: 'email' }),
  isUrl: () => ({ form: 'url' }),
  isUuid: () => ({ form: 'uuid' }),
  alphanumeric: () => ({ form: 'alphanumeric' }),
  oneOf: (choices) => ({ choices: choices.flat() as readonly Value[] }),
  isEqual: (choices) => ({ choices }),
  isNotEqual: () => ({}),
  minItems: ([fewest]) => ({ fewest: Number(fewest) }),
  maxItems: ([most]) => ({ most: Number(most) }),
  distinct: () => ({ isDistinct: true }),
};

/** Undefined where it depends on something. */
function constantOf(expression: Expression): Value | undefined {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'convert':
      return constantOf(expression.value);
    case 'list': {
      const items = expression.items.map(constantOf);
      return items.includes(undefined) ? undefined : (items as readonly Value[]);
    }
    default:
      return undefined;
  }
}
