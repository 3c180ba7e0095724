/** The actions of an endpoint, in order. Each sees what the ones before it have named. */

import type * as ast from '../ast/ast.ts';
import { RESERVED_CODES } from '../definition/contract/problems.ts';
import { nodesIn } from '../definition/lookup.ts';
import { nearName } from '../diagnostics/words/near-name.ts';
import { directFields } from '../program/parts.ts';
import type { Action, Each, Expression, Input, Model, Query, Refuse, Type, Variable } from '../program/program.ts';
import { ANY, INTEGER, isAny, many, record, scalar, typeName } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { checkHeaders, checkStatus, hasNoBody } from './answer-head.ts';
import { type Context, checkText, pathText, textIfPath } from './context.ts';
import { findingOf } from './extra-inputs.ts';
import { checkCondition, checkFitting } from './fitting.ts';
import { checkGroups } from './groups.ts';
import { checkHook } from './hooks.ts';
import { sayingInputs } from './input-paths.ts';
import { factsWhen } from './narrowing.ts';
import { checkQuery, queriedScope } from './queries.ts';
import { checkRun } from './runs.ts';
import { at, POSITIONS, type Scope, withFacts } from './scope.ts';
import { secretIn } from './secrets.ts';
import { checkSelection, wholeShape } from './selections.ts';
import { checkSets } from './sets.ts';
import { checkValidation } from './validations.ts';
import {
  add,
  checkCreate,
  checkDelete,
  checkUpdate,
  type EndpointContext,
  isOwn,
  named,
  ownKind,
  type Progress,
  unknowable,
  variableName,
} from './write-actions.ts';
import { updatedBeside } from './writes.ts';

/** `first` come before those that are written: they find the records that extra inputs name. */
export function checkActions(endpoint: EndpointContext, start: Scope, first: readonly Action[]): Progress {
  const { written } = endpoint;
  const empty = begun(start, first);
  if (!written.action) return checkDefaultAction(endpoint, empty);
  const end = written.action.actions.reduce((progress, action) => checkNext(endpoint, action, progress), empty);
  reportOwnActions(endpoint, written.action);
  return end;
}

function begun(scope: Scope, actions: readonly Action[]): Progress {
  return { scope, actions, inputs: [], keys: [] };
}

/** A built-in endpoint does what its name says, where the author says nothing else. */
function checkDefaultAction(endpoint: EndpointContext, progress: Progress): Progress {
  const { written, kind } = endpoint;
  const head = written.head;
  if (kind === 'create' || kind === 'update') {
    const items: ast.WriteItem[] = kind === 'update' ? [{ kind: 'input-all', except: [], span: head }] : [];
    const action = { kind, target: undefined, onConflict: undefined, alias: undefined, items, head, span: head };
    return checkAction(endpoint, action, progress);
  }
  return kind === 'delete' ? checkAction(endpoint, { kind, target: undefined, head, span: head }, progress) : progress;
}

function reportOwnActions(endpoint: EndpointContext, { actions, span }: ast.ActionBlock): void {
  const { context, kind } = endpoint;
  const wanted = ownKind(kind);
  if (!wanted) return;
  const [first, ...others] = actions.filter((action) => isOwn(endpoint, action));
  if (!first) context.report('no-own-action', span, { kind: wanted, model: endpoint.entrypoint.model.name });
  for (const other of others)
    context.report('two-own-actions', other.head, { kind: wanted, first: (first as ast.Action).head });
}

/** A second action on the endpoint's own record is refused as a whole. */
function checkNext(endpoint: EndpointContext, action: ast.Action, progress: Progress): Progress {
  const isSecond = progress.own !== undefined && isOwn(endpoint, action);
  if (!isSecond) return checkAction(endpoint, action, progress);
  return unknowable(endpoint, progress, 'alias' in action ? action.alias : undefined);
}

