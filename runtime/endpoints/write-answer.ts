/** The answer of an endpoint: what its response selects, or what its actions have said. */
import type { Definition, Response } from '../../compiler/definition/definition.ts';
import { ApiError } from '../errors/api-error.ts';
import { LOCATION, locationPath } from '../plan/location.ts';
import { pageReadingOf, readingOf, recordReadingOf } from '../query/list.ts';
import type { Found } from '../query/lookup.ts';
import { fillIn, type Target } from '../query/shape.ts';
import type { Answer, Exchange } from '../request/exchange.ts';
import type { Sent } from '../request/inputs.ts';
import { pageFrom } from '../request/query-string.ts';
import type { ActionTools, Outcome } from './action-tools.ts';
import type { RequestScope } from './request-scope.ts';

export type WriteAnswer = (
  exchange: Exchange,
  scope: RequestScope,
  outcome: Outcome,
  found: Found | null,
  sent: Sent,
) => Promise<Answer | null>;

const NO_CONTENT: Answer = { status: 204, headers: null, body: null };

export function writeAnswer(tools: ActionTools, definition: Definition): WriteAnswer {
  const { response } = tools.plan.endpoint;
  const built = builtAnswer(response, tools, definition);
  return async (exchange, scope, outcome, found, sent) => {
    if (outcome.held) return null;
    return outcome.answer ?? (await built(exchange, scope, outcome, found, sent));
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
  }
}

// ── One record ──────────────────────────────────────────────────────────────────────────────────────────────────────

type RecordResponse = Extract<Response, { kind: 'record' }>;

function recordAnswer(response: RecordResponse, tools: ActionTools, definition: Definition): WriteAnswer {
  const { record, status, location } = response;
  const readAgain = tools.plan.answersFromPath ? null : recordReader(response, tools);
  const path = location === null ? null : locationPath(location, definition);
  return async (exchange, scope, outcome, found) => {
    const selected = outcome.selected ?? (readAgain ? await readAgain(scope) : await foundAnswer(found, scope));
    const own = (scope.records[record] as Target | undefined)?.[LOCATION];
    const headers = path === null ? null : { location: path(exchange.params, String(own)) };
    return { status, headers, body: JSON.stringify(selected) };
  };
}

function recordReader(
  { record, select }: RecordResponse,
  tools: ActionTools,
): (scope: RequestScope) => Promise<Target> {
  const reading = recordReadingOf(tools.plan.endpoint.model, select, tools.statements);
  return async (scope) => {
    const id = (scope.records[record] as Target).id;
    const selected = await reading.readById(scope.connection, scope, String(id));
    if (selected === null) throw new ApiError('not-found', { detail: 'The record is gone.' });
    return selected;
  };
}

/** The record was read when it was found; what belongs to many records at once is still to come. */
async function foundAnswer(found: Found | null, scope: RequestScope): Promise<Target> {
  const { selected, gathering } = found as Found;
  await fillIn(gathering, scope.connection, scope);
  return selected;
}

// ── Lists ───────────────────────────────────────────────────────────────────────────────────────────────────────────

type ListResponse = Extract<Response, { kind: 'list' }>;

function listAnswer({ query, page, select }: ListResponse, { statements }: ActionTools): WriteAnswer {
  if (page !== null) return pageAnswer({ query, page, select }, statements);
  const all = readingOf(query, select, statements);
  return async (_, scope) => ok(await all.read(scope.connection, scope));
}

function ok(body: unknown): Answer {
  return { status: 200, headers: null, body: JSON.stringify(body) };
}

function pageAnswer(
  {
    query,
    page,
    select,
  }: Pick<ListResponse, 'query' | 'select'> & { readonly page: NonNullable<ListResponse['page']> },
  statements: ActionTools['statements'],
): WriteAnswer {
  const reading = pageReadingOf(query, select, statements);
  return async (_exchange, scope, _outcome, _found, sent) => {
    const { page: number, pageSize } = pageFrom(sent, page);
    const { total, records } = await reading.readPage(scope.connection, scope, pageSize, (number - 1) * pageSize);
    const totalPages = Math.ceil(total / pageSize);
    return ok({ page: number, pageSize, totalPages, totalCount: total, data: records });
  };
}
