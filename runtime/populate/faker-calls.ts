/** Calls of Faker, bound once. What they give becomes a value of the type that the compiler expects. */
import type { Faker } from '@faker-js/faker';
import type { Faker as FakerExpression, Type } from '../../compiler/definition/definition.ts';
import { type Compiled, type Environment, nary, synchronous } from '../expressions/compiled.ts';
import { emptyScope } from '../expressions/scope.ts';
import { fitsType } from '../values/input-value.ts';
import type { Value } from '../values/value.ts';
import { PopulateError } from './populate-error.ts';
import { pick, type Random } from './random.ts';

interface FakerTools {
  readonly faker: Faker;
  readonly random: Random;
  readonly mayRepeat: boolean;
}

export function fakerCall(
  expression: FakerExpression,
  args: readonly Compiled[],
  environment: Environment,
  { faker, random, mayRepeat }: FakerTools,
): Compiled {
  const method = methodOf(faker, expression);
  const fitted = fitting(expression.type, environment);
  const isConstant = expression.arguments.every(({ kind }) => kind === 'literal');
  if (!isConstant) return nary(args, (values) => fitted(method(...values)));
  const values = args.map((argument) => argument.run(NOWHERE));
  const draw = () => fitted(method(...values));
  return synchronous(mayRepeat && WORDY.has(expression.module) ? repeating(draw, random) : draw);
}

const NOWHERE = emptyScope();

type Method = (...args: readonly unknown[]) => unknown;

function methodOf(faker: Faker, { module, method }: FakerExpression): Method {
  const holder = Reflect.get(faker, module) as Readonly<Record<string, Method>> | undefined;
  const found = holder?.[method];
  if (!found) throw new PopulateError(`this version of Faker has no faker.${module}.${method}()`);
  return found.bind(holder);
}

/** The modules that put words of a list together, which repeat anyway. */
const WORDY: ReadonlySet<string> = new Set([
  'animal',
  'book',
  'commerce',
  'company',
  'food',
  'hacker',
  'location',
  'lorem',
  'music',
  'person',
  'science',
  'vehicle',
  'word',
]);

/** Faker takes ten microseconds for a name. Nobody sees that the ten-thousandth is one of those before. */
const DRAWN = 4096;

function repeating(draw: () => Value, random: Random): () => Value {
  const drawn: Value[] = [];
  return () => {
    if (drawn.length === DRAWN) return pick(drawn, random);
    const value = draw();
    drawn.push(value);
    return value;
  };
}

function fitting(type: Type, { enumValues }: Environment): (value: unknown) => Value {
  return (value) => {
    if (typeof value === 'string' && type.kind === 'string' && !type.many) return value;
    if (value === undefined || value === null) return null;
    const checked = fitsType(type.kind === 'date' ? dayOf(value) : value, type, enumValues);
    if (!checked.ok) throw new Error(`the value of Faker is invalid: it ${checked.message}`);
    return checked.value;
  };
}

function dayOf(value: unknown): unknown {
  return value instanceof Date ? value.toISOString().slice(0, 10) : value;
}