function checkAction(endpoint: EndpointContext, action: ast.Action, progress: Progress): Progress {
  switch (action.kind) {
    case 'create':
      return checkCreate(endpoint, action, progress);
    case 'update':
      return checkUpdate(endpoint, action, progress);
    case 'delete':
      return checkDelete(endpoint, action, progress);
    case 'query':
      return checkQueryAction(endpoint, action, progress);
    case 'for':
      return checkFor(endpoint, action, progress);
    case 'execute':
      return checkExecute(endpoint, action, progress);
    case 'call':
      return checkCall(endpoint, action, progress);
    case 'run':
      return add(progress, checkRun(endpoint.context, action, at(progress.scope, runPosition(progress))));
    case 'respond':
      return checkRespond(endpoint, action, progress);
    case 'validate':
      return checkValidate(endpoint, action, progress);
    case 'refuse':
      return checkRefuse(endpoint, action, progress);
  }
}

// ── For actions ──────────────────────────────────────────────────────────────────────────────────────────────────────

// `for x in list { … }`: actions that are done for each item of a list, or for each record of a collection.

function checkFor(endpoint: EndpointContext, action: ast.ForAction, progress: Progress): Progress {
  const { context } = endpoint;
  const list = context.checkExpression(context, action.list, at(progress.scope, { ...POSITIONS.set, noun: 'a `for`' }));
  if (isAny(list.type) && !isResult(list)) return progress;
  if (!list.type.many) {
    const facts = { path: textIfPath(action.list), type: typeName(list.type), isAny: isAny(list.type) };
    return context.report('not-a-list-input', action.list.span, facts) ?? progress;
  }
  if (action.actions.length === 0) context.report('empty-for', action.head, {});
  const { variable, find } = itemOf(context, action, list, progress);
  const made: Variable[] = [...(find ? [variable] : recordsOfItems(list.type))];
  let inner = named(endpoint, add(progress, find), action.name, variable);
  for (const each of action.actions) {
    inner = checkInside(endpoint, each, { ...inner, each: { variable, list, made: [...made] } });
    const last = inner.actions.at(-1);
    const isMade = (last?.kind === 'create' || last?.kind === 'update') && last.each?.variable === variable;
    if (isMade && !made.includes(last.variable)) made.push(last.variable);
  }
  return { ...inner, scope: progress.scope, each: undefined };
}

/** Tells whether the list is the result of custom code. */
function isResult(list: Expression): boolean {
  return list.kind === 'path' && list.root.kind === 'variable' && list.root.variable.holds === 'result';
}

/** The variable for each item. The records of a collection are read when the `for` begins, which skips those that are null. */
function itemOf(context: Context, { name }: ast.ForAction, list: Expression, { actions }: Progress) {
  const { base, nullItems = false } = list.type;
  const variable: Variable = {
    name: `${name.text}#${actions.length}`,
    type: { base, many: false, nullable: nullItems && base.kind !== 'record' },
    holds: base.kind === 'record' ? 'record' : 'result',
    secret: base.kind === 'record' ? undefined : secretIn(context, list),
  };
  return { variable, find: base.kind === 'record' ? findingOf(variable, base.model, list, undefined) : undefined };
}

/** The records that the items name. */
function recordsOfItems({ base }: Type): readonly Variable[] {
  return base.kind === 'object' ? [...base.members.values()].flatMap(({ variable }) => variable ?? []) : [];
}

function checkInside(endpoint: EndpointContext, action: ast.Action, progress: Progress): Progress {
  const { context } = endpoint;
  if (action.kind === 'for' || action.kind === 'execute' || action.kind === 'call' || action.kind === 'respond')
    return context.report('not-in-for', action.head, { what: `\`${action.kind}\`` }) ?? progress;
  const instead = 'write `set`, with a value that is known before or made of the item';
  const inputs = inputItems(action);
  for (const { what, span } of inputs) context.report('not-in-for', span, { what, instead });
  return inputs.length > 0 ? progress : checkAction(endpoint, action, progress);
}

/** What clients would send for it. */
function inputItems(action: ast.Action): readonly { readonly what: string; readonly span: Span }[] {
  const items = action.kind === 'create' || action.kind === 'update' ? action.items : [];
  const inputs = items.filter((item) => item.kind !== 'set');
  return inputs.map(({ kind, span }) => ({ what: kind === 'reference' ? 'a `reference`' : 'an `input`', span }));
}

