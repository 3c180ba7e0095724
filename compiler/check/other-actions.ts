/** Actions that find, run, answer and validate. */
import type * as ast from '../ast/ast.ts';
import type { Action, Expression, Model, Query, Type, Variable } from '../program/program.ts';
import { ANY, INTEGER, many, nullable, record, scalar } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { add, type EndpointContext, named, type Progress, unknowable } from './action-progress.ts';
import type { Context } from './context.ts';
import { checkFitting, reportMisfit } from './fitting.ts';
import { checkGroups } from './groups.ts';
import { checkHook } from './hooks.ts';
import { checkQuery, queriedScope } from './queries.ts';
import { at, POSITIONS, type Scope } from './scope.ts';
import { checkSelection, directFields } from './selections.ts';
import { wholeShape } from './shapes.ts';
import { checkText } from './texts.ts';
import { checkValidation } from './validations.ts';
import { checkSets, updatedBeside } from './writes.ts';

export function checkQueryAction(endpoint: EndpointContext, action: ast.QueryAction, progress: Progress): Progress {
  const { context } = endpoint;
  reportTwoDeeds(endpoint, action);
  const lacksName = !action.alias && !action.update && !action.query.delete;
  if (lacksName) context.report('query-without-alias', action.head, {});
  const { groupBy } = action.query;
  // The order of groups is not that of records.
  const asked = groupBy ? { ...action.query, orderBy: undefined } : action.query;
  const query = checkQuery(context, asked, { ...progress.scope, position: POSITIONS.filter }, 'this query');
  if (lacksName && !query) return withoutName(progress);
  if (!query) return unknowable(endpoint, progress, action.alias);
  if (groupBy && !lacksName) return checkGroupedQuery(endpoint, action, groupBy, query, progress);
  const does = deedOf(endpoint, action, query.model, progress.scope);
  const variable = action.alias && queryVariable(action.alias, query.model, query.cardinality, does.kind);
  const next = add(progress, { kind: 'query', query, variable, does });
  if (lacksName) return withoutName(next);
  return variable ? named(endpoint, next, action.alias, variable) : next;
}

function checkGroupedQuery(
  endpoint: EndpointContext,
  { alias, query: written }: ast.QueryAction,
  groupBy: ast.Selection,
  query: Query,
  progress: Progress,
): Progress {
  const { grouping, row } = checkGroups(endpoint.context, written, groupBy, query, progress.scope);
  const type: Type = query.cardinality === 'many' ? many(row) : { ...row, nullable: query.cardinality === 'first' };
  const variable = alias && ({ name: alias.text, type, holds: 'result' } satisfies Variable);
  const next = add(progress, { kind: 'query', query, variable, does: { kind: 'group', ...grouping } });
  return variable ? named(endpoint, next, alias, variable) : next;
}

function withoutName(progress: Progress): Progress {
  return { ...progress, scope: { ...progress.scope, lacksName: true } };
}

type Deed = Extract<Action, { kind: 'query' }>['does'];

function deedOf({ context }: EndpointContext, action: ast.QueryAction, model: Model, scope: Scope): Deed {
  if (action.query.delete) return { kind: 'delete' };
  if (action.update) {
    const row = at(queriedScope(action.query, model, scope), POSITIONS.queryUpdate);
    const values = checkSets(context, action.update.sets, model, row);
    return { kind: 'update', values: [...values, ...updatedBeside(values, model)] };
  }
  if (action.query.cardinality?.value === 'count') return { kind: 'count' };
  const { select } = action.query;
  const response = at(queriedScope(action.query, model, scope), POSITIONS.response);
  return {
    kind: 'select',
    select: select ? checkSelection(context, select, model, response) : directFields(model),
    shape: wholeShape(context, select),
  };
}

function reportTwoDeeds({ context }: EndpointContext, { query, update }: ast.QueryAction): void {
  const deeds = [query.select?.span, update?.span, query.delete].filter((span) => span !== undefined);
  const [first, second] = deeds;
  if (first && second) context.report('two-deeds', second, { first });
  const changes = update?.span ?? query.delete;
  if (query.groupBy && changes) context.report('two-deeds', changes, { first: query.groupBy.span });
  if (query.groupBy && query.cardinality?.value === 'count')
    context.report('idle-property', query.groupBy.span, { property: 'group by', cardinality: 'count' });
  const count = query.cardinality?.value === 'count' ? query.cardinality.span : undefined;
  if (count && first) context.report('two-deeds', first, { first: count });
}

