/**
 * The demands of the validators of a field, as far as a generator can aim at them. There is one set of constraints for
 * each alternative of an `or`; anything else, such as an own validator, is only checked afterwards.
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
  /** The limits of the number of items of a list. */
  readonly fewest?: number;
  readonly most?: number;
  readonly isDistinct?: true;
}

/** An `and` of many `or`s has more ways than anybody means. */
const MOST_SETS = 16;

export function constraintSets(validation: Validation | null): readonly Constraints[] {
  if (validation === null) return [{}];
  switch (validation.kind) {
    case 'and':
      return validation.parts.map(constraintSets).reduce(everyPair, [{}]);
    case 'or':
      return validation.parts.flatMap(constraintSets).slice(0, MOST_SETS);
    case 'not':
      return [{}];
    case 'check':
      return [constraintsOf(validation)];
  }
}

function everyPair(left: readonly Constraints[], right: readonly Constraints[]): readonly Constraints[] {
  return left.flatMap((a) => right.map((b) => both(a, b))).slice(0, MOST_SETS);
}

/** The stricter of two limits. */
const STRICTER = {
  min: Math.max,
  max: Math.min,
  shortest: Math.max,
  longest: Math.min,
  fewest: Math.max,
  most: Math.min,
} as const;

function both(a: Constraints, b: Constraints): Constraints {
  const limits = (Object.keys(STRICTER) as (keyof typeof STRICTER)[]).flatMap((name) => {
    const [one, other] = [a[name], b[name]];
    return one === undefined || other === undefined ? [] : [[name, STRICTER[name](one, other)] as const];
  });
  return { ...a, ...b, ...Object.fromEntries(limits) };
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

/** The value of a constant expression; undefined where it depends on something. */
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