// ── Actions that find, run, answer and validate ─────────────────────────────────────────────────────────────────────

function checkQueryAction(endpoint: EndpointContext, action: ast.QueryAction, progress: Progress): Progress {
  const { context } = endpoint;
  reportTwoEffects(endpoint, action);
  const lacksName = !action.alias && !action.update && !action.query.delete && !isOnlyCheck(action);
  if (lacksName) context.report('query-without-alias', action.head, {});
  const { groupBy } = action.query;
  // The order of groups is not that of records.
  const asked = groupBy ? { ...action.query, orderBy: undefined } : action.query;
  const query = checkQuery(context, asked, { ...progress.scope, position: POSITIONS.filter }, 'this query');
  if (lacksName && !query) return withoutName(progress);
  if (!query) return unknowable(endpoint, progress, action.alias);
  if (groupBy && !lacksName) return checkGroupedQuery(endpoint, action, groupBy, query, progress);
  const does = effectOf(endpoint, action, query.model, progress.scope);
  const name = variableName(progress, action.alias, query.model);
  const variable = action.alias && queryVariable(name, query.model, query.cardinality, does.kind);
  const next = add(progress, { kind: 'query', query, variable, does });
  if (lacksName) return withoutName(next);
  return variable ? knownOf(query, named(endpoint, next, action.alias, variable), name) : next;
}

/** What the filter of a query says about its records holds for all that it finds: `rows.note` is not null. */
function knownOf({ filter, cardinality }: Query, progress: Progress, name: string): Progress {
  const facts = filter && cardinality === 'many' ? factsWhen(filter, true) : [];
  const known = facts.flatMap((key) => (key.startsWith('.') ? [`${name}${key}`] : []));
  return { ...progress, scope: withFacts(progress.scope, known) };
}

/** Of `query { …, one }` without a name, what counts is the 404 where there is no record. */
function isOnlyCheck({ query: { cardinality, select, groupBy } }: ast.QueryAction): boolean {
  return cardinality?.value === 'one' && !select && !groupBy;
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
  const name = variableName(progress, alias, query.model);
  const variable = alias && ({ name, type, holds: 'result' } satisfies Variable);
  const does = { kind: 'group', ...grouping } as const;
  const next = add(progress, { kind: 'query', query, variable, does });
  return variable ? named(endpoint, next, alias, variable) : next;
}

function withoutName(progress: Progress): Progress {
  return { ...progress, scope: { ...progress.scope, lacksName: true } };
}

type Effect = Extract<Action, { kind: 'query' }>['does'];

function effectOf({ context }: EndpointContext, action: ast.QueryAction, model: Model, scope: Scope): Effect {
  if (action.query.delete) return { kind: 'delete' };
  if (action.update) {
    const row = at(queriedScope(action.query, model, scope), POSITIONS.queryUpdate);
    const values = checkSets(context, action.update.sets, model, row);
    return { kind: 'update', values: [...values, ...updatedBeside(values, model)] };
  }
  if (action.query.cardinality?.value === 'count') return { kind: 'count' };
  const { select } = action.query;
  const row = at(queriedScope(action.query, model, scope), POSITIONS.select);
  return {
    kind: 'select',
    select: select ? checkSelection(context, select, model, row) : action.alias ? directFields(model) : [],
    shape: wholeShape(context, select),
  };
}

function reportTwoEffects({ context }: EndpointContext, { query, update }: ast.QueryAction): void {
  const [first, second] = [query.select?.span, update?.span, query.delete].filter((span) => span !== undefined);
  if (first && second) context.report('two-deeds', second, { first });
  const changes = update?.span ?? query.delete;
  if (query.groupBy && changes) context.report('two-deeds', changes, { first: query.groupBy.span });
  if (query.groupBy && query.cardinality?.value === 'count')
    context.report('idle-property', query.groupBy.span, { property: 'group by', cardinality: 'count' });
  const count = query.cardinality?.value === 'count' ? query.cardinality.span : undefined;
  if (count && first) context.report('two-deeds', first, { first: count });
}

