/** The values of a create or an update, evaluated one after the other and ready to be bound. */
import type { Assignment, Expression, Field, Model } from '../../compiler/definition/definition.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { ValidationEnvironment } from '../expressions/compiled-validation.ts';
import { withSubject } from '../expressions/fit.ts';
import type { Bound } from '../query/database.ts';
import { binderOf } from '../values/bind.ts';
import { fitsType } from '../values/code-value.ts';
import type { Value } from '../values/value.ts';
import type { RequestScope } from './request-scope.ts';

interface AssignedValue {
  readonly isAsync: boolean;
  run(scope: RequestScope): Bound | Promise<Bound>;
}

export function assignedValue(
  value: Expression,
  field: Field,
  model: Model,
  environment: ValidationEnvironment,
): AssignedValue {
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
      `custom code gave a wrong value for \`${model.name}.${field.name}\`: ${withSubject(checked.message)}`,
    );
  };
}

/** What is bound for assignments, in their order; an optional one is bound as whether it counts, and its value. */
interface Assigning {
  isAsync: boolean;
  bound(scope: RequestScope): readonly Bound[] | Promise<readonly Bound[]>;
}

export function assigning(values: readonly Assignment[], model: Model, environment: ValidationEnvironment): Assigning {
  const parts = values.map(({ field, value, when }) => ({
    value: assignedValue(value, fieldOf(model, field), model, environment),
    when: when?.join('.') ?? null,
  }));
  const isAsync = parts.some(({ value }) => value.isAsync);
  return { isAsync, bound: (scope) => (isAsync ? boundSlowly(parts, scope) : boundNow(parts, scope)) };
}

interface AssignedPart {
  readonly value: AssignedValue;
  readonly when: string | null;
}

function boundNow(parts: readonly AssignedPart[], scope: RequestScope): readonly Bound[] {
  const bound: Bound[] = [];
  for (const { value, when } of parts) {
    const counts = when === null || scope.sent.has(when);
    if (when !== null) bound.push(String(counts));
    bound.push(counts ? (value.run(scope) as Bound) : null);
  }
  return bound;
}

async function boundSlowly(parts: readonly AssignedPart[], scope: RequestScope): Promise<readonly Bound[]> {
  const bound: Bound[] = [];
  for (const { value, when } of parts) {
    const counts = when === null || scope.sent.has(when);
    if (when !== null) bound.push(String(counts));
    bound.push(counts ? await value.run(scope) : null);
  }
  return bound;
}

export function fieldOf({ fields, name }: Model, field: string): Field {
  const found = fields.find((candidate) => candidate.name === field);
  if (!found) throw new Error(`the definition uses \`${name}.${field}\`, but does not define it`);
  return found;
}
