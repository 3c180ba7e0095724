import type { Validator } from '../../compiler/definition/definition.ts';
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
}

export interface CompiledValidation {
  readonly isAsync: boolean;
  /** Empty where all is well. A promise only where `isAsync` says so. */
  check(value: Value, scope: Scope): readonly Failure[] | Promise<readonly Failure[]>;
}

export const NONE: readonly Failure[] = [];