/** The variable of a query. Reading gives records; changing gives the number of changed records. */
function queryVariable(name: string, model: Model, cardinality: string, effect: Effect['kind']): Variable {
  if (effect !== 'select') return { name, type: INTEGER, holds: 'result' };
  const type: Type = cardinality === 'many' ? many(record(model)) : record(model, cardinality === 'first');
  return { name, type, holds: 'result' };
}

function hookOf({ context }: EndpointContext, action: ast.ExecuteAction | ast.CallAction, { scope }: Progress) {
  const { kind, head, hook } = action;
  if (!hook) return context.report('execute-without-hook', head, { kind });
  const isDelivery = hook.source && 'isOwn' in hook.source;
  return checkHook(context, hook, at(scope, isDelivery ? POSITIONS.receiver : POSITIONS.hookArgument));
}

function checkExecute(endpoint: EndpointContext, action: ast.ExecuteAction, progress: Progress): Progress {
  const { context } = endpoint;
  const hook = hookOf(endpoint, action, progress);
  if (!hook) return unknowable(endpoint, progress, action.alias);
  if (action.responds && action.hook?.returns)
    context.report('returns-with-responds', action.hook.returns.span, { responds: action.responds });
  const type = hook.returns ?? ANY;
  const variable = action.alias && ({ name: action.alias.text, type, holds: 'result' } satisfies Variable);
  const { head, responds } = action;
  const record = variable?.name ?? null;
  const next = add(progress, { kind: 'execute', record, hook, responds: responds !== undefined, head });
  const answered = action.responds ? responding(endpoint, next, action.responds) : next;
  return variable ? named(endpoint, answered, action.alias, variable) : answered;
}

// ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// `call` stands between two transactions, so records are read again behind it: what was known of them is not any more.

function checkCall(endpoint: EndpointContext, action: ast.CallAction, progress: Progress): Progress {
  const { context } = endpoint;
  const { alias } = action;
  const hook = hookOf(endpoint, action, progress);
  if (!hook) return unknowable(endpoint, progress, alias);
  const variable = alias && ({ name: alias.text, type: hook.returns ?? ANY, holds: 'result' } satisfies Variable);
  const called = add(progress, {
    kind: 'service-call',
    record: variable?.name ?? null,
    hook,
    timeout: checkTimeout(context, action.timeout),
    head: action.head,
  });
  const after = { ...called, scope: withoutFactsOfRecords(called.scope) };
  const next = action.onFailure ? checkFailure(endpoint, action.onFailure, after) : after;
  return variable ? named(endpoint, next, alias, variable) : next;
}

const DEFAULT_TIMEOUT = 30;
const LONGEST_TIMEOUT = 600;
const SECONDS: Readonly<Record<string, number>> = { seconds: 1, minutes: 60 };

/** In seconds. */
export function checkTimeout(context: Context, timeout: ast.Expression | undefined): number {
  return timeout ? fixedSeconds(context, timeout, 'bad-timeout') : DEFAULT_TIMEOUT;
}

/** From one second to ten minutes. */
export function fixedSeconds(context: Context, time: ast.Expression, code: 'bad-timeout' | 'bad-staleness'): number {
  const [amount] = time.kind === 'call' ? time.arguments : [];
  const unit = time.kind === 'call' && time.arguments.length === 1 ? SECONDS[pathText(time.function)] : undefined;
  const seconds = unit !== undefined && amount?.kind === 'integer' ? unit * amount.value : 0;
  if (seconds < 1 || seconds > LONGEST_TIMEOUT) context.report(code, time.span, { most: LONGEST_TIMEOUT });
  return seconds;
}

/** Its names are its own. */
function checkFailure(endpoint: EndpointContext, { actions }: ast.ActionBlock, progress: Progress): Progress {
  const end = actions.reduce<Progress>((inner, action) => checkInFailure(endpoint, action, inner), {
    ...progress,
    scope: { ...progress.scope, isFailure: true },
    onFailure: true,
  });
  return { ...end, scope: progress.scope, onFailure: false };
}

const IN_FAILURE: ReadonlySet<string> = new Set<ast.Action['kind']>([
  'create',
  'update',
  'delete',
  'query',
  'for',
  'run',
]);

