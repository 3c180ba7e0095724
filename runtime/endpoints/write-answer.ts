/** The answer of an endpoint: what its response selects, or what its actions have said. */

import {
  cursorRequirement,
  type ListValues,
  nameOfParameter,
  type PageForm,
  type PageHead,
  type PageMember,
  type Pages,
  pageFormOf,
  type SortTerm,
} from '../../compiler/definition/contract/list-parameters.ts';
import { TRUNCATED } from '../../compiler/definition/contract/routes.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { AnswerHead, ListResponse, Response } from '../../compiler/definition/endpoint.ts';
import type { Selected } from '../../compiler/definition/expression.ts';
import { ApiError } from '../errors/api-error.ts';
import { LOCATION, locationPath } from '../plan/location.ts';
import { type CursorReading, cursorReadingOf } from '../query/cursor-page.ts';
import { DatabaseError } from '../query/database.ts';
import { estimatedPageReadingOf, type Total } from '../query/estimated-page.ts';
import type { Around, JsonSlices } from '../query/json-form.ts';
import { type Cursors, cursorsOf, decisiveOrder, type Keys, orderInEffect } from '../query/keyset.ts';
import {
  type ChosenQuery,
  listReadingOf,
  type PageReading,
  pageReadingOf,
  recordReadingOf,
  uncountedPageReadingOf,
} from '../query/list.ts';
import { givenBy, shapeOf } from '../query/list-filters.ts';
import { MOST_AT_ONCE } from '../query/list-parts.ts';
import { longListReadingOf } from '../query/long-list.ts';
import type { Found } from '../query/lookup.ts';
import { RecentlyUsed } from '../query/recently-used.ts';
import type { Target } from '../query/shape.ts';
import type { Statements } from '../query/statements.ts';
import type { Answer, WholeAnswer } from '../request/exchange.ts';
import { filtersReader, type ListFilter } from '../request/list-filters.ts';
import { listValuesOf, malformed } from '../request/query-string.ts';
import type { ActionTools, DoneRequest, RequestScope, WriteAnswer } from './action-tools.ts';
import { headOf } from './answer-head.ts';
import { downloadAnswer, uploadAnswer } from './files.ts';
import { taggingOf } from './versions.ts';

const NO_CONTENT: Answer = { status: 204, headers: null, body: null };

export function writeAnswer(tools: ActionTools, definition: Definition): WriteAnswer {
  const { response, head } = tools.plan.endpoint;
  const usual = builtAnswer(response, tools, definition);
  const built = head ? withHead(usual, head, tools) : usual;
  return (request) => {
    const { held, answer } = request.outcome;
    if (held?.responds) return Promise.resolve(null);
    return answer ? Promise.resolve(answer) : built(request);
  };
}

function withHead(usual: WriteAnswer, head: AnswerHead, { environment }: ActionTools): WriteAnswer {
  const headed = headOf(head, environment);
  return async (request) => {
    const answer = await usual(request);
    return answer && headed(answer, request.scope);
  };
}

function builtAnswer(response: Response, tools: ActionTools, definition: Definition): WriteAnswer {
  switch (response.kind) {
    case 'nothing':
    case 'action':
      return async () => NO_CONTENT;
    case 'record':
      return recordAnswer(response, tools, definition);
    case 'list':
      return listAnswer(response, tools);
    case 'file':
      return downloadAnswer(response, tools);
    case 'upload':
      return uploadAnswer(response, tools);
  }
}

// ── One record ──────────────────────────────────────────────────────────────────────────────────────────────────────

type RecordResponse = Extract<Response, { kind: 'record' }>;

function recordAnswer(response: RecordResponse, tools: ActionTools, definition: Definition): WriteAnswer {
  const { endpoint } = tools.plan;
  const plain = plainRecord(response, tools, definition);
  if (!endpoint.versioned) return plain;
  const tagged = taggingOf(endpoint, response.record, tools.statements);
  return async (request) => tagged(await plain(request), request);
}

function plainRecord(
  response: RecordResponse,
  tools: ActionTools,
  definition: Definition,
): (request: DoneRequest) => Promise<WholeAnswer> {
  const { record, status, location } = response;
  const readAgain = tools.plan.answersFromPath ? null : recordReader(response, tools);
  const path = location === null ? null : locationPath(location, definition);
  return async ({ exchange, scope, outcome, found }) => {
    // The record was read when it was found; what belongs to many records at once is still to come.
    const body = outcome.selected ?? (await (readAgain ? readAgain(scope) : (found as Found)(scope)));
    // A record that existed before is not new, and has no new location.
    if (outcome.wasThere) return { status: 200, headers: null, body };
    const own = (scope.records[record] as Target | undefined)?.[LOCATION];
    return {
      status,
      headers: path && locationHeader(`${prefixOf(exchange)}${path(exchange.params, String(own))}`),
      body,
    };
  };
}

