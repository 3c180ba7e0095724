import type { Validator } from '../../compiler/definition/definition.ts';
import { keptFor } from '../../compiler/definition/kept.ts';
import { decimalFromNumber } from '../values/decimal.ts';
import type { Value } from '../values/value.ts';
import { compileExpression } from './compile-expression.ts';
import type { NonNull } from './compiled.ts';
import type { ValidationEnvironment } from './compiled-validation.ts';
import type { Question } from './question.ts';
import type { Arguments } from './scope.ts';

/** What a validator asserts is compiled once for all the fields and inputs that have it. */
const assertsIn = keptFor((environment: ValidationEnvironment) =>
  keptFor(({ assert }: Validator) => compileExpression(assert, environment)),
);

/** The value is the first argument, the written ones follow. */
export function ownQuestion(validator: Validator, environment: ValidationEnvironment): Question {
  const { isAsync, run } = assertsIn(environment)(validator);
  const [first, ...rest] = validator.arguments;
  const names = rest.map(({ name }) => name);
  const asFirst = first?.type.kind === 'decimal' ? decimalOf : (value: NonNull) => value;
  const bound = (value: NonNull, args: readonly Value[]): Arguments => ({
    [first?.name ?? '']: asFirst(value),
    ...named(names, args),
  });
  return {
    isAsync,
    holds: isAsync
      ? async (value, args, scope) => (await run(scope, bound(value, args))) === true
      : (value, args, scope) => run(scope, bound(value, args)) === true,
    params: (args) => named(names, args),
    phrase: () => `satisfy ${validator.name}`,
    plainPhrase: `satisfy ${validator.name}`,
    message: validator.message,
  };
}

function named(names: readonly string[], values: readonly Value[]): Arguments {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]));
}

/** An integer fits a decimal, also where it is the value of a field itself. */
function decimalOf(value: NonNull): NonNull {
  return typeof value === 'number' ? decimalFromNumber(value) : value;
}
