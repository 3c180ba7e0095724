/** The responses of an endpoint when nothing is refused. */

import { TRUNCATED } from '../../definition/contract/routes.ts';
import type { AnswerHead, AnswerHeader, Endpoint, ListResponse, Respond } from '../../definition/endpoint.ts';
import type { Type } from '../../definition/expression.ts';
import { answeringAction, type ComponentSchemas } from './components.ts';
import type { Content, Header, Response, Schema } from './document.ts';
import { exampleOf } from './examples.ts';
import { headerName } from './names.ts';
import { REQUEST_ID_HEADER } from './problems.ts';
import { listOf, objectOf, shapeSchema, valueSchema } from './selection-schemas.ts';

export interface StatusAnswer {
  /** The status; `default` if any may come. */
  readonly status: string;
  readonly response: Response;
}

/** The responses; several if the request decides which it is. */
export function answersOf(endpoint: Endpoint, components: ComponentSchemas): readonly StatusAnswer[] {
  const usual = usualAnswers(endpoint, components);
  const answers = endpoint.head ? withHead(usual, endpoint.head) : usual;
  return endpoint.signed ? withRepeats(answers) : answers;
}

/** A service repeats a request whose response it has not seen. */
function withRepeats(answers: readonly StatusAnswer[]): readonly StatusAnswer[] {
  const repeated = {
    status: '200',
    response: responseOf('The request was done before. Nothing was done, and there is no body.'),
  };
  const own = answers.find(({ status }) => status === repeated.status);
  if (!own) return [repeated, ...answers];
  const description = `${own.response.description} Or: ${repeated.response.description}`;
  return answers.map((answer) => (answer === own ? { ...own, response: { ...own.response, description } } : answer));
}

/**
 * Applies the author's status and headers. With a status all responses have the same one: the last of them, that of a
 * new record, describes it.
 */
function withHead(answers: readonly StatusAnswer[], { status, headers = [] }: AnswerHead): readonly StatusAnswer[] {
  const type = contentTypeIn(headers);
  const others = answers.filter((answer) => answer.status === '304');
  const headed = answers.slice(0, answers.length - others.length).map(({ response, ...answer }) => ({
    status: status === undefined ? answer.status : String(status),
    response: {
      ...response,
      headers: { ...response.headers, ...toldHeaders(headers) },
      ...(type && response.content && { content: { [type]: Object.values(response.content)[0] as Content[string] } }),
    },
  }));
  return [...(status === undefined ? headed : headed.slice(-1)), ...others];
}

function usualAnswers(endpoint: Endpoint, components: ComponentSchemas): readonly StatusAnswer[] {
  const action = answeringAction(endpoint);
  if (action?.kind === 'execute') return [WRITTEN_BY_CODE];
  if (action) return [respondAnswer(action, endpoint, components)];
  const { response } = endpoint;
  switch (response.kind) {
    case 'nothing':
    case 'action':
      return [{ status: '204', response: responseOf('Done.') }];
    case 'record':
      return recordAnswers(endpoint, response, components);
    case 'list':
      return [listAnswer(response, components)];
    case 'file':
      return fileAnswers();
    case 'upload':
      return [{ status: '201', response: responseOf('Where to send the file.', jsonContent(UPLOAD, components)) }];
  }
}

function fileAnswers(): readonly StatusAnswer[] {
  return [
    { status: '200', response: responseOf('The file.', ANY_BYTES) },
    { status: '206', response: responseOf('The part that `Range` asks for.', ANY_BYTES) },
    { status: '302', response: responseOf('An address of the file, which is valid for five minutes.', null, ADDRESS) },
    { status: '416', response: responseOf('The file has no such part.') },
  ];
}

const ANY_BYTES = { '*/*': { schema: {} } };

const ADDRESS: Readonly<Record<string, Header>> = {
  Location: { description: 'The address.', required: true, schema: { type: 'string' } },
};

const UPLOAD = objectOf({
  file: { type: 'string', format: 'uuid', description: 'To be sent as the value of the field, once.' },
  url: { type: 'string', description: 'Where the bytes are sent to, with PUT.' },
  headers: { type: 'object', additionalProperties: { type: 'string' }, description: 'To be sent with the bytes.' },
  expiresAt: { type: 'string', format: 'date-time', description: 'Until then the bytes can be sent.' },
});

const WRITTEN_BY_CODE: StatusAnswer = {
  status: 'default',
  response: { description: 'Custom code writes the response.', content: { '*/*': { schema: {} } } },
};

export function responseOf(
  description: string,
  content: Content | null = null,
  headers: Readonly<Record<string, Header>> = {},
): Response {
  return { description, headers: { ...REQUEST_ID_HEADER, ...headers }, ...(content === null ? {} : { content }) };
}

export function jsonContent(
  schema: Schema,
  { resolve, withoutExamples }: Pick<ComponentSchemas, 'resolve' | 'withoutExamples'>,
  type = JSON_TYPE,
): Content {
  const example = withoutExamples ? null : exampleOf(schema, resolve);
  return { [type]: { schema, ...(example === null ? {} : { example: example.value }) } };
}