/** The prefix below which the application is mounted in another Express application. */
function prefixOf({ request }: { readonly request: object }): string {
  return 'baseUrl' in request ? String(request.baseUrl) : '';
}

/** No server takes a longer URL in a request, and a longer header would break the response for most clients. */
const LONGEST_LOCATION = 8_000;

function locationHeader(location: string): Answer['headers'] {
  return location.length > LONGEST_LOCATION ? null : { location };
}

function recordReader(
  { record, select }: RecordResponse,
  tools: ActionTools,
): (scope: RequestScope) => Promise<Buffer> {
  const reading = recordReadingOf(tools.plan.endpoint.model, select, tools.statements);
  return async (scope) => {
    const id = (scope.records[record] as Target).id;
    const json = await reading.readJsonById(scope, String(id));
    if (json === null) throw new ApiError('not-found', { detail: 'The record no longer exists.' });
    return json;
  };
}

// ── Lists ───────────────────────────────────────────────────────────────────────────────────────────────────────────

type ListReader = (scope: RequestScope, values: ListValues, filters: readonly ListFilter[]) => Promise<Answer>;

function listAnswer(response: ListResponse, tools: ActionTools): WriteAnswer {
  const valuesOf = listValuesOf(response);
  const filtersOf = filtersReader(response.filterable, tools.environment.enumValues);
  const { page } = response;
  const read = (page === null ? cutListReader : PAGE_READERS[pageFormOf(page)])(response, tools);
  return ({ scope, sent }) => read(scope, valuesOf(sent), filtersOf(sent));
}

function cutListReader(response: ListResponse, { statements, listLimit, plan }: ActionTools): ListReader {
  const { limit } = response.query;
  const most = typeof limit === 'number' ? limit : listLimit;
  const readingOf = most > MOST_AT_ONCE && !plan.needsTransaction ? longListReadingOf : listReadingOf;
  const readingFor = chosenReading(response, statements, (query, its) => readingOf(query, response.select, most, its));
  const truncated = { [TRUNCATED]: String(most) };
  return async (scope, values, filters) => {
    const reading = readingFor(values, filters);
    const { json, isCut } = await reading(scope, givenBy(filters, values.q));
    return ok(json, isCut ? truncated : null);
  };
}

function ok(body: Buffer | JsonSlices, headers: Answer['headers'] = null): Answer {
  return { status: 200, headers, body } as Answer;
}

const PAGE_READERS: Readonly<Record<PageForm, (response: ListResponse, tools: ActionTools) => ListReader>> = {
  counted: numberedPages(pageReadingOf, (around: AroundPage<'counted'>, page, pageSize) => (totalCount) => {
    const totalPages = Math.ceil(totalCount / pageSize);
    return around({ page, pageSize, totalPages, totalCount });
  }),
  uncounted: numberedPages(uncountedPageReadingOf, (around: AroundPage<'uncounted'>, page, pageSize) =>
    around({ page, pageSize }),
  ),
  estimated: numberedPages(
    estimatedPageReadingOf,
    (around: AroundPage<'estimated'>, page, pageSize) =>
      ({ count: totalCount, isEstimated: totalIsEstimated }: Total) => {
        return around({ page, pageSize, totalPages: Math.ceil(totalCount / pageSize), totalCount, totalIsEstimated });
      },
  ),
  cursor: cursorPageReader,
};

/** Pages by number: the reading of one, and the part of the answer beside its records. */
function numberedPages<Surroundings, Form extends PageForm>(
  readingOf: (chosen: ChosenQuery, select: readonly Selected[], statements: Statements) => PageReading<Surroundings>,
  aroundOf: (around: AroundPage<Form>, page: number, pageSize: number) => Surroundings,
) {
  return (response: ListResponse, { statements }: ActionTools): ListReader => {
    const readingFor = chosenReading(response, statements, (query, its) => readingOf(query, response.select, its));
    const aroundIn = aroundPage<Form>(response);
    return async (scope, values, filters) => {
      const { page, pageSize } = values;
      const around = aroundOf(aroundIn, page, pageSize);
      const asked = { limit: pageSize, offset: (page - 1) * pageSize, given: givenBy(filters, values.q), around };
      return ok(await readingFor(values, filters)(scope, asked));
    };
  };
}

