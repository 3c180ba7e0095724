/** What the expressions of one endpoint need when they are compiled: above all, how its hooks are called. */
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Hook, HookArgument, Validator } from '../../compiler/definition/expression.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { ValidationEnvironment } from '../expressions/compiled-validation.ts';
import type { Arguments, Scope } from '../expressions/scope.ts';
import { declaredResult } from '../hooks/declared-result.ts';
import { type CallHook, type HookSettings, hookFunction } from '../hooks/hook-function.ts';
import { countingOf, readingOf } from '../query/list.ts';
import type { HookCall } from '../query/shape.ts';
import type { Statements } from '../query/statements.ts';
import type { EnumValues } from '../values/input-value.ts';
import type { Value } from '../values/value.ts';
import type { RequestScope } from './request-scope.ts';

export function environmentOf(
  definition: Definition,
  hooks: HookSettings,
  statements: () => Statements,
): ValidationEnvironment {
  const enums = new Map(definition.enums.map(({ name, values }) => [name, values.map((value) => value.name)]));
  const validators = new Map(definition.validators.map((validator) => [validator.name, validator]));
  const environment: ValidationEnvironment = {
    enumValues: (name) => enums.get(name) as readonly string[],
    validator: (name) => validators.get(name) as Validator,
    hook: (hook) => hookRunner(hook, environment, hooks, statements),
  };
  return environment;
}

type Reader = (scope: RequestScope, args?: Arguments) => unknown;

function hookRunner(
  hook: Hook,
  environment: ValidationEnvironment,
  settings: HookSettings,
  statements: () => Statements,
): (scope: Scope, args?: Arguments) => Promise<unknown> {
  const call = checkedCall(hook, settings, environment.enumValues);
  const readers = hook.arguments.map(
    (argument) => [argument.name, readerOf(argument, environment, statements)] as const,
  );
  return async (scope, args) => {
    const values: Record<string, unknown> = {};
    for (const [name, read] of readers) values[name] = await read(scope as RequestScope, args);
    scope.hashing?.hookHasRun();
    return call(values, (scope as RequestScope).context);
  };
}

function readerOf(argument: HookArgument, environment: ValidationEnvironment, statements: () => Statements): Reader {
  if (argument.kind === 'value') return compileExpression(argument.value, environment).run;
  const { query, select } = argument;
  if (query.cardinality === 'count') {
    const counting = countingOf(query, statements());
    return (scope) => counting.count(scope.connection, scope);
  }
  const reading = readingOf(query, select, statements());
  const isSingle = query.cardinality !== 'many';
  return async (scope) => {
    const found = await reading.read(scope.connection, scope);
    return isSingle ? (found[0] ?? null) : found;
  };
}

/** Of a hook that declares its result, nothing else is passed on. */
function checkedCall(hook: Hook, settings: HookSettings, enumValues: EnumValues): CallHook {
  const call = hookFunction(hook, settings);
  const read = declaredResult(hook, enumValues);
  return read ? async (args, context) => read(await call(args, context)) : call;
}

/** A model's hook has its arguments from the statement that reads the record. */
export function modelHookCall(hook: Hook, settings: HookSettings, enumValues: EnumValues): HookCall {
  const call = checkedCall(hook, settings, enumValues);
  return async (args, scope) => {
    scope.hashing?.hookHasRun();
    return ((await call(args, (scope as RequestScope).context)) ?? null) as Value;
  };
}
