/**
 * The meaning of expressions in a populator: they have Faker and iterators, the clock stands still, and random values
 * follow the seed.
 */
import type { Faker } from '@faker-js/faker';
import type { Definition } from '../../compiler/definition/definition.ts';
import type {
  Call,
  Expression,
  Faker as FakerExpression,
  Hook,
  Type,
  Validator,
} from '../../compiler/definition/expression.ts';
import { enumValuesIn } from '../../compiler/definition/lookup.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import {
  type Compiled,
  constant,
  type Environment,
  nary,
  synchronous,
  unary,
  type ValidationEnvironment,
} from '../expressions/compiled.ts';
import { type Arguments, emptyScope, type Scope } from '../expressions/scope.ts';
import type { HookModules } from '../hooks/hook-code.ts';
import { type CallHook, hookFunction, hookName } from '../hooks/hook-function.ts';
import { fitsType } from '../values/kinds.ts';
import { dayOf, timestampFromDate } from '../values/moment.ts';
import { MAX_TOKEN_LENGTH, TOKEN_LENGTH } from '../values/uuid.ts';
import type { Value } from '../values/value.ts';
import { PopulateError } from './populate-error.ts';
import { pick, type Random } from './random.ts';

/** The state of one `repeat` that is running. */
export interface Iteration {
  current: number;
  total: number;
}

export interface PopulatorTools {
  readonly definition: Definition;
  readonly faker: Faker;
  readonly random: Random;
  /** The time of the run, as far as its rows can tell, in milliseconds. */
  readonly clock: number;
  readonly hooks: HookModules;
  readonly passwordHash: (password: string) => string;
  readonly iteration: (name: string) => Iteration;
}

/** The timeout of a hook, in milliseconds. */
const HOOK_TIMEOUT = 30_000;

/** `mayRepeat` says whether texts of Faker may come again after some thousands. */
export function populatorEnvironment(tools: PopulatorTools, mayRepeat: boolean): ValidationEnvironment {
  const { definition, hooks } = tools;
  const environment: ValidationEnvironment = {
    enumValues: enumValuesIn(definition),
    validator: (name) => definition.validators.find((each) => each.name === name) as Validator,
    hook: (hook) => hookRunner(hook, environment, hooks),
    instead: (expression, compile) => meaningOf(expression, compile, environment, tools, mayRepeat),
  };
  return environment;
}

function meaningOf(
  expression: Expression,
  compile: (part: Expression) => Compiled,
  environment: ValidationEnvironment,
  tools: PopulatorTools,
  mayRepeat: boolean,
): Compiled | null {
  switch (expression.kind) {
    case 'iterator': {
      const iteration = tools.iteration(expression.name);
      return synchronous(expression.value === 'current' ? () => iteration.current : () => iteration.total);
    }
    case 'faker':
      return fakerCall(expression, expression.arguments.map(compile), environment, { ...tools, mayRepeat });
    case 'call':
      return callOf(expression, compile, tools);
    default:
      return null;
  }
}

function callOf(call: Call, compile: (part: Expression) => Compiled, tools: PopulatorTools): Compiled | null {
  const [argument] = call.arguments;
  switch (call.function) {
    case 'now':
      return constant(call.type.kind === 'integer' ? tools.clock : timestampFromDate(new Date(tools.clock)));
    case 'today':
      return constant(dayOf(new Date(tools.clock)));
    case 'cryptoHash':
      return argument
        ? unary(compile(argument), (text) => (text === null ? null : tools.passwordHash(String(text))))
        : null;
    case 'cryptoToken': {
      const token = (length: Value) => (length === null ? null : tokenOf(Number(length), tools.random));
      return argument ? unary(compile(argument), token) : synchronous(() => token(TOKEN_LENGTH));
    }
    case 'oneOf':
      return argument
        ? unary(compile(argument), (ids) => picked(argument, ids as readonly Value[], tools.random))
        : null;
    default:
      return null;
  }
}

function picked(from: Expression, ids: readonly Value[], random: Random): Value {
  if (ids.length > 0) return pick(ids, random);
  const relation = from.kind === 'snapshot' ? `${from.record}.${from.read?.replace(/\.id$/, '')}` : from.kind;
  throw new Error(`\`${relation}\` has no records to pick from: create them before`);
}

const BASE64URL = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];

function tokenOf(length: number, random: Random): string {
  if (length < 1 || length > MAX_TOKEN_LENGTH) throw new Error(`a token has 1 to ${MAX_TOKEN_LENGTH} characters`);
  let token = '';
  for (let index = 0; index < length; index++) token += pick(BASE64URL, random);
  return token;
}

/** Runs a hook. There is no request, so its code gets only its arguments. */
function hookRunner(
  hook: Hook,
  environment: ValidationEnvironment,
  modules: HookModules,
): (scope: Scope, args?: Arguments) => Promise<unknown> {
  const call = codeOf(hook, modules);
  const readers = hook.arguments.map((argument) => {
    if (argument.kind === 'query')
      throw new PopulateError(`the hook ${hookName(hook)} reads the database, which a populator cannot`);
    return [argument.name, compileExpression(argument.value, environment).run] as const;
  });
  return async (scope, args) => {
    const values: Record<string, unknown> = {};
    for (const [name, read] of readers) values[name] = await read(scope, args);
    return call(values, {});
  };
}

function codeOf(hook: Hook, modules: HookModules): CallHook {
  try {
    return hookFunction(hook, { modules, timeout: HOOK_TIMEOUT });
  } catch (error) {
    throw new PopulateError((error as Error).message, null, error);
  }
}

// ── Faker calls ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Calls of Faker, bound once. What they give becomes a value of the type that the compiler expects.

function fakerCall(
  expression: FakerExpression,
  args: readonly Compiled[],
  environment: Environment,
  { faker, random, mayRepeat }: { readonly faker: Faker; readonly random: Random; readonly mayRepeat: boolean },
): Compiled {
  const method = methodOf(faker, expression);
  const fitted = fitting(expression.type, environment);
  const isConstant = expression.arguments.every(({ kind }) => kind === 'literal');
  if (!isConstant) return nary(args, (values) => fitted(method(...values)));
  const values = args.map((argument) => argument.run(NOWHERE));
  const draw = () => fitted(method(...values));
  return synchronous(mayRepeat && WORDY.test(expression.module) ? repeating(draw, random) : draw);
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
const WORDY = /^(?:animal|book|commerce|company|food|hacker|location|lorem|music|person|science|vehicle|word)$/;

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
    const checked = fitsType(madeFor(type, value), type, enumValues);
    if (!checked.ok) throw new Error(`the value of Faker is invalid: it ${checked.message}`);
    return checked.value;
  };
}

/** Faker knows neither dates without a time nor numbers of digits. */
function madeFor({ kind, digits }: Type, value: unknown): unknown {
  if (kind === 'date') return value instanceof Date ? dayOf(value) : value;
  return digits && typeof value === 'number' ? value.toFixed(Math.min(digits.places, 100)) : value;
}
