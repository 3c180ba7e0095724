/** Endpoints: what each kind may say, what it takes from the client, and what it answers. */

import type * as ast from '../ast/ast.ts';
import { broughtBy } from '../definition/contract/list-parameters.ts';
import { directFields, onlyOfRow } from '../program/parts.ts';
import type {
  Endpoint,
  EndpointKind,
  Entrypoint,
  Expression,
  HttpMethod,
  Input,
  List,
  Model,
  Selected,
  Variable,
} from '../program/program.ts';
import { BOOLEAN, NULL, record } from '../program/type.ts';
import type { Span } from '../source/source-file.ts';
import { checkActions, fixedSeconds, reportUnknownKeys } from './actions.ts';
import { checkHead, hasNoBody } from './answer-head.ts';
import { type Context, checkText } from './context.ts';
import { extraFields, parametersOf, reportParameters, segmentsOf } from './endpoint-paths.ts';
import { type CheckedEntrypoint, isSingle } from './entrypoints.ts';
import { checkExtraInputs, takesBody } from './extra-inputs.ts';
import { checkListFields } from './field-paths.ts';
import { checkCondition } from './fitting.ts';
import { type Held, holdingUnknown, sayingInputs } from './input-paths.ts';
import { factsWhen } from './narrowing.ts';
import { checkPaging, reportTakenNames } from './paging.ts';
import { checkOrderBy } from './queries.ts';
import { at, overRecords, POSITIONS, type Scope, withFacts, withName } from './scope.ts';
import { checkSelection, wholeShape } from './selections.ts';
import { shownBy } from './shown-values.ts';
import { checkSigned, reportCalls, withoutCaller } from './signed.ts';
import type { ApiEndpoint, Progress } from './write-actions.ts';

type Methods = Pick<Endpoint, 'method' | 'otherMethod'>;

const ONLY_METHOD: Readonly<Record<Exclude<EndpointKind, 'custom'>, Methods>> = {
  list: { method: 'GET', otherMethod: undefined },
  get: { method: 'GET', otherMethod: undefined },
  create: { method: 'POST', otherMethod: undefined },
  update: { method: 'PATCH', otherMethod: undefined },
  delete: { method: 'DELETE', otherMethod: undefined },
};

const ALL: readonly EndpointKind[] = ['list', 'get', 'create', 'update', 'delete', 'custom'];

const LISTS: readonly EndpointKind[] = ['list'];

/** The kinds of endpoints that may have each property. Those of lists may also be in a `GET many` without actions. */
const KINDS: Readonly<Record<ast.EndpointProperty, readonly EndpointKind[]>> = {
  response: ALL.filter((kind) => kind !== 'delete'),
  authorize: ALL,
  extra_inputs: ALL,
  action: ALL,
  filter: LISTS,
  order_by: LISTS,
  filterable: LISTS,
  sortable: LISTS,
  searchable: LISTS,
  paginable: LISTS,
  limit: LISTS,
  live: LISTS,
  stale: ['list', 'get', 'custom'],
  method: ['update', 'custom'],
  endpoint_cardinality_property: ['custom'],
  segment: ['custom'],
  answer_status: ALL,
  answer_headers: ALL,
  inputs_under: ALL,
  signed_by: ['custom'],
};

const isOfLists = (property: ast.EndpointProperty): boolean => KINDS[property] === LISTS;

/** Whether an endpoint can have a property at all. */
export function fitsEndpoint(property: string, endpoint: EndpointKind, isList: boolean): boolean {
  const isProperty = (name: string): name is ast.EndpointProperty => Object.hasOwn(KINDS, name);
  if (!isProperty(property)) return true;
  return KINDS[property].includes(endpoint) || (isList && isOfLists(property));
}

