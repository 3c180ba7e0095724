/** The values that actions write. */
import type { Field, Model } from '../../compiler/definition/definition.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { ValidationEnvironment } from '../expressions/compiled-validation.ts';
import { withSubject } from '../expressions/fit.ts';
import type { WrittenValue } from '../query/writes.ts';
import { binderOf } from '../values/bind.ts';
import { fitsType } from '../values/input-value.ts';
import type { Value } from '../values/value.ts';

export function assignedValue(
  value: Expression,
  field: Field,
  model: Model,
  environment: ValidationEnvironment,
): WrittenValue {
  const { isAsync, run } = compileExpression(value, environment);
  const bind = binderOf(field.type);
  const fitted = value.type.kind === 'any' ? fitting(field, model, environment) : same;
  if (isAsync) return { isAsync, run: async (scope) => bind(fitted(await run(scope))) };
  return { isAsync, run: (scope) => bind(fitted(run(scope))) };
}

const same = (value: unknown): Value => value as Value;

/** What custom code gives is known only now. */
function fitting(field: Field, model: Model, { enumValues }: ValidationEnvironment): (value: unknown) => Value {
  return (value) => {
    if (value === null || value === undefined) return null;
    const checked = fitsType(value, field.type, enumValues);
    if (checked.ok) return checked.value;
    throw new Error(
      `custom code returned an invalid value for \`${model.name}.${field.name}\`: ${withSubject(checked.message)}`,
    );
  };
}

export function fieldOf({ fields, name }: Model, field: string): Field {
  const found = fields.find((candidate) => candidate.name === field);
  if (!found) throw new Error(`the definition uses \`${name}.${field}\`, but does not define it`);
  return found;
}
