/** Endpoints, complete: path, records, checks, request, actions, response, and what is to be read of each record. */

import { parameterNames, pathPattern } from '../definition/contract/routes.ts';
import type {
  Action,
  AnswerHead,
  Each,
  Endpoint,
  Grouping,
  Link,
  ListField,
  ListResponse,
  PathRecord,
  Response,
  Run,
  ValueInput,
} from '../definition/endpoint.ts';
import type { FieldValue, Query } from '../definition/expression.ts';
import { compare } from '../definition/lookup.ts';
import { collectionPathOf, foundBy, pathOf } from '../program/endpoint-path.ts';
import { onlyOfRow, plainQuery } from '../program/parts.ts';
import type * as program from '../program/program.ts';
import { endpointIds, idPerMethod } from './entrypoints.ts';
import {
  conditionFrom,
  expressionFrom,
  fittingFrom,
  idOf,
  type Lowering,
  lowered,
  outwardFrom,
} from './expressions.ts';
import { assignmentsFrom, inputsFrom, onConflictFrom, setOfEach } from './inputs.ts';
import { validationFrom } from './models.ts';
import { stepFrom, stepsFrom } from './paths.ts';
import { lowering, nameOf, queryFrom, selectionFrom, shownFields } from './queries.ts';
import { AUTH, flagged, normaliseFrom, Reads, typeFrom } from './types.ts';

export function endpointsFrom(endpoints: readonly program.Endpoint[]): readonly Endpoint[] {
  const ids = endpointIds(endpoints);
  const gets = new Map<string, string>();
  for (const endpoint of endpoints)
    if (endpoint.kind === 'get') gets.set(collectionOf(endpoint), ids.get(endpoint) as string);
  const getOf = (endpoint: program.Endpoint) =>
    endpoint.kind === 'create' ? gets.get(collectionOf(endpoint)) : undefined;
  return endpoints
    .flatMap((endpoint) =>
      definedPerMethod(endpointFrom(endpoint, ids.get(endpoint) as string, getOf(endpoint)), endpoint),
    )
    .sort((a, b) => compare(sortKey(a), sortKey(b)));
}

function definedPerMethod(first: Endpoint, endpoint: program.Endpoint): readonly Endpoint[] {
  const [, other] = idPerMethod(first.id, endpoint);
  return other && endpoint.otherMethod ? [first, { ...first, id: other, method: endpoint.otherMethod }] : [first];
}

/**
 * The path of the collection. Entrypoints of several files may share a path: a get of one finds what another creates.
 */
function collectionOf(endpoint: program.Endpoint): string {
  return JSON.stringify(collectionPathOf(endpoint));
}

export function sortKey({ path, method }: Endpoint): string {
  return `${pathPattern(path)} ${method}`;
}

function endpointFrom(endpoint: program.Endpoint, id: string, get: string | undefined): Endpoint {
  const reads = new Reads();
  const around = lowering(reads);
  const authorize = endpoint.authorize.map((guard) => conditionFrom(guard, around));
  const parameters = new Set(parameterNames(endpoint.path ?? []));
  const taken = inputsFrom(endpoint, around);
  const inPath = taken.filter((input) => input.kind === 'value' && parameters.has(input.name)) as readonly ValueInput[];
  const request = {
    from: endpoint.inputsFrom,
    inputs: taken.filter(({ name }) => !parameters.has(name)),
    ...(inPath.length > 0 && { inPath }),
    ...(endpoint.inputsUnder !== undefined && { under: endpoint.inputsUnder }),
  };
  const response = responseFrom(endpoint, get, around);
  // Before the actions, which give what is read of their records.
  const head = endpoint.head && lowered<AnswerHead>(endpoint.head, around);
  const actions = actionsFrom(endpoint.actions, around).map((action, at) => withinScope(action, at, endpoint, around));
  // The caller has been found by then.
  const records = foundBy(endpoint).filter(({ isCaller }) => !isCaller);
  for (const record of records) askForIds(record, endpoint, around);
  const origins = records.map((record) => originOf(record, around));
  const scopes = records.map((record) => scopeOf(record, around));
  return {
    id,
    kind: endpoint.kind,
    api: endpoint.entrypoint.api,
    doc: endpoint.doc,
    method: endpoint.method,
    path: pathOf(endpoint),
    cardinality: endpoint.cardinality,
    ...(endpoint.kind === 'custom' && endpoint.path === undefined ? { atResource: true } : {}),
    model: endpoint.entrypoint.model.name,
    authReads: reads.of(AUTH),
    records: records.map((record, index) => ({ ...recordFrom(record, reads), ...origins[index], ...scopes[index] })),
    authorize,
    request,
    actions,
    response,
    ...(endpoint.versioned && { versioned: true as const }),
    ...(endpoint.stale && { stale: endpoint.stale.seconds }),
    ...(head && { head }),
    ...(endpoint.signed && { signed: endpoint.signed }),
  };
}

/** Asks for the id of a record, because records nested below it are found by it. */
function askForIds(record: program.Entrypoint, endpoint: program.Endpoint, around: Lowering): void {
  const isLast = record === endpoint.entrypoint;
  if (!isLast || endpoint.response || endpoint.versioned || isReadAgain(record.variable, endpoint.actions, around))
    idOf(record.variable.name, record.model, false, around);
}

