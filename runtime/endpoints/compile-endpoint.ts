/** Compiles an endpoint of the definition into the work for its requests. */
import { parameterNames } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Endpoint, Identify, ServiceCall } from '../../compiler/definition/endpoint.ts';
import type { Expression, Hook, HookArgument, Validator } from '../../compiler/definition/expression.ts';
import { enumValuesIn, isOwnCode } from '../../compiler/definition/lookup.ts';
import { readsCaller } from '../../compiler/definition/replicas.ts';
import { DeliveryError } from '../deliver/delivery-error.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { ValidationEnvironment } from '../expressions/compiled.ts';
import type { Arguments, Scope } from '../expressions/scope.ts';
import { declaredResult } from '../hooks/declared-result.ts';
import { type CallHook, type HookSettings, hookFunction } from '../hooks/hook-function.ts';
import type { EndpointPlan } from '../plan/endpoint-plan.ts';
import { hashesOfInputs } from '../plan/input-uses.ts';
import { databaseCheckOf } from '../query/checks.ts';
import type { Bound } from '../query/database.ts';
import { countingOf, readingOf } from '../query/list.ts';
import { lockOf, lookupOf } from '../query/lookup.ts';
import { remembering } from '../query/received.ts';
import type { HookCall } from '../query/shape.ts';
import type { Statements } from '../query/statements.ts';
import { type InputCheck, inputCheckOf, UNREADABLE } from '../request/inputs.ts';
import { binderOf, type EnumValues, unsized, valueFromText } from '../values/kinds.ts';
import { normaliseOf } from '../values/normalise.ts';
import type { SettingValues } from '../values/settings.ts';
import type { Value } from '../values/value.ts';
import type { PreparedCall, RequestScope } from './action-tools.ts';
import type { EndpointWork } from './endpoint-work.ts';
import { takingFiles } from './files.ts';
import { type PartTools, type PartWork, partWork } from './parts.ts';
import { preconditionOf } from './versions.ts';
import { writeAnswer } from './write-answer.ts';

type CompileTools = Omit<PartTools, 'plan' | 'lockFirst' | 'lockFurther'>;

export function compileEndpoint(plan: EndpointPlan, tools: CompileTools): EndpointWork {
  const { endpoint, checks, guards, locked, answersFromPath } = plan;
  const { environment, statements, definition } = tools;
  const select = answersFromPath && endpoint.response.kind === 'record' ? endpoint.response.select : [];
  const lockFirst = locking(plan.lockedFirst, tools);
  const lockFurther = locking(plan.lockedFurther, tools);
  const partTools = { ...tools, plan, lockFirst, lockFurther };
  const unlocked = () => lookupOf({ records: endpoint.records, select: [], locked: new Set() }, statements);
  const compiled = (expression: Expression) => compileExpression(expression, environment);
  return {
    plan,
    remember: endpoint.signed ? remembering(statements) : null,
    lookup: endpoint.records.length === 0 ? null : lookupOf({ records: endpoint.records, select, locked }, statements),
    lockFirst: lockFirst && { lookup: unlocked(), ids: idsOf(plan.lockedFirst, tools), lock: lockFirst },
    lockFurther,
    identify: identifying(endpoint, environment),
    precondition: preconditionOf(endpoint, statements),
    authorizeFirst: guards.beforeRecords.map(compiled),
    authorize: guards.afterRecords.map(compiled),
    asksCaller: guards.beforeRecords.length > 0 || endpoint.records.some(({ only }) => readsCaller(only)),
    outer: guards.byOuter.map(({ count, conditions }) => ({
      lookup: lookupOf({ records: endpoint.records.slice(0, count), select: [], locked: new Set() }, statements),
      authorize: conditions.map(compiled),
    })),
    inputs: inputsOf(endpoint, environment),
    databaseCheck: checks.length === 0 ? null : databaseCheckOf(checks, statements),
    hashes: hashesOfInputs(endpoint.actions).map(compiled),
    parts: plan.parts.map((part) => partWork(part, partTools)) as [PartWork, ...PartWork[]],
    answer: writeAnswer(partTools, definition),
    takeFiles: takingFiles(partTools),
  };
}

function idsOf(records: EndpointPlan['lockedFirst'], { environment }: CompileTools) {
  const ids = records.map(({ id }) => compileExpression(id, environment));
  return async (scope: RequestScope) => JSON.stringify(await Promise.all(ids.map(({ run }) => run(scope))));
}

/** The order in which all requests lock, so that two do not wait for each other in a circle. */
function byRecord(a: { readonly model: string; readonly id: Bound }, b: typeof a): number {
  const [left, right] = [`${a.model} ${a.id}`, `${b.model} ${b.id}`];
  return left < right ? -1 : left > right ? 1 : 0;
}

function locking(records: EndpointPlan['lockedFurther'], tools: CompileTools): EndpointWork['lockFurther'] {
  if (records.length === 0) return null;
  const locks = records.map(({ model, id }) => ({
    model,
    lock: lockOf(model, tools.statements),
    id: compileExpression(id, tools.environment),
    bind: binderOf(id.type),
  }));
  return async (scope) => {
    const bound = [];
    for (const { id, bind, ...each } of locks) bound.push({ ...each, id: bind((await id.run(scope)) as Value) });
    for (const { lock, id } of bound.toSorted(byRecord)) await lock(scope, id);
  };
}

