/**
 * The errors of an API. Codes are stable: clients branch on them. The server answers with them, the OpenAPI document
 * describes them, and the clients have a type for each.
 */
export interface ProblemFacts {
  readonly status: number;
  readonly title: string;
  /** When it is the answer, as the document says it. */
  readonly description: string;
}

/** `internal` and `unavailable` never carry a detail of the cause; the log does, under the same request id. */
export const PROBLEMS = {
  'malformed-request': {
    status: 400,
    title: 'The request cannot be read',
    description: 'The request cannot be read.',
  },
  unauthenticated: {
    status: 401,
    title: 'Authentication is needed',
    description: 'Nobody is authenticated who must be, or the token is not valid.',
  },
  forbidden: { status: 403, title: 'This is not allowed', description: 'The caller may not do this.' },
  'not-found': {
    status: 404,
    title: 'There is nothing here',
    description: 'A record that the request names is not there.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The method is not supported here',
    description: 'The path does not support the method.',
  },
  conflict: {
    status: 409,
    title: 'The request conflicts with the data',
    description:
      'A unique value was taken meanwhile, a record is still referred to, or another request changed the same records.',
  },
  'too-large': { status: 413, title: 'The body is too large', description: 'The body is too large.' },
  'unsupported-media-type': { status: 415, title: 'The body must be JSON', description: 'The body is not JSON.' },
  'validation-failed': { status: 422, title: 'The input is not valid', description: 'Inputs are not valid.' },
  'too-many-requests': { status: 429, title: 'Too many requests', description: 'Too many logins have failed.' },
  internal: { status: 500, title: 'Something went wrong here', description: 'Something went wrong in the server.' },
  unavailable: {
    status: 503,
    title: 'The service is not available',
    description:
      'Try again later. Too many requests are in progress, wait for the database or change the same records; too many passwords are being checked; too many bodies are arriving, or long responses are not read; the database cannot be reached, took too long or has not been migrated; or the server is stopping.',
  },
} as const satisfies Readonly<Record<string, ProblemFacts>>;

export type ProblemCode = keyof typeof PROBLEMS;

/** What custom code answers with, unless its status has a code in the table or it has chosen one of its own. */
export const REFUSED = { code: 'refused', title: 'The request was refused' } as const;

export const PROBLEM_TYPE = 'application/problem+json';

/** Names the kind of a problem; there is nothing to be fetched. */
export function problemUrn(code: string): `urn:kiln:problem:${string}` {
  return `urn:kiln:problem:${code}`;
}

/** Codes of single inputs, beside those of validators. */
export const INPUT_CODES = [
  'required',
  'not-nullable',
  'wrong-type',
  'reference-not-found',
  'already-exists',
  'out-of-range',
] as const;