/** Whether a record is read again by its id: behind a call, or for the next item of a loop that changes it. */
function isReadAgain({ name }: program.Variable, actions: readonly program.Action[], { reads }: Lowering): boolean {
  const isWithoutId = reads.of(name).length > 0 && reads.of(name).every((read) => read.name !== 'id');
  return actions.some(({ kind, each }) => kind === 'service-call' || (isWithoutId && each));
}

function askForRecord(action: program.Action, around: Lowering): void {
  if (action.kind === 'create' || action.kind === 'update') idOf(action.variable.name, action.model, false, around);
  const isOne = action.kind === 'query' && action.does.kind === 'select' && action.query.cardinality !== 'many';
  if (isOne && action.variable) idOf(action.variable.name, action.query.model, false, around);
}

/** The origin of a record in `entrypoint @auth`: it is found from the caller. */
function originOf({ parent }: program.Entrypoint, around: Lowering): Pick<PathRecord, 'origin'> {
  if (!parent?.isCaller) return {};
  return { origin: { kind: 'record', id: idOf(parent.variable.name, parent.model, false, around) } };
}

function scopeOf(record: program.Entrypoint, around: Lowering): Pick<PathRecord, 'only'> {
  const only = onlyOfRow(record);
  return only ? { only: conditionFrom(only, around) } : {};
}

/** A record of the entrypoint that a create finds by its key is within the entrypoint's scope, too. */
function withinScope(action: Action, at: number, endpoint: program.Endpoint, around: Lowering): Action {
  const source = endpoint.actions[at];
  if (action.kind !== 'create' || !action.onConflict || source?.kind !== 'create' || !source.own) return action;
  return { ...action, onConflict: { ...action.onConflict, ...scopeOf(endpoint.entrypoint, around) } };
}

function recordFrom(entrypoint: program.Entrypoint, reads: Reads): PathRecord {
  const { identify, through, variable, model } = entrypoint;
  return {
    record: variable.name,
    model: model.name,
    through: through ? stepFrom(through) : null,
    identify: identify
      ? {
          parameter: identify.parameter,
          path: stepsFrom(identify.steps),
          model: identify.field.model.name,
          field: identify.field.name,
          type: flagged(typeFrom(identify.field.type), false),
          ...normaliseFrom(identify.field.normalise),
        }
      : null,
    reads: reads.of(variable.name),
  };
}

function responseFrom(endpoint: program.Endpoint, get: string | undefined, around: Lowering): Response {
  const { response, answer, kind } = endpoint;
  if (!response) return { kind: endpoint.actions.some(answers) ? 'action' : 'nothing' };
  const select = selectionFrom(response, around);
  if (endpoint.list)
    return {
      kind: 'list',
      query: listQuery(endpoint, endpoint.list, around),
      page: endpoint.list.options.page,
      ...listFieldsFrom(endpoint.list.options, around),
      select,
      ...nameOf(endpoint.shape),
      ...(endpoint.list.live && { live: true as const }),
    };
  const variable = answer as program.Variable;
  idOf(variable.name, endpoint.entrypoint.model, false, around);
  return {
    kind: 'record',
    status: kind === 'create' ? 201 : 200,
    record: variable.name,
    select,
    ...nameOf(endpoint.shape),
    location: kind === 'create' ? (get ?? null) : null,
  };
}

function answers(action: program.Action): boolean {
  return action.kind === 'respond' || (action.kind === 'execute' && action.responds);
}

function listFieldsFrom(
  { filterable, sortable, searchable, search }: program.List['options'],
  around: Lowering,
): Pick<ListResponse, 'filterable' | 'sortable' | 'searchable' | 'search'> {
  const each = <Value extends ListField['value']>({ name, value }: program.ListField) => {
    return { name, value: expressionFrom(value, around) as Value };
  };
  return {
    ...(filterable && {
      filterable: filterable.map((field) => ({ ...each(field), ...normaliseOf(field.member) })),
    }),
    ...(sortable && { sortable: sortable.map(each) }),
    ...(searchable && { searchable: searchable.map(each<FieldValue>) }),
    ...(search && { search }),
  };
}

function normaliseOf(member: program.ListField['member']) {
  return member.kind === 'field' ? normaliseFrom(member.normalise) : {};
}

/** The query of a list: all records of the model, or those of the relation of the parent. */
function listQuery({ entrypoint }: program.Endpoint, list: program.List, around: Lowering): Query {
  const { model, through, parent } = entrypoint;
  const root = parent && ({ kind: 'variable', variable: parent.variable } as const);
  const all = plainQuery({ root, steps: through ? [through] : [], model, cardinality: 'many' });
  const { filter, orderBy, limit } = list;
  return queryFrom({ ...all, filter, orderBy, limit }, around);
}