export function checkEndpoint(
  context: Context,
  written: ast.EndpointDeclaration,
  around: CheckedEntrypoint,
): Endpoint | undefined {
  const { entrypoint } = around;
  const kind = written.endpoint;
  const isList = listsRecords(written);
  const endpoint: ApiEndpoint = { context, kind, written, around, entrypoint, alias: around.written.alias, isList };
  reportMisplaced(endpoint);
  if (!fitsSingle(endpoint)) return undefined;
  const route = routeOf(context, written);
  if (!route) return undefined;
  const seen = route.cardinality === 'one' ? around.inner : around.outer(kind);
  const isSigned = written.signed !== undefined;
  const held: Held[] = [];
  const authorize = checkAuthorize(endpoint, seen, holdingUnknown(context, kind, held));
  const allowed = withFacts(
    { ...seen, isSigned },
    authorize.flatMap((guard) => factsWhen(guard, true)),
  );
  reportParameters(endpoint, route);
  const fields = extraFields(written, route);
  const { inputs: extra, finds, scope } = checkExtraInputs(context, fields, allowed, route);
  const acting = { ...endpoint, context: holdingUnknown(context, kind, held, kind) };
  const progress = checkActions(acting, scope, finds);
  for (const tell of held) tell(progress.scope);
  if (isSigned) reportCalls(context, progress.actions);
  const inputs = [...extra, ...progress.inputs];
  reportUnknownKeys(context, progress, inputs);
  const list = isList ? checkListing(endpoint, { ...scope, results: progress.scope.names }) : undefined;
  reportInputs(endpoint, route, progress.inputs, inputs, list);
  if (list && written.paginable) reportTakenNames(context, written.paginable, list);
  const answer = answerOf(endpoint, progress);
  const versioned = around.written.versioned !== undefined && (route.cardinality === 'one' || kind === 'create');
  if (list && answer.response) reportHiddenOrder(endpoint, list, answer.response);
  return {
    kind,
    entrypoint,
    doc: written.doc,
    authorize,
    signed: checkSigned(endpoint, route),
    inputs,
    inputsFrom: takesBody(route.method) ? 'body' : 'query',
    inputsUnder: keyOfInputs(endpoint, takesBody(route.method) && inputs.length > parametersOf(route).size),
    actions: progress.actions,
    list,
    head: checkHead(endpoint, progress, versioned && answer.response !== undefined),
    versioned,
    stale: written.stale && {
      seconds: fixedSeconds(context, written.stale, 'bad-staleness'),
      span: written.stale.span,
    },
    span: written.head,
    ...route,
    ...answer,
  };
}

// ── What may be said ────────────────────────────────────────────────────────────────────────────────────────────────

/** A `GET many` without actions is a list as soon as it says which records, in which order, or what of them. */
function listsRecords({ endpoint, method, cardinality, action, properties }: ast.EndpointDeclaration): boolean {
  if (endpoint !== 'custom') return endpoint === 'list';
  const isBareGet = method?.value === 'GET' && cardinality?.value === 'many' && !action;
  return isBareGet && properties.some(({ property }) => property === 'response' || isOfLists(property));
}

function reportMisplaced({ context, kind: endpoint, written, around, isList }: ApiEndpoint): void {
  const { properties, alias } = written;
  for (const { property, text, span } of properties) {
    const facts = { property: text, endpoint, kinds: KINDS[property], isOfLists: isOfLists(property) };
    if (!fitsEndpoint(property, endpoint, isList)) context.report('property-not-here', span, facts);
  }
  if (alias && endpoint !== 'create' && endpoint !== 'update') {
    const resource = around.written.resource.text;
    context.report('alias-not-here', alias.span, {
      endpoint,
      alias: alias.text,
      resource,
      isMany: endpoint === 'list',
    });
  }
}

/** A single entrypoint has one record at most: nothing to list, and what must be there cannot be made or deleted. */
function fitsSingle({ context, written, entrypoint }: ApiEndpoint): boolean {
  if (entrypoint.isCaller) return fitsCaller(context, written, entrypoint);
  if (!isSingle(entrypoint.through)) return true;
  const { endpoint, head, cardinality } = written;
  const { name } = entrypoint.through;
  const isMany = endpoint === 'list' || cardinality?.value === 'many';
  if (isMany) context.report('many-on-single', head, { resource: name });
  else if (!entrypoint.optional && (endpoint === 'create' || endpoint === 'delete')) {
    context.report('required-single', head, { resource: name, endpoint, declared: entrypoint.through.span });
  }
  return !isMany;
}

/** The caller is there, and is one. */
function fitsCaller(context: Context, written: ast.EndpointDeclaration, { model }: Entrypoint): boolean {
  const { endpoint, head, cardinality } = written;
  const refused = endpoint === 'list' || endpoint === 'create' ? endpoint : cardinality?.value === 'many' && 'many';
  if (refused) context.report('caller-endpoint', head, { endpoint: refused, model: model.name });
  return !refused;
}

type Route = Pick<Endpoint, 'method' | 'otherMethod' | 'cardinality' | 'path'>;

function routeOf(context: Context, written: ast.EndpointDeclaration): Route | undefined {
  const { endpoint, method, cardinality, path } = written;
  if (endpoint !== 'custom') {
    const isMany = endpoint === 'list' || endpoint === 'create';
    const own = endpoint === 'update' && method ? methodsOfUpdate(context, method) : ONLY_METHOD[endpoint];
    return { cardinality: isMany ? 'many' : 'one', path: undefined, ...own };
  }
  if (method && cardinality) {
    const segments = path && segmentsOf(context, path);
    if (method.other)
      context.report('several-methods', method.other.span, { method: method.other.value, first: method.span });
    return { method: method.value, otherMethod: undefined, cardinality: cardinality.value, path: segments };
  }
  const lacks = [!method && 'method', !cardinality && 'cardinality'].filter((name) => name !== false);
  return context.report('incomplete-custom', written.head, { lacks });
}

