/** Refusals: the problem documents of RFC 9457, and the responses that carry them. */

import {
  INPUT_CODES,
  PROBLEM_TYPE,
  PROBLEMS,
  type ProblemCode,
  problemDocument,
  REFUSED,
} from '../../definition/contract/problems.ts';
import { REQUEST_ID } from '../../definition/contract/routes.ts';
import type { Refuse } from '../../definition/endpoint.ts';
import type { Header, Reference, Response, Schema } from './document.ts';
import { headerName } from './names.ts';

const CODES = [...Object.keys(PROBLEMS), REFUSED.code];

/** Each `refuse` has a code of its own, and custom code may answer with any. */
function problemSchema(hasCode: boolean, refused: readonly string[]): Schema {
  const codes = [...CODES, ...refused];
  const own = hasCode ? ' Custom code may have codes of its own.' : '';
  return {
    type: 'object',
    description: 'The error (RFC 9457).',
    properties: {
      type: { type: 'string', format: 'uri', description: 'Identifies the kind of error. It is not a URL to fetch.' },
      title: { type: 'string' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      code: {
        type: 'string',
        ...(hasCode ? { anyOf: [{ enum: codes }, { type: 'string' }] } : { enum: codes }),
        description: `Stable. Programs can branch on it.${own}`,
      },
      detail: {
        type: 'string',
        description: `What is wrong with this request.${hasCode ? '' : ' Not given for `internal`.'}`,
      },
      requestId: {
        type: 'string',
        description: `The same as in the header \`${headerName(REQUEST_ID)}\` and in the log.`,
      },
      errors: {
        type: 'array',
        items: { $ref: '#/components/schemas/InputError' },
        description: 'The errors of single inputs.',
      },
    },
    required: ['type', 'title', 'status', 'code', 'requestId'],
  };
}

const INPUT_ERROR: Schema = {
  type: 'object',
  description: 'One invalid input.',
  properties: {
    path: { type: 'string', description: 'The place in the request, with dots: `author.email`.' },
    code: {
      type: 'string',
      description: `${INPUT_CODES.map((code) => `\`${code}\``).join(', ')}, or the code of a validator.`,
    },
    message: { type: 'string' },
    params: { type: 'object', description: 'The values that the message contains.' },
  },
  required: ['path', 'code', 'message', 'params'],
};

const VALIDATION_PROBLEM: Schema = {
  description: 'All invalid inputs at once.',
  allOf: [{ $ref: '#/components/schemas/Problem' }, { required: ['errors'] }],
};

export function problemSchemas(hasCode: boolean, refused: readonly string[]): ReadonlyMap<string, Schema> {
  return new Map([
    ['InputError', INPUT_ERROR],
    ['Problem', problemSchema(hasCode, refused)],
    ['ValidationProblem', VALIDATION_PROBLEM],
  ]);
}

// ── Responses ───────────────────────────────────────────────────────────────────────────────────────────────────────

const PROBLEM_REF: Schema = { $ref: '#/components/schemas/Problem' };

export const REQUEST_ID_HEADER: Readonly<Record<string, Reference>> = {
  [headerName(REQUEST_ID)]: { $ref: '#/components/headers/RequestId' },
};

export const HEADERS: Readonly<Record<string, Header>> = {
  RequestId: {
    description: 'Identifies the request in the log. It is the id that the client sent, or a new one.',
    required: true,
    schema: { type: 'string' },
  },
};

const RETRY_AFTER: Header = { description: 'In seconds.', schema: { type: 'integer' } };

/** The headers of a problem beside the id of the request. */
const HEADERS_OF: Readonly<Partial<Record<ProblemCode, Readonly<Record<string, Header>>>>> = {
  unauthenticated: { 'WWW-Authenticate': { schema: { type: 'string' } } },
  conflict: { 'Retry-After': { ...RETRY_AFTER, description: 'In seconds, if the request can be retried.' } },
  'too-many-requests': { 'Retry-After': RETRY_AFTER },
  unavailable: { 'Retry-After': RETRY_AFTER },
};

interface RefusalFacts {
  /** The code; null for custom code, which may use any. */
  readonly code: ProblemCode | null;
  /** `404`, or `4XX` where any of them may come. */
  readonly status: string;
  readonly response: Response;
}

export const REFUSALS = {
  MalformedRequest: refusal('malformed-request'),
  Unauthenticated: refusal('unauthenticated'),
  Forbidden: refusal('forbidden'),
  NotFound: refusal('not-found'),
  Conflict: refusal('conflict'),
  ChangedMeanwhile: refusal('changed-meanwhile'),
  TooLarge: refusal('too-large'),
  UnsupportedMediaType: refusal('unsupported-media-type'),
  ValidationFailed: validationFailed({ $ref: '#/components/schemas/ValidationProblem' }),
  ValidationFailedOrRefused: validationFailed(PROBLEM_REF),
  TooManyRequests: refusal('too-many-requests'),
  Refused: refusalOfCode('4XX', 418, 'Custom code rejected the request.'),
  Internal: refusal('internal'),
  Unavailable: refusal('unavailable'),
  TookTooLong: refusal('took-too-long'),
  Failed: refusalOfCode('5XX', 502, 'Custom code responded with an error.'),
} satisfies Readonly<Record<string, RefusalFacts>>;

type KilnRefusal = keyof typeof REFUSALS;

/** One of the table, or `Conflict.sold-out`: with the codes of `refuse` actions that have its status. */
export type Refusal = KilnRefusal | `${KilnRefusal | `Refused${number}`}.${string}`;

/** The response of any refusal. Codes have no dots. */
export function refusalFacts(
  name: Refusal,
): Omit<RefusalFacts, 'code'> & { readonly codes: readonly (string | null)[] } {
  const [base = '', ...own] = name.split('.');
  const facts = Object.hasOwn(REFUSALS, base) ? REFUSALS[base as KilnRefusal] : null;
  if (facts && own.length === 0) return { ...facts, codes: [facts.code] };
  const status = facts?.status ?? base.slice('Refused'.length);
  const codes = [...(facts?.code ? [facts.code] : []), ...own];
  const rejected = `The request was rejected: ${own.map((code) => `\`${code}\``).join(', ')}.`;
  const schema: Schema = { allOf: [PROBLEM_REF, { type: 'object', properties: { code: { enum: codes } } }] };
  const example = { code: own[0] ?? REFUSED.code, title: REFUSED.title, status: Number(status) };
  const response = problemResponse(facts ? `${facts.response.description} Or: ${rejected}` : rejected, example, schema);
  return { status, codes, response: { ...response, headers: { ...facts?.response.headers, ...response.headers } } };
}

/** The refusals with the codes of an endpoint's `refuse` actions, by status. */
export function withCodes(refusals: readonly Refusal[], own: readonly Refuse[]): readonly Refusal[] {
  if (own.length === 0) return refusals;
  const known = new Set(refusals.map((refusal) => refusalFacts(refusal).status));
  const statuses = [...new Set(own.map(({ status }) => String(status)))].filter((status) => !known.has(status));
  return [...refusals, ...statuses.map((status) => `Refused${status}` as Refusal)]
    .map((refusal) => ({ refusal, status: refusalFacts(refusal).status }))
    .sort((a, b) => (a.status < b.status ? -1 : a.status > b.status ? 1 : 0))
    .map(({ refusal, status }) => [refusal, ...codesAt(status, own)].join('.') as Refusal);
}

function codesAt(status: string, own: readonly Refuse[]): readonly string[] {
  const codes = own.flatMap((each) => (String(each.status) === status ? [each.code] : []));
  return [...new Set(codes)].sort();
}

function refusal(code: ProblemCode, schema?: Schema, errors?: readonly object[]): RefusalFacts {
  const { status, title, description } = PROBLEMS[code];
  const response = problemResponse(description, { code, title, status }, schema, errors);
  return {
    code,
    status: String(status),
    response: { ...response, headers: { ...response.headers, ...HEADERS_OF[code] } },
  };
}

function validationFailed(schema: Schema): RefusalFacts {
  return refusal('validation-failed', schema, [{ path: 'name', code: 'required', message: 'is required', params: {} }]);
}

function refusalOfCode(statuses: string, status: number, description: string): RefusalFacts {
  return { code: null, status: statuses, response: problemResponse(description, { ...REFUSED, status }) };
}

function problemResponse(
  description: string,
  facts: { readonly code: string; readonly title: string; readonly status: number },
  schema = PROBLEM_REF,
  errors: readonly object[] = [],
): Response {
  const detail = facts.code === 'internal' ? '' : `${facts.title}.`;
  const example = problemDocument({ ...facts, detail, requestId: 'mDXkPqbGCTsN.1', errors });
  return { description, headers: REQUEST_ID_HEADER, content: { [PROBLEM_TYPE]: { schema, example } } };
}