// ── Actions ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Lowers the actions. Their reads of each other are known only after all have been lowered. */
export function actionsFrom(actions: readonly program.Action[], around: Lowering): readonly Action[] {
  const done = actions.map((action) => ({ ...actionFrom(action, around), ...placeFrom(action, around) }));
  for (const action of actions)
    if ('variable' in action && action.variable && isReadAgain(action.variable, actions, around))
      askForRecord(action, around);
  return done.map((action) => withReads(action, around.reads));
}

function withReads(action: Action, reads: Reads): Action {
  switch (action.kind) {
    case 'create':
    case 'update':
      return { ...action, reads: reads.of(action.record) };
    case 'query': {
      const { does, record } = action;
      const isRead = (does.kind === 'select' || does.kind === 'find') && record !== null;
      return isRead ? { ...action, does: { ...does, reads: reads.of(record) } } : action;
    }
    default:
      return action;
  }
}

/** Lowers an action without the reads of its record. */
function actionFrom(action: program.Action, around: Lowering): Action {
  switch (action.kind) {
    case 'create':
      return {
        kind: 'create',
        record: action.variable.name,
        model: action.model.name,
        values: assignmentsFrom('create', action.model, action.values, around),
        ...(action.onConflict ? { onConflict: onConflictFrom(action.onConflict, action, around) } : {}),
        ...placeFrom(action, around),
        ...(action.onlyWith ? { onlyWith: action.onlyWith.path } : {}),
        link: linkFrom(action.link, around),
        reads: [],
      };
    case 'update':
      return {
        kind: 'update',
        record: action.variable.name,
        model: action.model.name,
        id: expressionFrom(action.target, around),
        values: assignmentsFrom('update', action.model, action.values, around),
        reads: [],
      };
    case 'delete':
      return {
        kind: 'delete',
        model: action.model.name,
        target: deleteTarget(action, around),
        link: linkFrom(action.link, around),
      };
    case 'query':
      return queryActionFrom(action, around);
    case 'run':
      return runFrom(action, around);
    case 'respond':
      return {
        kind: 'respond',
        body: action.body ? outwardFrom(action.body, around, shownFields) : null,
        httpStatus: action.httpStatus ? expressionFrom(action.httpStatus, around) : null,
        httpHeaders: action.httpHeaders.map((header) => lowered(header, around)),
      };
    case 'validate':
      return { kind: 'validate', key: action.key, validation: validationFrom(action.validation, around) };
    case 'execute':
    case 'service-call':
    case 'refuse': {
      const { each: _, onFailure: _failure, ...own } = action;
      return lowered<Action>(own, around);
    }
  }
}

export function runFrom({ kind, job, values, due, once, line }: program.Run, around: Lowering): Run {
  const given = values.map(({ input: { input, type }, value }) => ({
    input: input.path[0],
    value: fittingFrom(value, type, around),
  }));
  return {
    kind,
    job: job.name,
    values: given,
    ...lowered<Pick<Run, 'due' | 'once' | 'line'>>({ due, once, line }, around),
  };
}

function placeFrom({ each, onFailure }: program.Action, around: Lowering) {
  return { ...(each && { each: eachFrom(each, around) }), ...(onFailure && { onFailure }) };
}

function eachFrom({ variable, list, made }: program.Each, around: Lowering): Each {
  return { item: variable.name, list: expressionFrom(list, around), made: made.map(({ name }) => name) };
}

function linkFrom(link: program.Link | undefined, around: Lowering): Link | null {
  if (!link) return null;
  const { parent, reference } = link;
  idOf(parent.name, reference.model, false, around);
  return { record: parent.name, model: reference.model.name, field: reference.field.name };
}

type DeleteTarget = Extract<Action, { kind: 'delete' }>['target'];

function deleteTarget({ target, model }: program.Delete, around: Lowering): DeleteTarget {
  if (!target.type.many) return { kind: 'id', id: expressionFrom(target, around) };
  const query = plainQuery({ ...(target as program.Path), model, cardinality: 'many' });
  return { kind: 'query', query: queryFrom(query, around) };
}

function queryActionFrom(action: program.QueryAction, around: Lowering): Action {
  const { does, variable } = action;
  if (does.kind === 'find' && variable) idOf(variable.name, action.query.model, false, around);
  // A record that is found by its id has no other condition.
  const query = queryFrom(does.kind === 'find' ? { ...action.query, filter: undefined } : action.query, around);
  return {
    kind: 'query',
    record: variable?.name ?? null,
    query: does.kind === 'group' ? { ...query, orderBy: [] } : query,
    does: doesFrom(does, around),
  };
}

type GroupAction = Grouping & { readonly kind: 'group' };

function doesFrom(does: program.QueryAction['does'], around: Lowering): Extract<Action, { kind: 'query' }>['does'] {
  switch (does.kind) {
    case 'group':
      return lowered<GroupAction>(does, around);
    case 'find': {
      const { ids, input } = does;
      return { kind: 'find', ids: expressionFrom(ids, around), input: input?.path ?? null, reads: [] };
    }
    case 'select':
      return { kind: 'select', select: selectionFrom(does.select, around), ...nameOf(does.shape), reads: [] };
    case 'update':
      return { kind: 'update', values: does.values.map((value) => setOfEach(value, around)) };
    default:
      return does;
  }
}
