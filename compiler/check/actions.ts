/** The actions of an endpoint, in order. Each sees what the ones before it have named. */
import type * as ast from '../ast/ast.ts';
import type {
  Action,
  Assignment,
  EndpointKind,
  Entrypoint,
  Expression,
  Field,
  Input,
  Link,
  Model,
  Relation,
  Type,
  Variable,
} from '../program/program.ts';
import { ANY, INTEGER, isAny, many, nullable, record, scalar, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import type { Context } from './context.ts';
import { recordPath } from './entrypoints.ts';
import { checkFitting, reportMisfit } from './fitting.ts';
import { checkHook } from './hooks.ts';
import { reportUnknownModel } from './members.ts';
import { checkQuery, queriedScope, reportHiddenName } from './queries.ts';
import { at, type Binding, POSITIONS, type Scope, withName } from './scope.ts';
import { checkSelection, directFields } from './selections.ts';
import { checkValidation } from './validations.ts';
import { checkSet, checkWrite, settableField, type WriteRequest } from './writes.ts';

/** The endpoint around the actions. */
export interface Place {
  readonly context: Context;
  readonly kind: EndpointKind;
  readonly written: ast.EndpointDeclaration;
  readonly entrypoint: Entrypoint;
  /** The entrypoint's alias, as the author wrote it. */
  readonly alias: ast.Name | undefined;
}

/** What has come about so far. */
export interface Progress {
  readonly scope: Scope;
  readonly actions: readonly Action[];
  readonly inputs: readonly Input[];
  /** The record that the endpoint's own action made or changed. */
  readonly own: Variable | undefined;
  /** Where something answers the request, so that two do not. */
  readonly responder: Span | undefined;
}

export function checkActions(place: Place, start: Scope): Progress {
  const { written } = place;
  const empty: Progress = { scope: start, actions: [], inputs: [], own: undefined, responder: undefined };
  if (!written.action) return checkDefaultAction(place, empty);
  const end = written.action.actions.reduce((progress, action) => checkAction(place, action, progress), empty);
  reportOwnActions(place, written.action);
  return end;
}

const OWN_KINDS: Readonly<Record<EndpointKind, 'create' | 'update' | 'delete' | undefined>> = {
  create: 'create',
  update: 'update',
  delete: 'delete',
  list: undefined,
  get: undefined,
  custom: undefined,
};

/** A built-in endpoint does what its name says, where the author says nothing else. */
function checkDefaultAction(place: Place, progress: Progress): Progress {
  const { written, kind } = place;
  const head = written.head;
  if (kind === 'create' || kind === 'update') {
    const items: ast.WriteItem[] = kind === 'update' ? [{ kind: 'input-all', except: [], span: head }] : [];
    return checkAction(place, { kind, target: undefined, alias: undefined, items, head, span: head }, progress);
  }
  return kind === 'delete' ? checkAction(place, { kind, target: undefined, head, span: head }, progress) : progress;
}

/** The one with no target, or with the entrypoint's model or alias. */
function isOwn({ kind, entrypoint, alias }: Place, action: ast.Action): boolean {
  if (
    action.kind !== OWN_KINDS[kind] ||
    (action.kind !== 'create' && action.kind !== 'update' && action.kind !== 'delete')
  )
    return false;
  if (!action.target) return true;
  const [first, ...more] = action.target.steps;
  const isName = action.target.kind === 'path' && first !== undefined && more.length === 0;
  return isName && (first.text === entrypoint.model.name || first.text === alias?.text);
}

function reportOwnActions(place: Place, { actions, span }: ast.ActionBlock): void {
  const { context, kind } = place;
  const wanted = OWN_KINDS[kind];
  if (!wanted) return;
  const [first, ...others] = actions.filter((action) => isOwn(place, action));
  if (!first) context.report('no-own-action', span, { kind: wanted, model: place.entrypoint.model.name });
  for (const other of others)
    context.report('two-own-actions', (other as ast.WriteAction).head, {
      kind: wanted,
      first: (first as ast.WriteAction).head,
    });
}

function checkAction(place: Place, action: ast.Action, progress: Progress): Progress {
  switch (action.kind) {
    case 'create':
      return checkCreate(place, action, progress);
    case 'update':
      return checkUpdate(place, action, progress);
    case 'delete':
      return checkDelete(place, action, progress);
    case 'query':
      return checkQueryAction(place, action, progress);
    case 'execute':
      return checkExecute(place, action, progress);
    case 'respond':
      return checkRespond(place, action, progress);
    case 'validate':
      return checkValidate(place, action, progress);
  }
}

function add(progress: Progress, action: Action | undefined): Progress {
  return action ? { ...progress, actions: [...progress.actions, action] } : progress;
}

/** Binds the alias, if there is one, to what the action gives. */
function named(place: Place, progress: Progress, alias: ast.Name | undefined, variable: Variable): Progress {
  if (!alias) return progress;
  reportHiddenName(place.context, alias, progress.scope);
  const binding: Binding = { kind: 'variable', variable, span: alias.span };
  return { ...progress, scope: withName(progress.scope, alias.text, binding) };
}

/** What an action names that could not be read: it fits everywhere, so that nothing follows from it. */
function unknowable(place: Place, progress: Progress, alias: ast.Name | undefined): Progress {
  return alias ? named(place, progress, alias, { name: alias.text, type: ANY, holds: 'record' }) : progress;
}

// ── create, update, delete ──────────────────────────────────────────────────────────────────────────────────────────

interface CreateTarget {
  readonly model: Model;
  readonly fixed: readonly Assignment[];
  readonly link: Link | undefined;
}

function checkCreate(place: Place, action: ast.WriteAction, progress: Progress): Progress {
  const own = isOwn(place, action);
  const target = own ? ownCreateTarget(place, action) : createTarget(place, action, progress.scope);
  if (!target) return unknowable(place, progress, action.alias);
  const alias = ownAlias(place, action, own);
  const variable: Variable = {
    name: alias?.text ?? `${target.model.name}#${progress.actions.length}`,
    type: record(target.model),
    holds: 'record',
  };
  const write = checkWrite(place.context, {
    ...requestOf(action, target.model, progress.scope),
    fixed: target.fixed,
    withheld: [],
    inputs: own ? { kind: 'root' } : alias ? { kind: 'under', name: alias.text } : { kind: 'none' },
    implicit: true,
  });
  const created: Action = {
    kind: 'create',
    own,
    model: target.model,
    variable,
    values: write.values,
    link: target.link,
  };
  return named(place, written(progress, created, write, own ? variable : undefined), alias, variable);
}

function requestOf(
  action: ast.WriteAction,
  model: Model,
  scope: Scope,
): Pick<WriteRequest, 'kind' | 'model' | 'items' | 'scope' | 'head'> {
  return { kind: action.kind, model, items: action.items, scope, head: action.head };
}

/** After a write: its inputs are part of the request, and the endpoint's own are names from here on. */
function written(
  progress: Progress,
  action: Action,
  write: ReturnType<typeof checkWrite>,
  own: Variable | undefined,
): Progress {
  const ownInputs = own ? new Map([...progress.scope.ownInputs, ...write.names]) : progress.scope.ownInputs;
  return {
    ...progress,
    scope: { ...progress.scope, ownInputs },
    actions: [...progress.actions, action],
    inputs: [...progress.inputs, ...write.inputs],
    own: own ?? progress.own,
  };
}

/** `create endpoint as a` and `create as a` both name the record; saying it in both places is saying it twice. */
function ownAlias({ context, written: endpoint }: Place, action: ast.WriteAction, own: boolean): ast.Name | undefined {
  if (own && endpoint.alias && action.alias) {
    context.report('duplicate-property', action.alias.span, { property: 'as', first: endpoint.alias.span });
  }
  return action.alias ?? (own ? endpoint.alias : undefined);
}

function ownCreateTarget({ entrypoint }: Place, action: ast.WriteAction): CreateTarget {
  const { model, through, parent } = entrypoint;
  if (!through || !parent) return { model, fixed: [], link: undefined };
  if (through.kind === 'reference') return { model, fixed: [], link: { parent: parent.variable, reference: through } };
  return { model, fixed: [keyOf(through, recordPath(parent.variable, action.head))], link: undefined };
}

function keyOf(relation: Relation, parent: Expression): Assignment {
  return { field: relation.through.field, value: parent };
}

/** A model by its name, or a relation of a record that has been named. */
function createTarget(place: Place, action: ast.WriteAction, scope: Scope): CreateTarget | undefined {
  const { context } = place;
  if (!action.target) {
    reportNoTarget(place, action);
    return undefined;
  }
  const { kind, steps } = action.target;
  const [first, second] = steps;
  if (kind === 'auth' || !first || second) return relationTarget(place, action.target, scope);
  const model = context.models.get(first.text);
  if (model) return { model, fixed: [], link: undefined };
  reportUnknownModel(context, first, 'create');
  return undefined;
}

function relationTarget({ context }: Place, target: ast.Path | ast.AuthPath, scope: Scope): CreateTarget | undefined {
  const path = context.checkExpression(context, target, at(scope, targetPosition('create')));
  if (path.kind !== 'path' || isAny(path.type)) return undefined;
  const relation = path.steps.at(-1);
  if (relation?.kind !== 'relation') {
    context.report('create-in-what', target.span, { path: textOf(target), type: typeName(path.type) });
    return undefined;
  }
  const parentPath = { ...target, steps: target.steps.slice(0, -1) } as ast.Path | ast.AuthPath;
  const parent = context.checkExpression(context, parentPath, at(scope, targetPosition('create')));
  reportMisfit(context, parent, { type: record(relation.model), by: `\`create ${textOf(target)}\``, takes: true });
  return { model: relation.from, fixed: [keyOf(relation, parent)], link: undefined };
}

function reportNoTarget(
  { context, written: endpoint, entrypoint, alias }: Place,
  action: ast.WriteAction | ast.DeleteAction,
): void {
  const isMany =
    endpoint.endpoint === 'custom'
      ? endpoint.cardinality?.value === 'many'
      : endpoint.endpoint === 'list' || endpoint.endpoint === 'create';
  const record = isMany ? undefined : alias?.text;
  context.report('action-without-target', action.head, {
    kind: action.kind,
    model: entrypoint.model.name,
    record,
    hasRecord: !isMany,
  });
}

/** Whether a model is named where a record is asked for, and nothing else has its name. */
function isModel({ context }: Place, { kind, steps }: ast.Path | ast.AuthPath, scope: Scope): boolean {
  const [first, second] = steps;
  return (
    kind === 'path' && first !== undefined && !second && context.models.has(first.text) && !scope.names.has(first.text)
  );
}

function targetPosition(kind: 'create' | 'update' | 'delete') {
  return { ...POSITIONS.set, noun: kind === 'update' ? 'an `update`' : `a \`${kind}\`` };
}

function textOf({ kind, steps }: ast.Path | ast.AuthPath): string {
  return [...(kind === 'auth' ? ['@auth'] : []), ...steps.map((step) => step.text)].join('.');
}

function checkUpdate(place: Place, action: ast.WriteAction, progress: Progress): Progress {
  const own = isOwn(place, action);
  const target = own ? recordPath(place.entrypoint.variable, action.head) : singleTarget(place, action, progress.scope);
  const model = target?.type.base.kind === 'record' ? target.type.base.model : undefined;
  if (!target || !model) return unknowable(place, progress, action.alias);
  const alias = ownAlias(place, action, own);
  const under = alias?.text ?? nameOf(action.target);
  const write = checkWrite(place.context, {
    ...requestOf(action, model, progress.scope),
    fixed: [],
    withheld: own ? parentKey(place.entrypoint) : [],
    inputs: own ? { kind: 'root' } : under ? { kind: 'under', name: under } : { kind: 'none' },
    implicit: false,
  });
  const variable: Variable = {
    name: alias?.text ?? `${model.name}#${progress.actions.length}`,
    type: record(model),
    holds: 'record',
  };
  const updated: Action = { kind: 'update', own, model, target, variable, values: write.values };
  return named(place, written(progress, updated, write, own ? variable : undefined), alias, variable);
}

function parentKey({ through }: Entrypoint): readonly Field[] {
  return through?.kind === 'relation' ? [through.through.field] : [];
}

/** A target that is just a name gives its name to the inputs too. */
function nameOf(target: ast.Path | ast.AuthPath | undefined): string | undefined {
  return target?.kind === 'path' && target.steps.length === 1 ? target.steps[0].text : undefined;
}

/** One record, and surely there. */
function singleTarget(place: Place, action: ast.WriteAction, scope: Scope): Expression | undefined {
  const { context } = place;
  if (!action.target) {
    reportNoTarget(place, action);
    return undefined;
  }
  if (isModel(place, action.target, scope)) {
    context.report('not-one-record', action.target.span, {
      path: textOf(action.target),
      kind: action.kind,
      type: 'a model',
    });
    return undefined;
  }
  const target = context.checkExpression(context, action.target, at(scope, targetPosition(action.kind)));
  if (isAny(target.type)) return undefined;
  if (target.type.base.kind !== 'record' || target.type.many) {
    context.report('not-one-record', action.target.span, {
      path: textOf(action.target),
      kind: action.kind,
      type: typeName(target.type),
    });
    return undefined;
  }
  reportMisfit(context, target, { type: record(target.type.base.model), by: `\`${action.kind}\``, takes: true });
  return target;
}

function checkDelete(place: Place, action: ast.DeleteAction, progress: Progress): Progress {
  const { entrypoint } = place;
  if (isOwn(place, action)) {
    const { variable, through, parent, model } = entrypoint;
    const link = through?.kind === 'reference' && parent ? { parent: parent.variable, reference: through } : undefined;
    return {
      ...add(progress, { kind: 'delete', own: true, model, target: recordPath(variable, action.head), link }),
      own: variable,
    };
  }
  const target = deleteTarget(place, action, progress.scope);
  if (target?.type.base.kind !== 'record') return progress;
  return add(progress, { kind: 'delete', own: false, model: target.type.base.model, target, link: undefined });
}

/** One record, or a collection, which is deleted whole. */
function deleteTarget(place: Place, action: ast.DeleteAction, scope: Scope): Expression | undefined {
  const { context } = place;
  if (!action.target) {
    reportNoTarget(place, action);
    return undefined;
  }
  if (isModel(place, action.target, scope)) {
    context.report('not-one-record', action.target.span, {
      path: textOf(action.target),
      kind: action.kind,
      type: 'a model',
    });
    return undefined;
  }
  const target = context.checkExpression(context, action.target, at(scope, targetPosition(action.kind)));
  if (isAny(target.type)) return undefined;
  if (target.type.base.kind !== 'record') {
    context.report('not-one-record', action.target.span, {
      path: textOf(action.target),
      kind: 'delete',
      type: typeName(target.type),
    });
    return undefined;
  }
  const wanted = target.type.many ? many(target.type) : record(target.type.base.model);
  reportMisfit(context, target, { type: wanted, by: '`delete`', takes: true });
  return target;
}

// ── query, execute, respond, validate ───────────────────────────────────────────────────────────────────────────────

function checkQueryAction(place: Place, action: ast.QueryAction, progress: Progress): Progress {
  const { context } = place;
  reportTwoDeeds(place, action);
  if (!action.alias && !action.update && !action.delete) context.report('query-without-alias', action.head, {});
  const query = checkQuery(context, action.query, { ...progress.scope, position: POSITIONS.filter }, 'this query');
  if (!query) return unknowable(place, progress, action.alias);
  const does = deedOf(place, action, query.model, progress.scope);
  const variable = action.alias && queryVariable(action.alias, query.model, query.cardinality, does.kind);
  const next = add(progress, { kind: 'query', query, variable, does });
  return variable ? named(place, next, action.alias, variable) : next;
}

type Deed = Extract<Action, { kind: 'query' }>['does'];

function deedOf({ context }: Place, action: ast.QueryAction, model: Model, scope: Scope): Deed {
  if (action.delete) return { kind: 'delete' };
  if (action.update) {
    const row = at(queriedScope(action.query, model, scope), POSITIONS.queryUpdate);
    const given = new Map<Field, Span>();
    return {
      kind: 'update',
      values: action.update.sets.flatMap((set) => checkQuerySet(context, set, model, row, given)),
    };
  }
  if (action.query.cardinality?.value === 'count') return { kind: 'count' };
  const { select } = action.query;
  const response = at(queriedScope(action.query, model, scope), POSITIONS.response);
  return { kind: 'select', select: select ? checkSelection(context, select, model, response) : directFields(model) };
}

function checkQuerySet(context: Context, set: ast.SetItem, model: Model, scope: Scope, given: Map<Field, Span>) {
  const field = settableField(context, set.name, model);
  if (!field) return [];
  const first = given.get(field);
  if (first) context.report('given-twice', set.name.span, { field: field.name, first });
  given.set(field, set.name.span);
  return [{ field, value: checkSet(context, field, set, scope) }];
}

function reportTwoDeeds({ context }: Place, { query, update, delete: remove }: ast.QueryAction): void {
  const deeds = [query.select?.span, update?.span, remove].filter((span) => span !== undefined);
  const [first, second] = deeds;
  if (first && second) context.report('two-deeds', second, { first });
  const count = query.cardinality?.value === 'count' ? query.cardinality.span : undefined;
  if (count && first) context.report('two-deeds', first, { first: count });
}

/** Reading gives records; changing gives the number of records that were changed. */
function queryVariable(alias: ast.Name, model: Model, cardinality: string, deed: Deed['kind']): Variable {
  if (deed !== 'select') return { name: alias.text, type: INTEGER, holds: 'result' };
  const type: Type = cardinality === 'many' ? many(record(model)) : record(model, cardinality === 'first');
  return { name: alias.text, type, holds: 'result' };
}

function checkExecute(place: Place, action: ast.ExecuteAction, progress: Progress): Progress {
  const { context } = place;
  if (!action.hook) {
    context.report('execute-without-hook', action.head, {});
    return unknowable(place, progress, action.alias);
  }
  const hook = checkHook(context, action.hook, at(progress.scope, POSITIONS.hookArgument));
  const variable = action.alias && ({ name: action.alias.text, type: ANY, holds: 'result' } satisfies Variable);
  const next = add(progress, { kind: 'execute', hook, variable, responds: action.responds !== undefined });
  const answered = action.responds ? responding(place, next, action.responds) : next;
  return variable ? named(place, answered, action.alias, variable) : answered;
}

function responding({ context }: Place, progress: Progress, span: Span): Progress {
  if (progress.responder) context.report('responds-twice', span, { first: progress.responder });
  return { ...progress, responder: progress.responder ?? span };
}

function checkRespond(place: Place, action: ast.RespondAction, progress: Progress): Progress {
  const { context } = place;
  const scope = at(progress.scope, POSITIONS.respond);
  const status =
    action.httpStatus &&
    checkFitting(context, action.httpStatus, scope, { type: INTEGER, by: '`httpStatus`', takes: true });
  if (status?.kind === 'literal') checkStatus(context, status);
  return add(responding(place, progress, action.head), {
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

/** A text, a list of texts, or null, which removes the header. */
function checkHeader(context: Context, header: ast.HttpHeader, scope: Scope) {
  const { name } = header;
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name.value))
    context.report('bad-header-name', name.span, { name: name.value });
  const value = context.checkExpression(context, header.value, scope);
  const wanted = value.type.many ? many(scalar('string')) : nullable(scalar('string'));
  if (value.type.base.kind !== 'integer')
    reportMisfit(context, value, { type: wanted, by: `the header \`${name.value}\``, takes: true });
  return { name: name.value, value };
}

function checkValidate({ context }: Place, action: ast.ValidateAction, progress: Progress): Progress {
  const scope = at(progress.scope, POSITIONS.validate);
  const validation = checkValidation(context, action.value, { kind: 'argument' }, scope);
  return validation ? add(progress, { kind: 'validate', key: action.key.value, validation }) : progress;
}
