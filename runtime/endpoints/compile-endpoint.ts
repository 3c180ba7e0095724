/** From an endpoint of the definition to the work that is done for its requests. */
import { parameterNames } from '../../compiler/definition/contract/routes.ts';
import type { Definition, Model } from '../../compiler/definition/definition.ts';
import type { Endpoint, Identify } from '../../compiler/definition/endpoint.ts';
import type { Expression } from '../../compiler/definition/expression.ts';
import { ApiError } from '../errors/api-error.ts';
import { compileExpression } from '../expressions/compile-expression.ts';
import type { ValidationEnvironment } from '../expressions/compiled-validation.ts';
import type { EndpointPlan } from '../plan/endpoint-plan.ts';
import { hashesOfInputs } from '../plan/hashes.ts';
import { databaseCheckOf } from '../query/checks.ts';
import type { Bound } from '../query/database.ts';
import { lockOf } from '../query/locks.ts';
import { lookupOf } from '../query/lookup.ts';
import type { Statements } from '../query/statements.ts';
import { inputCheckOf } from '../request/inputs.ts';
import { binderOf } from '../values/bind.ts';
import { valueFromText } from '../values/input-value.ts';
import { normaliseOf } from '../values/normalise.ts';
import type { Value } from '../values/value.ts';
import { runAction } from './action.ts';
import type { EndpointWork } from './endpoint-work.ts';
import { writeAnswer } from './write-answer.ts';

interface CompileTools {
  readonly definition: Definition;
  readonly model: (name: string) => Model;
  readonly environment: ValidationEnvironment;
  readonly statements: Statements;
  readonly listLimit: number;
}

export function compileEndpoint(plan: EndpointPlan, tools: CompileTools): EndpointWork {
  const { endpoint, checks, guards, locked, answersFromPath } = plan;
  const { environment, statements, definition } = tools;
  const select = answersFromPath && endpoint.response.kind === 'record' ? endpoint.response.select : [];
  const actionTools = { ...tools, plan };
  const compiled = (expression: Expression) => compileExpression(expression, environment);
  return {
    plan,
    lookup: endpoint.records.length === 0 ? null : lookupOf({ records: endpoint.records, select, locked }, statements),
    lockFurther: furtherLocks(plan, tools),
    identify: identifying(endpoint, environment),
    authorizeFirst: guards.beforeRecords.map(compiled),
    authorize: guards.afterRecords.map(compiled),
    outer: guards.byOuter.map(({ count, conditions }) => ({
      lookup: lookupOf({ records: endpoint.records.slice(0, count), select: [], locked: new Set() }, statements),
      authorize: conditions.map(compiled),
    })),
    inputs: inputCheckOf(endpoint.request, environment),
    databaseCheck: checks.length === 0 ? null : databaseCheckOf(checks, statements),
    hashes: hashesOfInputs(endpoint.actions).map(compiled),
    actions: endpoint.actions.map((action) => runAction(action, actionTools)),
    answer: writeAnswer(actionTools, definition),
  };
}

function furtherLocks({ lockedFurther }: EndpointPlan, tools: CompileTools): EndpointWork['lockFurther'] {
  if (lockedFurther.length === 0) return null;
  const locks = lockedFurther.map(({ model, id }) => ({
    lock: lockOf(model, tools.statements),
    id: compileExpression(id, tools.environment),
    bind: binderOf(id.type),
  }));
  return async (scope) => {
    for (const { lock, id, bind } of locks) await lock(scope.connection, scope, bind((await id.run(scope)) as Value));
  };
}

/** The model of each record that the expressions of an endpoint name. */
export function modelsOfRecords({ records, actions }: Endpoint, { auth }: Definition): ReadonlyMap<string, string> {
  const found = new Map(records.map(({ record, model }) => [record, model]));
  if (auth) found.set('@auth', auth.model);
  for (const action of actions) {
    if (action.kind === 'create' || action.kind === 'update') found.set(action.record, action.model);
    if (action.kind === 'query' && action.record !== null) found.set(action.record, action.query.model);
  }
  return found;
}

/** An identifier of the wrong type names nothing that could be there: it is a bad request, and no missing record. */
function identifying({ path, records }: Endpoint, environment: ValidationEnvironment): EndpointWork['identify'] {
  const names = parameterNames(path);
  const readers = records.flatMap(({ identify }) => {
    if (!identify) return [];
    const { parameter } = identify;
    const at = names.indexOf(parameter);
    const bind = binderOf(identify.type);
    const normalise = normaliseOf(identify.normalise) ?? ((value: Value) => value);
    const read = (text: string) => bind(normalise(parameterValue(text, identify, environment)));
    return { parameter, at, read };
  });
  return (params) => {
    const identifiers: Record<string, Bound> = {};
    for (const { parameter, at, read } of readers) identifiers[parameter] = read(params[at] as string);
    return identifiers;
  };
}

function parameterValue(text: string, { type, parameter }: Identify, { enumValues }: ValidationEnvironment) {
  const checked = valueFromText(text, type, enumValues);
  if (checked.ok) return checked.value;
  throw new ApiError('malformed-request', { detail: `The part \`${parameter}\` of the path ${checked.message}.` });
}