/** An identifier of the wrong type names nothing that could be there: it is a bad request, and no missing record. */
function identifying({ path, records }: Endpoint, environment: ValidationEnvironment): EndpointWork['identify'] {
  const names = parameterNames(path);
  const readers = records.flatMap(({ identify }) => {
    if (!identify) return [];
    const { parameter } = identify;
    const at = names.indexOf(parameter);
    const named = { type: unsized(identify.type), parameter };
    const bind = binderOf(identify.type);
    const normalise = normaliseOf(identify.normalise) ?? ((value: Value) => value);
    const read = (text: string) => bind(normalise(parameterValue(text, named, environment)));
    return { parameter, at, read };
  });
  return (params) => {
    const identifiers: Record<string, Bound> = {};
    for (const { parameter, at, read } of readers) identifiers[parameter] = read(params[at] as string);
    return identifiers;
  };
}

/** Checks the inputs, those of the path first: like an identifier, one of the wrong type is a bad request. */
function inputsOf({ request, path }: Endpoint, environment: ValidationEnvironment): InputCheck {
  const { inPath } = request;
  const ofRequest = inputCheckOf(request, environment);
  if (inPath === undefined) return ofRequest;
  const names = parameterNames(path);
  const ofPath = inputCheckOf({ from: 'query', inputs: inPath }, environment);
  return async (sent, scope, params) => {
    const texts = Object.fromEntries(inPath.map(({ name }) => [name, params[names.indexOf(name)]]));
    const errors = await ofPath(texts, scope, params);
    const unreadable = errors.find(({ code }) => UNREADABLE.has(code));
    if (unreadable) throw badPart(unreadable.path, unreadable.message);
    return [...errors, ...(await ofRequest(sent, scope, params))];
  };
}

function badPart(parameter: string, message: string): ApiError {
  return new ApiError('malformed-request', { detail: `The part \`${parameter}\` of the path ${message}.` });
}

type Parameter = Pick<Identify, 'type' | 'parameter'>;

function parameterValue(text: string, { type, parameter }: Parameter, { enumValues }: ValidationEnvironment) {
  const checked = valueFromText(text, type, enumValues);
  if (checked.ok) return checked.value;
  throw badPart(parameter, checked.message);
}

// ── Environment ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The environment for compiling the expressions of one endpoint: above all, how its hooks are called.

export function environmentOf(
  definition: Definition,
  hooks: HookSettings,
  settings: SettingValues,
  statements: () => Statements,
): ValidationEnvironment {
  const environment: ValidationEnvironment = {
    enumValues: enumValuesIn(definition),
    validator: (name) => definition.validators.find((each) => each.name === name) as Validator,
    settings,
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
  const read = argumentsReader(hook, environment, statements);
  return async (scope, args) => {
    const values = await read(scope as RequestScope, args);
    scope.hashing?.hookHasRun();
    return call(values, (scope as RequestScope).context);
  };
}

/** The arguments of a call are of the transaction that it ends. */
export function callPreparation(
  { hook, timeout }: ServiceCall,
  environment: ValidationEnvironment,
  settings: HookSettings,
  statements: () => Statements,
): (scope: RequestScope) => Promise<PreparedCall> {
  // It has a clock of its own, also in a job.
  const own: HookSettings = { ...settings, timeout: timeout * 1000, late: undefined, kind: 'call' };
  const call = checkedCall(hook, own, environment.enumValues);
  const read = argumentsReader(hook, environment, statements);
  return async (scope) => {
    const values = await read(scope);
    return (context) => call(values, context);
  };
}

function argumentsReader(
  hook: Hook,
  environment: ValidationEnvironment,
  statements: () => Statements,
): (scope: RequestScope, args?: Arguments) => Promise<Readonly<Record<string, unknown>>> {
  const isOwn = isOwnCode(hook.code);
  const readers = hook.arguments.map((argument) => {
    const read = readerOf(argument, environment, statements);
    return [argument.name, isOwn ? readerOfOwn(argument, read) : read] as const;
  });
  return async (scope, args) => {
    const values: Record<string, unknown> = {};
    for (const [name, read] of readers) values[name] = await read(scope, args);
    return values;
  };
}

/** What cannot be computed for a mail is said with the expression as it is written. */
function readerOfOwn({ name, doc }: HookArgument, read: Reader): Reader {
  return async (scope, args) => {
    try {
      return await read(scope, args);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const why = error.errors[0]?.message ?? error.message;
      throw new DeliveryError(`\`${doc ?? name}\` ${why}`, { isFinal: true });
    }
  };
}

function readerOf(argument: HookArgument, environment: ValidationEnvironment, statements: () => Statements): Reader {
  if (argument.kind === 'value') return compileExpression(argument.value, environment).run;
  const { query, select } = argument;
  if (query.cardinality === 'count') {
    const count = countingOf(query, statements());
    return (scope) => count(scope);
  }
  const reading = readingOf(query, select, statements());
  const isSingle = query.cardinality !== 'many';
  return async (scope) => {
    const found = await reading(scope);
    return isSingle ? (found[0] ?? null) : found;
  };
}

/** Calls a hook. If it declares its result, nothing else is passed on. */
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
