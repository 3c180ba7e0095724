import type { Validate } from '../../compiler/definition/definition.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileValidation } from '../expressions/compile-validation.ts';
import type { ActionTools, RunAction } from './action-tools.ts';

/** What it looks at is written in each of its checks. */
export function validateAction({ key, validation }: Validate, { environment }: ActionTools): RunAction {
  const { check } = compileValidation(validation, environment);
  return async (scope) => {
    const failures = await check(null, scope);
    if (failures.length === 0) return;
    const errors = failures.map((failure) => ({ path: key, ...failure }));
    throw new ApiError('validation-failed', { errors });
  };
}