function cursorPageReader(response: ListResponse, { statements, plan }: ActionTools): ListReader {
  const readingFor = chosenReading(response, statements, (chosen, its) => {
    const query = { ...chosen.query, orderBy: decisiveOrder(chosen.query.orderBy) };
    const reading = cursorReadingOf({ ...chosen, query }, response.select, its);
    return { reading, cursors: cursorsOf(plan.endpoint.id, query.orderBy) };
  });
  const aroundIn = aroundPage<'cursor'>(response);
  const refuseBadKeys = (error: unknown) => refuseKeys(error, response);
  return async (scope, values, filters) => {
    const { pageSize, after: text } = values;
    const { reading, cursors } = readingFor(values, filters);
    const given = givenBy(filters, values.q);
    const keysOf = (id: string) => reading.keysOf(scope, id, given);
    const after =
      text === undefined ? null : await keysIn(text, cursors, reading, keysOf, response).catch(refuseBadKeys);
    const around = (last: Keys | null) => aroundIn({ pageSize, next: last === null ? null : cursors.textOf(last) });
    const reads = reading.readJson(scope, { pageSize, after, given, around });
    return ok(await (after === null ? reads : reads.catch(refuseBadKeys)));
  };
}

async function keysIn(
  text: string,
  cursors: Cursors,
  reading: Pick<CursorReading, 'takes'>,
  keysOf: (id: string) => Promise<Keys | null>,
  list: ListResponse,
): Promise<Keys> {
  const place = cursors.placeIn(text);
  const keys = place && ('id' in place ? await keysOf(place.id) : place);
  if (keys === null || !reading.takes(keys)) throw notOfThisList(list);
  return keys;
}

/**
 * Throws the error of a bad cursor: its author can put a value into it that no record has, such as the 31st of
 * February.
 */
function refuseKeys(error: unknown, list: ListResponse): never {
  const isRefused = error instanceof DatabaseError && (error.kind === 'bad-value' || error.kind === 'out-of-range');
  throw isRefused ? notOfThisList(list) : error;
}

function notOfThisList({ page }: ListResponse): ApiError {
  const pages = page as Pages;
  return malformed(nameOfParameter(pages, 'after'), `must ${cursorRequirement(pages)}`);
}

type AroundPage<Form extends PageForm> = (head: PageHead<Form>) => Around;

/** The records of the page stand in between: last, unless the author says where. */
function aroundPage<Form extends PageForm>({ page }: ListResponse): AroundPage<Form> {
  const envelope = page?.envelope;
  if (!envelope) return (head) => ({ before: `${JSON.stringify(head).slice(0, -1)},"data":`, behind: '}' });
  const at = envelope.findIndex(({ value }) => value === 'data');
  const [ahead, behind] = [envelope.slice(0, at), envelope.slice(at + 1)];
  const data = JSON.stringify(envelope[at]?.name);
  return (head) => {
    const values: Readonly<Record<string, unknown>> = head;
    const text = ({ name, value }: PageMember) => `${JSON.stringify(name)}:${JSON.stringify(values[value])}`;
    return {
      before: `{${ahead.map((member) => `${text(member)},`).join('')}${data}:`,
      behind: `${behind.map((member) => `,${text(member)}`).join('')}}`,
    };
  };
}

// ── List choice ─────────────────────────────────────────────────────────────────────────────────────────────────────

// The options of a list that a client has chosen. Each combination of keys has a statement of its own, which is made on
// first use; values are bound. Only those that were used last are cached.

/** How many combinations of a list are kept. */
const MOST_COMBINATIONS = 50;

/** Makes the reading of the list that a request asks for. */
function chosenReading<Reading>(
  response: ListResponse,
  statements: Statements,
  make: (query: ChosenQuery, statements: Statements) => Reading,
): (values: ListValues, filters: readonly ListFilter[]) => Reading {
  const usual = make({ query: response.query, filters: [], searched: null }, statements);
  const chosen = new RecentlyUsed<Reading>(MOST_COMBINATIONS);
  return ({ sort = [], q = '' }, filters) => {
    if (sort.length === 0 && filters.length === 0 && q === '') return usual;
    const searched = q === '' || !response.searchable ? null : { fields: response.searchable, ...response.search };
    const key = `${searched ? 'q' : ''}?${keyOf(sort, filters)}`;
    return chosen.getOrMake(key, () => {
      const query = { ...response.query, orderBy: orderInEffect(response, sort) };
      return make({ query, filters, searched }, statements.chosen());
    });
  };
}

function keyOf(sort: readonly SortTerm[], filters: readonly ListFilter[]): string {
  const order = sort.map(({ name, descending }) => `${descending ? '-' : ''}${name}`);
  return `${filters.map(shapeOf).join('&')}?${order.join(',')}`;
}
