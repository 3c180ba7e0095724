/** Refusals: the problem documents of RFC 9457, and the responses that carry them. */
import type { Header, Reference, Response, Schema } from './document.ts';

const CODES = [
  'malformed-request',
  'unauthenticated',
  'forbidden',
  'not-found',
  'method-not-allowed',
  'conflict',
  'too-large',
  'unsupported-media-type',
  'validation-failed',
  'too-many-requests',
  'internal',
  'unavailable',
  'refused',
] as const;

type Code = (typeof CODES)[number];

const PROBLEM: Schema = {
  type: 'object',
  description: 'Why a request was refused (RFC 9457).',
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'Names the kind of the problem; there is nothing to be fetched.',
    },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    code: { type: 'string', enum: CODES, description: 'Stable: for programs to decide by.' },
    detail: { type: 'string', description: 'What is wrong with this request. Not given for `internal`.' },
    requestId: { type: 'string', description: 'The same as in the header `X-Request-Id` and in the log.' },
    errors: {
      type: 'array',
      items: { $ref: '#/components/schemas/InputError' },
      description: 'What is wrong with single inputs.',
    },
  },
  required: ['type', 'title', 'status', 'code', 'requestId'],
};

const INPUT_ERROR: Schema = {
  type: 'object',
  description: 'One input that was refused.',
  properties: {
    path: { type: 'string', description: 'The place in the request, with dots: `author.email`.' },
    code: {
      type: 'string',
      description:
        '`required`, `not-nullable`, `wrong-type`, `reference-not-found`, `already-exists`, `out-of-range`, or the code of a validator.',
    },
    message: { type: 'string' },
    params: { type: 'object', description: 'What the message was made from.' },
  },
  required: ['path', 'code', 'message', 'params'],
};

const VALIDATION_PROBLEM: Schema = {
  description: 'All the inputs that were refused, at once.',
  allOf: [{ $ref: '#/components/schemas/Problem' }, { required: ['errors'] }],
};

/** Custom code answers with codes of its own too. */
const PROBLEM_WITH_CODE: Schema = {
  ...PROBLEM,
  properties: {
    ...PROBLEM.properties,
    code: {
      type: 'string',
      anyOf: [{ enum: CODES }, { type: 'string' }],
      description: 'Stable: for programs to decide by. Custom code may have codes of its own.',
    },
    detail: { type: 'string', description: 'What is wrong with this request.' },
  },
};

export function problemSchemas(hasCode: boolean): ReadonlyMap<string, Schema> {
  return new Map([
    ['InputError', INPUT_ERROR],
    ['Problem', hasCode ? PROBLEM_WITH_CODE : PROBLEM],
    ['ValidationProblem', VALIDATION_PROBLEM],
  ]);
}

// ── Responses ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The status, or `4XX`, of each. */
export const REFUSAL_STATUS = {
  MalformedRequest: '400',
  Unauthenticated: '401',
  Forbidden: '403',
  NotFound: '404',
  Conflict: '409',
  TooLarge: '413',
  UnsupportedMediaType: '415',
  ValidationFailed: '422',
  ValidationFailedOrRefused: '422',
  TooManyRequests: '429',
  Refused: '4XX',
  Internal: '500',
  Unavailable: '503',
  Failed: '5XX',
} as const;

export type Refusal = keyof typeof REFUSAL_STATUS;

export const REQUEST_ID: Reference = { $ref: '#/components/headers/RequestId' };

export const HEADERS: Readonly<Record<string, Header>> = {
  RequestId: {
    description: 'Names the request in the log: the one that the client has sent, or a new one.',
    required: true,
    schema: { type: 'string' },
  },
};

const RETRY_AFTER = {
  headers: { 'Retry-After': { description: 'In seconds.', schema: { type: 'integer' } } },
} as const;

export const REFUSALS: Readonly<Record<Refusal, Response>> = {
  MalformedRequest: refusal('The request cannot be read.', 'malformed-request', 400, 'The request cannot be read'),
  Unauthenticated: refusal(
    'Nobody is authenticated who must be, or the token is not valid.',
    'unauthenticated',
    401,
    'Authentication is needed',
    { headers: { 'WWW-Authenticate': { schema: { type: 'string' } } } },
  ),
  Forbidden: refusal('The caller may not do this.', 'forbidden', 403, 'This is not allowed'),
  NotFound: refusal('A record that the request names is not there.', 'not-found', 404, 'There is nothing here'),
  Conflict: refusal(
    'A unique value was taken meanwhile, a record is still referred to, or another request changed the same records.',
    'conflict',
    409,
    'The request conflicts with the data',
    {
      headers: {
        'Retry-After': { description: 'In seconds, if the request may be repeated.', schema: { type: 'integer' } },
      },
    },
  ),
  TooLarge: refusal('The body is too large.', 'too-large', 413, 'The body is too large'),
  UnsupportedMediaType: refusal('The body is not JSON.', 'unsupported-media-type', 415, 'The body must be JSON'),
  ValidationFailed: validationFailed({ $ref: '#/components/schemas/ValidationProblem' }),
  ValidationFailedOrRefused: validationFailed({ $ref: '#/components/schemas/Problem' }),
  TooManyRequests: refusal('Too many logins have failed.', 'too-many-requests', 429, 'Too many requests', RETRY_AFTER),
  Refused: refusal('Custom code has refused the request.', 'refused', 418, 'The request was refused'),
  Internal: refusal('Something went wrong in the server.', 'internal', 500, 'Something went wrong here', {}, false),
  Unavailable: refusal(
    'Try again later. Too many requests are in progress, wait for the database or change the same records; too many passwords are being checked; too many bodies are arriving, or long responses are not read; the database cannot be reached, took too long or has not been migrated; or the server is stopping.',
    'unavailable',
    503,
    'The service is not available',
    RETRY_AFTER,
  ),
  Failed: refusal('Custom code has answered with an error.', 'refused', 502, 'The request was refused'),
};

function refusal(
  description: string,
  code: Code,
  status: number,
  title: string,
  { headers = {} }: Pick<Response, 'headers'> = {},
  hasDetail = true,
): Response {
  const detail = hasDetail ? { detail: `${title}.` } : {};
  const example = { type: `urn:kiln:problem:${code}`, title, status, code, ...detail, requestId: 'mDXkPqbGCTsN.1' };
  const schema = { $ref: '#/components/schemas/Problem' };
  return {
    description,
    headers: { 'X-Request-Id': REQUEST_ID, ...headers },
    content: { 'application/problem+json': { schema, example } },
  };
}

function validationFailed(schema: Schema): Response {
  const { content, ...rest } = refusal('Inputs are not valid.', 'validation-failed', 422, 'The input is not valid');
  const errors = [{ path: 'name', code: 'required', message: 'is required', params: {} }];
  const example = { ...(content?.['application/problem+json']?.example as object), errors };
  return { ...rest, content: { 'application/problem+json': { schema, example } } };
}
