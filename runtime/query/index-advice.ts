/**
 * The indexes that the endpoints of a definition lack: a filter reads every record, an order sorts the records of a
 * page, or those of a whole table to give a part of them. It needs no database.
 * test/runtime/operations/index-advice.test.ts compares it with the plans of Postgres.
 */
import { pathPattern } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Endpoint, ListResponse, QueryAction } from '../../compiler/definition/endpoint.ts';
import type { FieldValue, OrderItem, Query } from '../../compiler/definition/expression.ts';
import { type Node, nodesIn } from '../../compiler/definition/lookup.ts';
import { Catalogue } from '../../compiler/definition/sql/catalogue.ts';
import { endpointsOfJob } from '../../compiler/definition/work.ts';
import {
  adviceFor,
  type Index,
  type IndexNeed,
  indexesOf,
  type Lack,
  lackText,
  missingIndexes,
  servesFilter,
  servesOrder,
  type WantedIndex,
} from '../plan/missing-indexes.ts';
import { type FilterCondition, filterConditions } from './filter-conditions.ts';
import { orderInEffect } from './keyset.ts';

export interface LackingIndex {
  readonly model: string;
  readonly lack: Lack;
  /** The words after the name of the endpoint: ``reads every `Post` to filter by `published` ``. */
  readonly says: string;
  /** ``add `index { published, id desc }` to `model Post` `` */
  readonly advice: string;
}

export interface IndexFinding extends LackingIndex {
  /** The endpoint or job: `GET /api/posts`, `job Expire`. */
  readonly sender: string;
  /** The id of the endpoint. */
  readonly endpoint: string;
}

/** Gives each endpoint and each job each index once, with the first purpose that it is for. */
export function indexFindings(definition: Definition): readonly IndexFinding[] {
  const { endpoints, jobs = [] } = definition;
  const senders = [
    ...endpoints.map((endpoint) => ({ endpoint, sender: `${endpoint.method} ${pathPattern(endpoint.path)}` })),
    ...jobs.flatMap((job) => endpointsOfJob(job).map((endpoint) => ({ endpoint, sender: `job ${job.name}` }))),
  ];
  const lacking = lackingIndexes(
    definition,
    senders.map(({ endpoint }) => endpoint),
  );
  return senders.flatMap(({ endpoint: { id }, sender }) =>
    eachIndexOnce(lacking.get(id) ?? []).map((lack) => ({ sender, endpoint: id, ...lack })),
  );
}

/** `GET /api/posts reads every `Post` to filter by `published`: add …` */
export function findingText({ sender, says, advice }: IndexFinding): string {
  return `${sender} ${says}: ${advice}`;
}

/** Finds the missing indexes, by the ids of the endpoints. */
export function lackingIndexes(
  definition: Definition,
  endpoints: readonly Endpoint[] = definition.endpoints,
): ReadonlyMap<string, readonly LackingIndex[]> {
  const around: Around = { catalogue: new Catalogue(definition), inner: new Map() };
  const wanted = endpoints.flatMap((endpoint) =>
    wantsOfEndpoint(endpoint, around).map((want) => ({ ...want, id: endpoint.id })),
  );
  const found = new Map<string, LackingIndex[]>(endpoints.map(({ id }) => [id, []]));
  missingIndexes(wanted, definition).forEach((missing, at) => {
    if (missing === null) return;
    const { model, lack } = missing;
    const lacking = { model, lack, says: lackText(missing), advice: adviceFor(missing, definition) };
    found.get(wanted[at]?.id ?? '')?.push(lacking);
  });
  return found;
}

export function eachIndexOnce(lacks: readonly LackingIndex[]): readonly LackingIndex[] {
  return lacks.filter(({ advice }, at) => lacks.findIndex((other) => other.advice === advice) === at);
}

function wantsOfEndpoint(endpoint: Endpoint, around: Around): readonly WantedIndex[] {
  const { actions, records, authorize, request, response, head } = endpoint;
  const list = response.kind === 'list' ? listWants(response, around) : [];
  const seen = new Set<unknown>(response.kind === 'list' ? [response.query] : []);
  return [
    ...innerWants([records, authorize, request, actions, head], seen, around),
    ...list,
    ...innerWants(response, seen, around),
  ];
}