function methodsOfUpdate(context: Context, { other, ...first }: ast.Method): Methods {
  const method = methodOfUpdate(context, first);
  const otherMethod = other && methodOfUpdate(context, other);
  if (!other || otherMethod !== method) return { method, otherMethod };
  if (other.value === first.value) context.report('several-methods', other.span, { method, first: first.span });
  return { method, otherMethod: undefined };
}

function methodOfUpdate(context: Context, { value, span }: ast.Method): HttpMethod {
  if (value === 'PUT' || value === 'PATCH') return value;
  context.report('update-method', span, { method: value });
  // PATCH prevents further diagnostics, such as inputs that a GET cannot have.
  return 'PATCH';
}

// ── authorize ───────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Checks the `authorize` rules from the outside in, its own one in a context of its own. Each may rely on those before it.
 * What rules of the entrypoint say
 * about the caller is not for signed requests.
 */
function checkAuthorize({ context, written, around }: ApiEndpoint, seen: Scope, own: Context): readonly Expression[] {
  const guards = [...around.guards, ...(written.authorize ? [written.authorize] : [])];
  let scope = seen;
  const isSomebody = around.isOfCaller && context.authModel ? [somebody(context.authModel, written.head)] : [];
  const isSigned = written.signed !== undefined;
  const checked = guards.flatMap((guard) => {
    const isOwn = guard === written.authorize;
    const inner = at(isOwn ? { ...scope, isSigned } : scope, POSITIONS.authorize);
    const checked = checkCondition(isOwn ? own : context, guard, inner);
    const parts = isSigned ? withoutCaller(checked) : [checked];
    scope = withFacts(
      scope,
      parts.flatMap((part) => factsWhen(part, true)),
    );
    return parts;
  });
  return [...isSomebody, ...checked];
}

/** The rule that `entrypoint @auth` implies: `@auth is not null`. */
function somebody(model: Model, span: Span): Expression {
  const root = { kind: 'auth', model, known: false } as const;
  const caller: Expression = { kind: 'path', root, steps: [], type: record(model, true), span };
  const nobody: Expression = { kind: 'literal', value: null, type: NULL, span };
  return { kind: 'operation', operator: 'is not', operands: [caller, nobody], type: BOOLEAN, span };
}

// ── Inputs ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The key of the entrypoint is for its endpoints that take a body, and not for those below it. Services do not know it. */
function keyOfInputs({ context, written, around }: ApiEndpoint, takesInputs: boolean): string | undefined {
  const { inputsUnder, signed } = written;
  if (inputsUnder) checkText(inputsUnder, context.report);
  if (inputsUnder && !takesInputs) context.report('no-body-inputs', inputsUnder.span, { key: inputsUnder.value });
  const key = inputsUnder ?? (signed ? undefined : around.written.inputsUnder);
  return takesInputs ? key?.value : undefined;
}

/** Two inputs of one name, and inputs that a request without a body cannot carry. */
function reportInputs(
  { context, kind, written }: ApiEndpoint,
  route: Route,
  ofActions: readonly Input[],
  all: readonly Input[],
  list: List | undefined,
): void {
  const { method } = route;
  if (!takesBody(method) && ofActions.length > 0) {
    const inputs = ofActions.map(({ path }) => path.join('.'));
    context.report('inputs-without-body', written.head, { method, isCustom: kind === 'custom', inputs });
  }
  const taken = new Map<string, number>();
  for (const key of all.map(({ path }) => path.join('.'))) taken.set(key, (taken.get(key) ?? 0) + 1);
  const groups = new Set(all.filter(({ path }) => path.length === 2).map(({ path }) => path[0]));
  for (const [key, count] of taken) {
    const brought = list && broughtBy(list.options, key);
    if (count === 1 && !groups.has(key) && !brought) continue;
    const extra = written.extraInputs?.fields.findLast(({ name }) => name.text === key)?.name.span;
    const renamed = all.findLast(({ path, renamedAt }) => renamedAt && path.join('.') === key)?.renamedAt;
    const parameter = !renamed && !groups.has(key) && parametersOf(route).has(key) ? written.path?.span : undefined;
    const at = parameter ?? extra ?? renamed;
    const by = parameter ? 'parameter' : at ? 'name' : 'alias';
    context.report('input-twice', at ?? written.head, { input: key, by, brought });
  }
}

