import type { Validator } from '../../compiler/definition/expression.ts';
import type { Value } from '../values/value.ts';
import type { Environment } from './compiled.ts';
import type { Scope } from './scope.ts';

export interface ValidationEnvironment extends Environment {
  validator(name: string): Validator;
}

/** Why a value is refused. What is in `params` and in the message is for the client to know. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly params: Readonly<Record<string, Value>>;
  /** Of the item of a list that is refused. */
  readonly index?: number;
}

export interface CompiledValidation {
  readonly isAsync: boolean;
  /** Empty where all is well. A promise only where `isAsync` says so. */
  check(value: Value, scope: Scope): readonly Failure[] | Promise<readonly Failure[]>;
}

export const NONE: readonly Failure[] = [];

/** The second is asked only where the first finds nothing. */
export function inTurn(first: CompiledValidation, second: CompiledValidation): CompiledValidation {
  return first.isAsync || second.isAsync ? inTurnAsync(first, second) : inTurnSync(first, second);
}

function inTurnSync(first: CompiledValidation, second: CompiledValidation): CompiledValidation {
  const check = (value: Value, scope: Scope) => {
    const failures = first.check(value, scope) as readonly Failure[];
    return failures.length > 0 ? failures : second.check(value, scope);
  };
  return { isAsync: false, check };
}

function inTurnAsync(first: CompiledValidation, second: CompiledValidation): CompiledValidation {
  const check = async (value: Value, scope: Scope) => {
    const failures = await first.check(value, scope);
    return failures.length > 0 ? failures : second.check(value, scope);
  };
  return { isAsync: true, check };
}
