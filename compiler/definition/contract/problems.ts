/**
 * The errors of an API. Codes are stable: clients branch on them. The server answers with them, the OpenAPI document
 * describes them, and the clients have a type for each.
 */

/** A kind of problem; `description` says when it is the response, for the document. */
function problem<S extends number>(status: S, title: string, description = `${title}.`) {
  return { status, title, description } as const;
}

/** `internal` and `unavailable` never carry a detail of the cause; the log does, under the same request id. */
export const PROBLEMS = {
  'malformed-request': problem(400, 'The request is malformed'),
  unauthenticated: problem(401, 'Authentication is needed', 'The caller is not signed in, or the token is invalid.'),
  forbidden: problem(403, 'This is not allowed', 'The caller is not allowed to do this.'),
  'not-found': problem(404, 'Not found', 'A record that the request names does not exist.'),
  'method-not-allowed': problem(405, 'The method is not allowed'),
  conflict: problem(
    409,
    'The request conflicts with the data',
    'Another record got the same unique value first, the record is still referenced by others, or another request changed the same records.',
  ),
  'changed-meanwhile': problem(
    412,
    'The record was changed meanwhile',
    'The record is no longer the version that `If-Match` names.',
  ),
  'too-large': problem(413, 'The body is too large'),
  'unsupported-media-type': problem(415, 'The type of the body is not supported', 'The body is not JSON.'),
  'validation-failed': problem(422, 'The input is not valid', 'One or more inputs are invalid.'),
  'too-many-requests': problem(429, 'Too many requests', 'Too many failed logins.'),
  internal: problem(
    500,
    'Internal server error',
    'Internal server error. The log has the cause, under the same request id.',
  ),
  unavailable: problem(
    503,
    'The service is not available',
    'Try again later. The server is overloaded (too many requests, request bodies, unread responses, password checks or waits for the database), the database is unavailable, too slow or not migrated, or the server is stopping.',
  ),
  'took-too-long': problem(
    504,
    'Custom code took too long',
    'Custom code took too long. What it did outside of the database is unknown.',
  ),
};

export type ProblemCode = keyof typeof PROBLEMS;

/**
 * The problem of a rejection by custom code, unless its status has a code in the table or it has chosen one of its own.
 */
export const REFUSED = { code: 'refused', title: 'The request was rejected' };

/** The code of the 507 where a folder of files is full. */
export const STORE_FULL = 'store-full';

export const PROBLEM_TYPE = 'application/problem+json';

interface ProblemFacts {
  /** The code from the table, or the one that custom code has chosen. */
  readonly code: string;
  readonly title: string;
  readonly status: number;
  /** The detail; empty if there is none. */
  readonly detail: string;
  readonly requestId: string;
  readonly errors: readonly object[];
}

/** The body of the answer, by RFC 9457. `type` names the kind of the problem; there is nothing to be fetched. */
export function problemDocument({ code, title, status, detail, requestId, errors }: ProblemFacts) {
  return {
    type: `urn:kiln:problem:${encodeURIComponent(code.toWellFormed())}`,
    title,
    status,
    code,
    ...(detail === '' ? {} : { detail }),
    requestId,
    ...(errors.length === 0 ? {} : { errors }),
  };
}

/** What clients say where the answer is no problem of the API. */
const CLIENT_CODES = ['network', 'timeout', 'aborted', 'not-modified', 'unexpected-answer'] as const;

/** Codes of single inputs, beside those of validators. */
export const INPUT_CODES = [
  'required',
  'not-nullable',
  'wrong-type',
  'reference-not-found',
  'already-exists',
  'out-of-range',
] as const;

/** Those of inputs that are files. */
const FILE_CODES = ['file-missing', 'file-type', 'file-too-large'] as const;

/** Codes that no `refuse` has: clients tell them apart by these. */
export const RESERVED_CODES: ReadonlySet<string> = new Set([
  ...Object.keys(PROBLEMS),
  REFUSED.code,
  ...CLIENT_CODES,
  ...INPUT_CODES,
  ...FILE_CODES,
  STORE_FULL,
]);

export type InputCode = (typeof INPUT_CODES)[number];