function checkInFailure(endpoint: EndpointContext, action: ast.Action, progress: Progress): Progress {
  const { context, isJob } = endpoint;
  if (!IN_FAILURE.has(action.kind))
    return context.report('not-in-failure', action.head, { what: `\`${action.kind}\``, isJob }) ?? progress;
  const hooks = nodesIn<{ readonly span: Span }>(action, ({ kind }) => kind === 'hook');
  const wrong = [...inputItems(action), ...hooks.map(({ span }) => ({ what: 'a `hook`', span }))];
  for (const { what, span } of wrong) context.report('not-in-failure', span, { what, isJob });
  return wrong.length > 0 ? progress : checkAction(endpoint, action, progress);
}

/** Keys of inputs and of what a request brings have a blank in them. */
function withoutFactsOfRecords(scope: Scope): Scope {
  const facts = [...scope.facts].filter((key) => key.includes(' ') || !key.includes('.'));
  return { ...scope, facts: new Set(facts) };
}

// ── Jobs ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The actions of a job, or of its `on failure`. Nobody sends anything to them, and nobody waits for a response. */
export function checkJobActions(
  endpoint: EndpointContext,
  { actions }: ast.ActionBlock,
  start: Scope,
  first: readonly Action[],
  inputs: readonly Input[],
  isFailure: boolean,
): readonly Action[] {
  const check = isFailure ? checkInFailure : checkInJob;
  const end = actions.reduce((progress, action) => check(endpoint, action, progress), begun(start, first));
  reportUnknownKeys(endpoint.context, end, inputs);
  return end.actions;
}

function checkInJob(endpoint: EndpointContext, action: ast.Action, progress: Progress): Progress {
  const { context } = endpoint;
  const isRespond = action.kind === 'respond';
  const answer = isRespond ? action.head : action.kind === 'execute' ? action.responds : undefined;
  if (answer)
    return (
      context.report('not-in-job', answer, { what: isRespond ? '`respond`' : '`responds`', isInput: false }) ?? progress
    );
  const sent = inputItems(action);
  for (const { what, span } of sent) context.report('not-in-job', span, { what, isInput: true });
  return sent.length > 0 ? progress : checkAction(endpoint, action, progress);
}

/** As in a \`set\`: a \`for\` has no hooks. */
function runPosition({ each, onFailure }: Progress) {
  return { ...POSITIONS.run, hooks: !each && !onFailure };
}

function responding({ context }: EndpointContext, progress: Progress, span: Span): Progress {
  if (progress.responder) context.report('responds-twice', span, { first: progress.responder });
  return { ...progress, responder: progress.responder ?? span };
}

function checkRespond(endpoint: EndpointContext, action: ast.RespondAction, progress: Progress): Progress {
  const { context } = endpoint;
  const scope = at(progress.scope, POSITIONS.respond);
  const status =
    action.httpStatus &&
    checkFitting(context, action.httpStatus, scope, { type: INTEGER, by: '`httpStatus`', takes: true });
  const known = status?.kind === 'literal' && typeof status.value === 'number' ? status.value : undefined;
  if (status && known !== undefined) checkStatus(context, { value: known, span: status.span }, 'respond');
  reportLostResponse(endpoint, action, known);
  return add(responding(endpoint, progress, action.head), {
    kind: 'respond',
    body: action.body ? context.checkExpression(context, action.body, scope) : null,
    httpStatus: status ?? null,
    httpHeaders: action.httpHeaders ? checkHeaders(context, action.httpHeaders, scope) : [],
  });
}

/** Reports a response without the record if the author only adds a header and so probably does not mean it. */
function reportLostResponse(
  { context, kind }: EndpointContext,
  { body, httpHeaders, head }: ast.RespondAction,
  status: number | undefined,
): void {
  const isMeant = body !== undefined || (status !== undefined && (hasNoBody(status) || status >= 300));
  const answersItself = kind !== 'custom' && kind !== 'delete';
  if (httpHeaders && !isMeant && answersItself) context.report('response-lost', head, { endpoint: kind });
}

