/**
 * Live lists: which changes of the database concern one of their callers. A list follows whole tables, and of others only
 * the rows with a certain value in a field, so that most changes concern few callers.
 */
import type { Definition } from './definition.ts';
import type { Endpoint, ListResponse } from './endpoint.ts';
import type { Expression, Query } from './expression.ts';
import { conjuncts, hasNode, modelIn, type Node, nodesIn } from './lookup.ts';
import { memoized } from './memo.ts';
import { reachedFrom } from './request-values.ts';

/** The table of changes. */
export const CHANGES = 'kiln_changes';

/** The most characters of a value that are compared. A longer one also finds those that begin like it. */
export const LONGEST_KEY = 100;

/** Rows of a model that a list reads: those whose field has the value, which is the same for all rows of the list. */
interface LiveRoute {
  readonly model: string;
  readonly field: string;
  readonly value: Expression;
}

export interface LiveReads {
  readonly routes: readonly LiveRoute[];
  /** The models of which any row may matter. */
  readonly whole: ReadonlySet<string>;
  /** Those whose rows are read to know the caller, beside the account itself. */
  readonly ofCaller: ReadonlySet<string>;
  readonly dependsOnCaller: boolean;
}

type LiveEndpoint = Endpoint & { readonly response: ListResponse };

export function isLive(endpoint: Endpoint): endpoint is LiveEndpoint {
  return endpoint.response.kind === 'list' && endpoint.response.live === true;
}

export const liveLists = memoized(({ endpoints }: Definition): readonly LiveEndpoint[] => endpoints.filter(isLive));

export function liveReads(endpoint: LiveEndpoint, definition: Definition): LiveReads {
  const { authReads, records, response, ...rest } = endpoint;
  const { path: _, origin: __, ...query } = response.query;
  const parts = reachedFrom(
    [{ ...rest, model: null }, { ...response, query: { ...query, model: null } }, records.map(insideOf)],
    endpoint.model,
    definition,
  );
  const ofCaller = modelsIn(reachedFrom(authReads, definition.auth?.model ?? '', definition));
  const whole = modelsIn(parts);
  const own = whole.has(endpoint.model) ? undefined : routeOf(response.query);
  if (!own) whole.add(endpoint.model);
  const found = records.map(({ record, model, identify }): LiveRoute => {
    const id = modelIn(definition, model)?.fields.find(({ name }) => name === 'id');
    for (const step of identify?.path ?? []) whole.add(step.model);
    return { model, field: 'id', value: { kind: 'snapshot', record, read: 'id', type: (id as { type: Type }).type } };
  });
  const dependsOnCaller = authReads.length > 0 || hasNode(parts, isCaller);
  return { routes: own ? [own, ...found] : found, whole, ofCaller, dependsOnCaller };
}

type Type = Expression['type'];

function insideOf({ reads, only }: Endpoint['records'][number]): unknown {
  return { reads, only };
}

function isCaller({ kind, from }: Node): boolean {
  return kind === 'authenticated' || from === 'claim';
}

const OF_THE_ROW: ReadonlySet<unknown> = new Set(['field', 'computed', 'record']);

/** The models whose rows are reached by a step or by a query. Those of a field alone are rows that were reached before. */
function modelsIn(parts: unknown): Set<string> {
  const reached = ({ model, kind }: Node) => typeof model === 'string' && !OF_THE_ROW.has(kind);
  return new Set(nodesIn(parts, reached).map(({ model }) => String(model)));
}

// ── Routes ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The rows of the parent, or those that a condition of the filter finds by a value of the request. */
function routeOf({ origin, path, model, filter }: Query): LiveRoute | undefined {
  const [step] = path;
  if (origin.kind === 'record' && step?.kind === 'relation' && path.length === 1)
    return { model, field: step.field, value: origin.id };
  return path.length > 0 ? undefined : conjuncts(filter).flatMap((each) => equalityOf(each, model))[0];
}

function equalityOf(condition: Expression, model: string): readonly LiveRoute[] {
  if (condition.kind !== 'operation' || condition.operator !== 'is') return [];
  const [left, right] = condition.operands as readonly [Expression, Expression];
  return [[left, right] as const, [right, left] as const].flatMap(([field, value]) =>
    field.kind === 'field' && field.path.length === 0 && isKey(field.type, value)
      ? [{ model, field: field.field, value }]
      : [],
  );
}

const KEYS: ReadonlySet<Type['kind']> = new Set(['integer', 'uuid', 'string', 'boolean', 'enum']);
const OF_REQUESTS: ReadonlySet<Expression['kind']> = new Set(['snapshot', 'input', 'request']);

/** Whether the value is the same for all rows, and its text is that of the column. */
function isKey({ kind, many }: Type, { kind: from, type }: Expression): boolean {
  return KEYS.has(kind) && !many && !type.many && type.kind === kind && OF_REQUESTS.has(from);
}

// ── Tables ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The fields of each model by whose values changes are found, for the models that live lists read. */
export const followedModels = memoized((definition: Definition): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, Set<string>>();
  const fieldsOf = (model: string) => found.get(model) ?? found.set(model, new Set()).get(model);
  for (const endpoint of liveLists(definition)) {
    const { routes, whole, ofCaller, dependsOnCaller } = liveReads(endpoint, definition);
    for (const model of [...whole, ...ofCaller]) fieldsOf(model);
    for (const { model, field } of routes) fieldsOf(model)?.add(field);
    if (definition.auth && dependsOnCaller) fieldsOf(definition.auth.model)?.add('id');
  }
  return found;
});

/** What a change of such a row says about it. `column` is that of the definition. */
export function changeKey(column: string, value: string): string {
  return `${column}=${[...value].slice(0, LONGEST_KEY).join('')}`;
}