interface Around {
  readonly catalogue: Catalogue;
  /** The needs of the queries and computed values of models. */
  readonly inner: Map<object, readonly WantedIndex[]>;
}

// ── Lists ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The needs of a list in its usual form, and with each field that clients may choose to filter or to order by. */
function listWants(response: ListResponse, around: Around): readonly WantedIndex[] {
  const { query, page, filterable = [], sortable = [] } = response;
  const conditions = filterConditions(query.filter, query.model, around.catalogue);
  const usual: Reading = { query, conditions, isPage: page !== null, isCut: true, isChoice: false };
  const chosen: readonly Reading[] = [
    ...filterable.flatMap(({ value }) =>
      value.kind === 'field' ? [{ ...usual, conditions: [...conditions, equals(value)] }] : [],
    ),
    ...sortable.map(({ name }) => ({
      ...usual,
      query: { ...query, orderBy: orderInEffect(response, [{ name, descending: false }]) },
    })),
  ];
  return [usual, ...chosen.map((reading) => ({ ...reading, isChoice: true }))].flatMap((one) => wantsOf(one, around));
}

function equals({ path, model, field }: FieldValue): FilterCondition {
  return { kind: 'equal', path, model, field };
}

/** Records that a statement reads. */
interface Reading {
  readonly query: Query;
  readonly conditions: readonly FilterCondition[];
  readonly isPage: boolean;
  /** Whether only the first ones are read. */
  readonly isCut: boolean;
  readonly isChoice: boolean;
}

function wantsOf(reading: Reading, around: Around): readonly WantedIndex[] {
  const { query, conditions, isPage, isCut, isChoice } = reading;
  const isWhole = query.origin.kind === 'model';
  const need = needOf(reading);
  const isFound = !isWhole || conditions.some((condition) => isServed(condition, around));
  const filter = isFound ? undefined : filterNeed(reading, need);
  const isSorted = need.order.length > 0 && (isPage || (isCut && !isFound));
  const lacksOrder = isSorted && !indexesFor(need.model, around).some((index) => servesOrder(index, need));
  return [
    ...(filter ? [{ need: filter, lack: 'filter' as const, isChoice }] : []),
    ...(lacksOrder ? [{ need, lack: 'order' as const, isChoice }] : []),
  ];
}

/** The need, as far as it is about the records themselves. */
function needOf({ query, conditions, isCut }: Reading): IndexNeed {
  const own = conditions.flatMap(comparedFields).filter(({ path }) => path.length === 0);
  return {
    model: query.model,
    equal: [...new Set([...parentKey(query), ...fieldsOf('equal', own)])],
    ranges: [...new Set(fieldsOf('range', own))],
    order: isCut ? ownOrder(query.orderBy) : [],
  };
}

type Compared = Extract<FilterCondition, { readonly field: string }>;

/** Lists the compared fields; several values of one field are a range. */
function comparedFields(condition: FilterCondition): readonly Compared[] {
  if (condition.kind === 'other') return [];
  if (condition.kind !== 'or') return [condition];
  const branches = condition.branches.map((branch) => (branch.length === 1 ? branch.flatMap(comparedFields) : []));
  const [first] = branches[0] ?? [];
  const isSame = (other: Compared | undefined) => other !== undefined && nameOf(other) === nameOf(first as Compared);
  return first && branches.every(([only]) => isSame(only)) ? [{ ...first, kind: 'range' }] : [];
}

function nameOf({ path, field }: Compared): string {
  return [...path.map(({ name }) => name), field].join('.');
}

/** The records of a parent are found by their reference to it. */
function parentKey({ origin, path }: Query): readonly string[] {
  const [step, ...others] = path;
  return origin.kind === 'record' && step?.kind === 'relation' && others.length === 0 ? [step.field] : [];
}

