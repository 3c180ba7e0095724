/** Compiled expressions: closures that are made once. They return a promise only if `isAsync` is true. */
import type { Expression, Hook, Validator } from '../../compiler/definition/expression.ts';
import type { SettingValues } from '../values/settings.ts';
import type { Value } from '../values/value.ts';
import type { Arguments, Scope } from './scope.ts';

export interface Compiled {
  readonly isAsync: boolean;
  run(scope: Scope, args?: Arguments): unknown;
}

/** The environment that expressions need when they are compiled. */
export interface Environment {
  hook(hook: Hook): (scope: Scope, args?: Arguments) => Promise<unknown>;
  enumValues(name: string): readonly string[];
  /** Absent where no expression can read them, as in a populator. */
  readonly settings?: SettingValues;
  /**
   * Compiles an expression that means something else than in a request, as in populators, which have Faker, iterators
   * and a fixed clock. Null for one that means the same.
   */
  readonly instead?: (expression: Expression, compile: (part: Expression) => Compiled) => Compiled | null;
}

export function constant(value: Value): Compiled {
  return { isAsync: false, run: () => value };
}

export function synchronous(run: (scope: Scope, args?: Arguments) => Value): Compiled {
  return { isAsync: false, run };
}

export function asynchronous(run: (scope: Scope, args?: Arguments) => Promise<Value>): Compiled {
  return { isAsync: true, run };
}

export function unary({ isAsync, run }: Compiled, apply: (value: Value) => Value): Compiled {
  return { isAsync, run: (scope, args) => after(run(scope, args) as Value, apply) };
}

/** Applies a function to two values. The left side runs first. */
export function binary(left: Compiled, right: Compiled, apply: (a: Value, b: Value) => Value): Compiled {
  if (left.isAsync || right.isAsync) return nary([left, right], ([a = null, b = null]) => apply(a, b));
  return synchronous((scope, args) => apply(left.run(scope, args) as Value, right.run(scope, args) as Value));
}

/** Applies a function to several values, which run one after the other. */
export function nary(parts: readonly Compiled[], apply: (values: readonly Value[]) => Value): Compiled {
  const run: Compiled['run'] = (scope, args) => {
    const values: Value[] = [];
    const add = (value: Value) => {
      values.push(value);
      return false;
    };
    const done = someInTurn(parts, (part) => after(part.run(scope, args) as Value, add));
    return after(done, () => apply(values));
  };
  return { isAsync: parts.some(({ isAsync }) => isAsync), run };
}

/** Maps null to null. */
export function strict(apply: (value: NonNull) => Value): (value: Value) => Value {
  return (value) => (value === null ? null : apply(value));
}

/** Applies a function to a pair; null where either side is null. */
export function strictPair(apply: (a: NonNull, b: NonNull) => Value): (a: Value, b: Value) => Value {
  return (a, b) => (a === null || b === null ? null : apply(a, b));
}

export type NonNull = Exclude<Value, null>;

/** The first value that `stops`, or else the last; later ones do not run. */
export function firstOf(parts: readonly Compiled[], stops: (value: Value) => boolean): Compiled {
  const run: Compiled['run'] = (scope, args) => {
    let last: Value = null;
    const isLast = (value: Value) => {
      last = value;
      return stops(value);
    };
    const done = someInTurn(parts, (part) => after(part.run(scope, args) as Value, isLast));
    return after(done, () => last);
  };
  return { isAsync: parts.some(({ isAsync }) => isAsync), run };
}

/** Runs only the value that the condition chooses. */
export function chosen(condition: Compiled, then: Compiled, otherwise: Compiled): Compiled {
  return {
    isAsync: condition.isAsync || then.isAsync || otherwise.isAsync,
    run: (scope, args) =>
      after(condition.run(scope, args), (holds) => (holds === true ? then : otherwise).run(scope, args)),
  };
}

export interface ValidationEnvironment extends Environment {
  validator(name: string): Validator;
}

/** Why a value is refused. What is in `params` and in the message is for the client to know. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly params: Readonly<Record<string, Value>>;
  /** The index of the rejected item of a list. */
  readonly index?: number;
}

export interface CompiledValidation {
  readonly isAsync: boolean;
  /** Empty where all is well. A promise only where `isAsync` says so. */
  check(value: Value, scope: Scope): readonly Failure[] | Promise<readonly Failure[]>;
}

export const NONE: readonly Failure[] = [];

/** Runs the second validation only where the first finds nothing. */
export function inTurn(first: CompiledValidation, second: CompiledValidation): CompiledValidation {
  const check: CompiledValidation['check'] = (value, scope) =>
    after(first.check(value, scope), (failures) => (failures.length > 0 ? failures : second.check(value, scope)));
  return { isAsync: first.isAsync || second.isAsync, check };
}

/** Continues at once, unless there is a promise to wait for. */
export function after<T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/**
 * Checks items one after the other, and returns whether one was enough. It returns at once, unless there is a promise
 * to wait for.
 */
export function someInTurn<T>(
  items: readonly T[],
  isEnough: (item: T, at: number) => boolean | Promise<boolean>,
  from = 0,
): boolean | Promise<boolean> {
  for (let at = from; at < items.length; at++) {
    const enough = isEnough(items[at] as T, at);
    if (enough instanceof Promise) return enough.then((is) => is || someInTurn(items, isEnough, at + 1));
    if (enough) return true;
  }
  return false;
}