function checkValidate({ context }: EndpointContext, action: ast.ValidateAction, progress: Progress): Progress {
  const scope = at(progress.scope, POSITIONS.validate);
  checkText(action.key, context.report);
  const validation = checkValidation(context, action.value, { kind: 'argument' }, scope);
  return validation ? add(progress, { kind: 'validate', key: action.key.value, validation }) : progress;
}

// ── Refuse actions ──────────────────────────────────────────────────────────────────────────────────────────────────

/** Checks a `refuse`. Actions after it rely on its condition being false. */
function checkRefuse(endpoint: EndpointContext, action: ast.RefuseAction, progress: Progress): Progress {
  const { context } = endpoint;
  const { each } = progress;
  const { code, status, message } = action;
  const said = sayingInputs(progress.scope, action.when, message);
  const inside = { ...POSITIONS.refuse, hooks: !each };
  const scope = at(said, inside);
  const when = action.when && checkCondition(context, action.when, scope, '`when`');
  if (RESERVED_CODES.has(code.value)) context.report('reserved-code', code.span, { code: code.value });
  else if (!/^[\w-]+$/.test(code.value)) context.report('bad-refusal-code', code.span, { code: code.value });
  if (status && (status.value < 400 || status.value > 499))
    context.report('bad-refusal-status', status.span, { status: String(status.value) });
  const told = withFacts(at(said, { ...POSITIONS.refuseMessage, hooks: !each }), when ? factsWhen(when, true) : []);
  const place = action.key && (recordKey(action.key, scope) ?? (each && itemKey(context, action.key, scope, each)));
  const refusal: Refuse = {
    kind: 'refuse',
    code: code.value,
    status: status?.value ?? 422,
    when: when ?? null,
    message: message ? checkFitting(context, message, told, { type: TEXT, by: '`message`', takes: true }) : null,
    key: place ?? (action.key ? pathText(action.key) : null),
  };
  const keys = action.key && place === undefined ? [...progress.keys, action.key] : progress.keys;
  const next = add({ ...progress, keys }, refusal);
  return when ? { ...next, scope: withFacts(next.scope, factsWhen(when, false)) } : next;
}

const TEXT = scalar('string');

/** The input of a record that clients name: `key target` is `key target_slug`. */
function recordKey({ steps: [name, member] }: ast.Path, scope: Scope): string | undefined {
  const binding = member ? undefined : scope.names.get(name.text);
  return binding?.kind === 'variable' ? binding.variable.input?.path.join('.') : undefined;
}

/** The place of the item of the loop in the request; nothing where the key is another input. */
function itemKey(context: Context, key: ast.Path, scope: Scope, { variable, list }: Each): string | undefined {
  const [first, member, ...beyond] = key.steps;
  const binding = scope.names.get(first.text);
  const isItem = binding?.kind === 'variable' && binding.variable === variable;
  if (!isItem || list.kind !== 'path' || list.root.kind !== 'input') return undefined;
  const { path, items } = list.root.input;
  if (!member) return `${path.join('.')}[]`;
  const { base } = variable.type;
  const sent = base.kind === 'object' ? base.members.get(member.text) : undefined;
  const input = items?.inputs.find(({ path: [, name], span }) => name === member.text || span === sent?.span);
  if (input && beyond.length === 0) return `${path.join('.')}[].${input.path.at(-1)}`;
  context.checkExpression(context, key, scope);
  return undefined;
}

/** Whether each `key` is an input of the endpoint, perhaps of an action behind the `refuse`. */
export function reportUnknownKeys(context: Context, { keys }: Progress, inputs: readonly Input[]): void {
  if (keys.length === 0) return;
  const names = inputs.flatMap(({ path }) => path.map((_, at) => path.slice(0, at + 1).join('.')));
  const known = [...new Set(names)];
  for (const key of keys) {
    const name = pathText(key);
    if (known.includes(name)) continue;
    const near = nearName(
      name,
      known.map((each) => ({ name: each, span: key.span })),
    );
    context.report('unknown-key-input', key.span, { name, near: near?.name, others: known });
  }
}