/** Reading gives records; changing gives the number of records that were changed. */
function queryVariable(alias: ast.Name, model: Model, cardinality: string, deed: Deed['kind']): Variable {
  if (deed !== 'select') return { name: alias.text, type: INTEGER, holds: 'result' };
  const type: Type = cardinality === 'many' ? many(record(model)) : record(model, cardinality === 'first');
  return { name: alias.text, type, holds: 'result' };
}

export function checkExecute(endpoint: EndpointContext, action: ast.ExecuteAction, progress: Progress): Progress {
  const { context } = endpoint;
  if (!action.hook) {
    context.report('execute-without-hook', action.head, {});
    return unknowable(endpoint, progress, action.alias);
  }
  const hook = checkHook(context, action.hook, at(progress.scope, POSITIONS.hookArgument));
  if (action.responds && action.hook.returns)
    context.report('returns-with-responds', action.hook.returns.span, { responds: action.responds });
  const type = hook.returns ?? ANY;
  const variable = action.alias && ({ name: action.alias.text, type, holds: 'result' } satisfies Variable);
  const next = add(progress, { kind: 'execute', hook, variable, responds: action.responds !== undefined });
  const answered = action.responds ? responding(endpoint, next, action.responds) : next;
  return variable ? named(endpoint, answered, action.alias, variable) : answered;
}

function responding({ context }: EndpointContext, progress: Progress, span: Span): Progress {
  if (progress.responder) context.report('responds-twice', span, { first: progress.responder });
  return { ...progress, responder: progress.responder ?? span };
}

export function checkRespond(endpoint: EndpointContext, action: ast.RespondAction, progress: Progress): Progress {
  const { context } = endpoint;
  const scope = at(progress.scope, POSITIONS.respond);
  const status =
    action.httpStatus &&
    checkFitting(context, action.httpStatus, scope, { type: INTEGER, by: '`httpStatus`', takes: true });
  if (status?.kind === 'literal') checkStatus(context, status);
  reportSameHeaders(context, action.httpHeaders);
  return add(responding(endpoint, progress, action.head), {
    kind: 'respond',
    body: action.body && context.checkExpression(context, action.body, scope),
    httpStatus: status,
    httpHeaders: action.httpHeaders.map((header) => checkHeader(context, header, scope)),
  });
}

function checkStatus(context: Context, { value, span, type }: Extract<Expression, { kind: 'literal' }>): void {
  const isStatus = typeof value === 'number' && value >= 200 && value <= 599;
  if (!isStatus && type.base.kind === 'integer') context.report('bad-status', span, { status: String(value) });
}

/** Names of headers are the same whatever their case; several values of one are a list. */
function reportSameHeaders(context: Context, headers: readonly ast.HttpHeader[]): void {
  const first = new Map<string, Span>();
  for (const { name } of headers) {
    const key = name.value.toLowerCase();
    const earlier = first.get(key);
    if (earlier) context.report('header-twice', name.span, { name: name.value, first: earlier });
    else first.set(key, name.span);
  }
}

/** A text, a list of texts, or null, which removes the header. */
function checkHeader(context: Context, header: ast.HttpHeader, scope: Scope) {
  const { name } = header;
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name.value))
    context.report('bad-header-name', name.span, { name: name.value });
  const value = context.checkExpression(context, header.value, scope);
  const text = scalar('string');
  const wanted = nullable(value.type.many ? many(text) : text);
  if (value.type.base.kind !== 'integer')
    reportMisfit(context, value, { type: wanted, by: `the header \`${name.value}\``, takes: true });
  return { name: name.value, value };
}

export function checkValidate({ context }: EndpointContext, action: ast.ValidateAction, progress: Progress): Progress {
  const scope = at(progress.scope, POSITIONS.validate);
  checkText(action.key, context.report);
  const validation = checkValidation(context, action.value, { kind: 'argument' }, scope);
  return validation ? add(progress, { kind: 'validate', key: action.key.value, validation }) : progress;
}
