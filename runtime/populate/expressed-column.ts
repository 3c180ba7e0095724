/** A column whose value is written in the program: set by the populator, or the default of the field. */
import type { Expression, Field, Model } from '../../compiler/definition/definition.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { CompiledValidation, ValidationEnvironment } from '../expressions/compiled-validation.ts';
import { validationOf } from '../expressions/list-validation.ts';
import type { Scope } from '../expressions/scope.ts';
import { fitsType } from '../values/input-value.ts';
import { normaliseOf } from '../values/normalise.ts';
import type { Value } from '../values/value.ts';
import type { Origin } from './blocks.ts';
import type { ColumnTools, Making } from './column.ts';
import { uniquesOf } from './uniqueness.ts';

type Written = Extract<Origin, { readonly value: Expression }>;

/** What is set is normalised and validated, as what a client sends is; a default is the word of the model itself. */
export function expressed(model: Model, field: Field, { kind, value }: Written, tools: ColumnTools): Making {
  const mayRepeat = !uniquesOf(model).some((fields) => fields.includes(field.name));
  const environment = tools.environment(mayRepeat);
  const { isAsync, run } = compileExpression(value, environment);
  const typed = value.type.kind === 'any' ? fitting(field, environment) : (given: unknown) => given as Value;
  const normalise = kind === 'set' ? normaliseOf(field.normalise) : null;
  const fitted = normalise ? (given: unknown) => normalise(typed(given)) : typed;
  const validation = kind === 'set' && field.validate ? validationOf(field.type, field.validate, environment) : null;
  const { scope } = tools;
  if (isAsync || validation?.isAsync)
    return { isAsync: true, make: async () => checkedSlowly(fitted(await run(scope)), validation, scope) };
  return { isAsync: false, make: () => checkedNow(fitted(run(scope)), validation, scope) };
}

function fitting({ type }: Field, { enumValues }: ValidationEnvironment): (value: unknown) => Value {
  return (value) => {
    if (value === null || value === undefined) return null;
    const checked = fitsType(value, type, enumValues);
    if (!checked.ok) throw new Error(`the value ${checked.message}`);
    return checked.value;
  };
}

function checkedNow(value: Value, validation: CompiledValidation | null, scope: Scope): Value {
  if (validation !== null && value !== null) refuse(validation.check(value, scope) as Failures);
  return value;
}

async function checkedSlowly(value: Value, validation: CompiledValidation | null, scope: Scope): Promise<Value> {
  if (validation !== null && value !== null) refuse(await validation.check(value, scope));
  return value;
}

type Failures = readonly { readonly message: string }[];

function refuse(failures: Failures): void {
  if (failures.length > 0) throw new Error(`the value ${failures.map(({ message }) => message).join(' and ')}`);
}