/** The first part of the order, up to the first value that is not a field of the records themselves. */
function ownOrder(orderBy: readonly OrderItem[]): Index {
  const end = orderBy.findIndex(({ value }) => value.kind !== 'field' || value.path.length > 0);
  return (end < 0 ? orderBy : orderBy.slice(0, end)).map(({ value, descending }) => ({
    field: value.kind === 'field' ? value.field : '',
    descending,
  }));
}

/** The need of a filter for the records themselves, or for those at the end of the first path of a compared field. */
function filterNeed({ conditions }: Reading, own: IndexNeed): IndexNeed | undefined {
  if (own.equal.length + own.ranges.length > 0) return own;
  const others = conditions.flatMap(comparedFields);
  const [first] = others;
  if (first === undefined) return undefined;
  const steps = ({ path }: Compared) => path.map(({ name }) => name).join('.');
  const beside = others.filter((other) => steps(other) === steps(first));
  return { model: first.model, equal: fieldsOf('equal', beside), ranges: fieldsOf('range', beside), order: [] };
}

function fieldsOf(kind: Compared['kind'], compared: readonly Compared[]): readonly string[] {
  return compared.filter((one) => one.kind === kind).map(({ field }) => field);
}

function isServed(condition: FilterCondition, around: Around): boolean {
  if (condition.kind === 'other') return false;
  if (condition.kind === 'or')
    return condition.branches.every((branch) => branch.some((inner) => isServed(inner, around)));
  const { model, field } = condition;
  const need: IndexNeed = { model, equal: [field], ranges: [], order: [] };
  return indexesFor(model, around).some((index) => servesFilter(index, need));
}

function indexesFor(model: string, { catalogue }: Around): readonly Index[] {
  return indexesOf(catalogue.model(model).definition);
}

// ── Other queries ───────────────────────────────────────────────────────────────────────────────────────────────────

/** Collects the needs of the queries of actions and hooks, and of those of models that they read. */
function innerWants(node: unknown, seen: ReadonlySet<unknown>, around: Around): readonly WantedIndex[] {
  // The limit of groups is no limit of the records.
  const ofGroups = new Set(nodesIn<Pick<QueryAction, 'query'>>(node, isGroupAction).map(({ query }) => query));
  return nodesIn(node, () => true).flatMap((part) => [
    ...(isQuery(part) && !seen.has(part) ? queryWants(part, !ofGroups.has(part) && isPartOf(part), around) : []),
    ...memberWants(part, around),
  ]);
}

/**
 * The needs of a query or a computed value of a model that the node names. Each is visited once: two members may read
 * each other's models.
 */
function memberWants(node: Node, around: Around): readonly WantedIndex[] {
  const member = memberOf(node, around.catalogue);
  if (member === null) return [];
  const known = around.inner.get(member);
  if (known !== undefined) return known;
  around.inner.set(member, []);
  const wants = innerWants(member, NONE, around);
  around.inner.set(member, wants);
  return wants;
}

function memberOf({ kind, of, name, model, computed }: Node, catalogue: Catalogue): object | null {
  if (kind === 'query' && of !== undefined) return catalogue.model(String(of)).query(String(name));
  if (kind === 'computed' && computed !== undefined)
    return catalogue.model(String(model)).computed(String(computed)).value;
  return null;
}

const NONE: ReadonlySet<unknown> = new Set();

/** The needs of a query. Records of a parent are left out, since only those of one parent are read. */
function queryWants(query: Query, isCut: boolean, around: Around): readonly WantedIndex[] {
  if (query.origin.kind !== 'model') return [];
  const conditions = filterConditions(query.filter, query.model, around.catalogue);
  return wantsOf({ query, conditions, isPage: false, isCut, isChoice: false }, around);
}

function isPartOf({ limit, offset, cardinality }: Query): boolean {
  return limit !== null || offset !== null || cardinality === 'first' || cardinality === 'one';
}

function isGroupAction(node: object): boolean {
  return 'does' in node && 'query' in node && (node.does as QueryAction['does']).kind === 'group';
}

function isQuery(node: object): node is Query {
  return 'origin' in node && 'orderBy' in node && 'cardinality' in node;
}