const JSON_TYPE = 'application/json';

// ── Records ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function recordAnswers(
  { model, kind, actions, versioned, method }: Endpoint,
  response: Extract<Endpoint['response'], { kind: 'record' }>,
  components: ComponentSchemas,
): readonly StatusAnswer[] {
  const { status, location, record } = response;
  const content = jsonContent(shapeSchema({ ...response, model }, components), components);
  const description = DESCRIPTIONS[kind] ?? 'The record.';
  const headers = { ...(location === null ? {} : LOCATION), ...(versioned ? ETAG : {}) };
  const answer = { status: String(status), response: responseOf(description, content, headers) };
  const own = actions.find((action) => action.kind === 'create' && action.record === record);
  if (versioned && method === 'GET')
    return [answer, { status: '304', response: responseOf('The client has this version already.', null, ETAG) }];
  if (own?.kind !== 'create' || !own.onConflict) return [answer];
  const found = own.onConflict.changes.length === 0 ? KEPT : CHANGED;
  return [{ status: '200', response: responseOf(found, content, versioned ? ETAG : {}) }, answer];
}

const KEPT = 'The record, which already existed.';
const CHANGED = 'The record after the change. It already existed.';

const DESCRIPTIONS: Readonly<Partial<Record<Endpoint['kind'], string>>> = {
  create: 'The new record.',
  update: 'The record after the change.',
};

const ETAG: Readonly<Record<string, Header>> = {
  ETag: { description: 'The version of the record.', required: true, schema: { type: 'string' } },
};

const LOCATION: Readonly<Record<string, Header>> = {
  Location: { description: 'The path of the new record, unless it is too long for a URL.', schema: { type: 'string' } },
};

function listAnswer(response: ListResponse, components: ComponentSchemas): StatusAnswer {
  const { query, page, live } = response;
  const shape = { ...response, model: query.model };
  const events = live ? EVENTS : {};
  if (page !== null) {
    const content = jsonContent(components.pageRef(shape, page), components);
    return { status: '200', response: responseOf('A page of the records.', { ...content, ...events }) };
  }
  const most = typeof query.limit === 'number' ? { maxItems: query.limit } : {};
  const content = jsonContent({ ...listOf(shapeSchema(shape, components)), ...most }, components);
  return { status: '200', response: responseOf('The records.', { ...content, ...events }, TRUNCATED_HEADER) };
}

const EVENTS: Content = {
  'text/event-stream': {
    schema: {
      type: 'string',
      description: 'The list as an event, and then its changes, for as long as the client is connected.',
    },
  },
};

const TRUNCATED_HEADER: Readonly<Record<string, Header>> = {
  [headerName(TRUNCATED)]: {
    description: 'Present only if the list was cut off: the number of records it was cut off at.',
    schema: { type: 'integer', minimum: 1 },
  },
};

// ── Answers of actions ──────────────────────────────────────────────────────────────────────────────────────────────

function respondAnswer(respond: Respond, endpoint: Endpoint, components: ComponentSchemas): StatusAnswer {
  const status = statusOf(respond);
  const hasContent = respond.body !== null && !WITHOUT_BODY.includes(status);
  const content = hasContent ? bodyOf(respond, endpoint, components) : null;
  return { status, response: responseOf('The response of the endpoint.', content, toldHeaders(respond.httpHeaders)) };
}

const WITHOUT_BODY: readonly string[] = ['204', '304'];

function statusOf({ httpStatus, body }: Respond): string {
  if (httpStatus === null) return body === null ? '204' : '200';
  return httpStatus.kind === 'literal' ? String(httpStatus.value) : 'default';
}

function bodyOf(respond: Respond, endpoint: Endpoint, components: ComponentSchemas): Content {
  const schema = respond.body === null ? {} : valueSchema(respond.body, endpoint, components);
  return jsonContent(schema, components, contentTypeIn(respond.httpHeaders) ?? JSON_TYPE);
}

/** The body is JSON in any case, but an endpoint may call it by another name. */
function contentTypeIn(headers: readonly AnswerHeader[]): string | undefined {
  const header = headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value;
  if (header === undefined) return undefined;
  const text = header.kind === 'literal' && typeof header.value === 'string' ? header.value : '*/*';
  return text.split(';')[0]?.trim() || '*/*';
}

/** Headers that are not listed: OpenAPI describes the content type in other ways. */
const UNTOLD: readonly string[] = ['content-type', 'accept', 'authorization'];

/** The listed headers. A header that is null is left out, and a list repeats it. */
function toldHeaders(headers: readonly AnswerHeader[]): Readonly<Record<string, Header>> {
  const told = headers.filter(({ name, value }) => {
    const isRemoved = value.kind === 'literal' && value.value === null;
    return !isRemoved && !UNTOLD.includes(name.toLowerCase());
  });
  return Object.fromEntries(told.map(({ name, value: { type } }) => [headerName(name), headerOf(type)]));
}

function headerOf({ nullable, many }: Type): Header {
  return { ...(nullable || many ? {} : { required: true }), schema: { type: 'string' } };
}