// ── Lists and answers ───────────────────────────────────────────────────────────────────────────────────────────────

function checkListing({ context, written, entrypoint }: ApiEndpoint, scope: Scope): List {
  const page = written.paginable ? checkPaging(context, written.paginable) : null;
  const rows = overRecords(scope, entrypoint, POSITIONS.filter);
  const filter = written.filter && checkCondition(context, written.filter, sayingInputs(rows, written.filter));
  const ordered = at(withFacts(rows, filter ? factsWhen(filter, true) : []), POSITIONS.orderBy);
  return {
    filter: both(onlyOfRow(entrypoint), filter),
    orderBy: checkOrderBy(context, written.orderBy, ordered),
    options: { page, ...checkListFields(context, written, entrypoint, page) },
    limit: written.limit && checkListLimit(context, written.limit, written.paginable),
    live: written.live,
  };
}

function both(only: Expression | undefined, filter: Expression | undefined): Expression | undefined {
  if (!only || !filter) return only ?? filter;
  return { kind: 'operation', operator: 'and', operands: [only, filter], type: BOOLEAN, span: filter.span };
}

/** A longer list is more than anybody reads at once; pages serve it better. */
const LONGEST_LIST = 100_000;

function checkListLimit(context: Context, { value, span }: ast.WholeNumber, page: ast.Paginable | undefined): number {
  if (page) context.report('limit-beside-pages', span, { paginable: page.span });
  else if (value < 1 || value > LONGEST_LIST) context.report('bad-list-limit', span, { value, most: LONGEST_LIST });
  return value;
}

/** A cursor contains the values of the order, so the response has to show them. */
function reportHiddenOrder({ context, written }: ApiEndpoint, list: List, response: readonly Selected[]): void {
  const cursor = written.paginable?.byCursor;
  if (!cursor) return;
  const isShown = shownBy(response);
  for (const { value } of [...list.orderBy, ...(list.options.sortable ?? [])])
    if (!isShown(value)) context.report('hidden-order', value.span, { cursor });
}

/** Checks a response that no endpoint uses. It must be valid all the same. */
export function checkIdleResponse(context: Context, { written, entrypoint, inner }: CheckedEntrypoint): void {
  const isAnswered = written.endpoints.some((each) => {
    const answers = each.endpoint === 'custom' ? listsRecords(each) : each.endpoint !== 'delete';
    return answers && !each.response;
  });
  if (!written.response || isAnswered) return;
  checkSelection(context, written.response, entrypoint.model, overRecords(inner, entrypoint, POSITIONS.response));
}

type Answer = Pick<Endpoint, 'response' | 'shape' | 'answer'>;

const NO_ANSWER: Answer = { response: undefined, shape: undefined, answer: undefined };

/** In a response, the name of the entrypoint's record is the record that is answered, as the actions have left it. */
function answeredRows({ scope, actions }: Progress, around: CheckedEntrypoint, variable: Variable): Scope {
  const alias = variable === around.entrypoint.variable ? undefined : around.written.alias;
  const named = alias ? withName(scope, alias.text, { kind: 'variable', variable, span: alias.span }) : scope;
  const rows = overRecords(named, { ...around.entrypoint, variable }, POSITIONS.response);
  const { name } = variable;
  const ofRow = (fact: string) => (fact.startsWith(`${name}.`) ? [fact.slice(name.length)] : []);
  return withFacts(rows, actions.length > 0 ? [] : [...scope.facts].flatMap(ofRow));
}

/** The record or records that the endpoint answers with, where no action answers instead. */
function answerOf({ context, kind, written, around, isList }: ApiEndpoint, progress: Progress): Answer {
  const { response } = written;
  if (kind === 'delete') return NO_ANSWER;
  if (kind === 'custom' && !isList) {
    if (!response) return NO_ANSWER;
    if (written.cardinality?.value === 'many')
      return context.report('response-without-record', response.span, {}) ?? NO_ANSWER;
  }
  const { filter, orderBy, filterable, sortable, searchable, paginable, limit } = written;
  const says = response ?? filter ?? orderBy ?? filterable ?? sortable ?? searchable ?? paginable ?? limit;
  if (says && progress.responder) context.report('responds-twice', progress.responder, { first: says.span });
  const { model, variable } = around.entrypoint;
  const selection = response ?? around.written.response;
  const rows = answeredRows(progress, around, (kind === 'update' && progress.own) || variable);
  const select = selection ? checkSelection(context, selection, model, rows) : directFields(model);
  if (progress.responder || hasNoBody(written.status?.value)) return NO_ANSWER;
  const shape = wholeShape(context, selection);
  return { response: select, shape, answer: isList ? undefined : (progress.own ?? variable) };
}
