/** The answers to failed requests. */
import {
  PROBLEM_TYPE,
  PROBLEMS,
  type ProblemCode,
  problemDocument,
  REFUSED,
} from '../../compiler/definition/contract/problems.ts';
import { READY } from '../../compiler/definition/contract/routes.ts';
import { ApiError, HookRefusal } from '../errors/api-error.ts';
import { DatabaseError, type DatabaseErrorKind } from '../query/database.ts';
import type { WholeAnswer } from '../request/exchange.ts';

export function answerFromError(error: unknown, requestId: string): WholeAnswer {
  const { problem, headers } = problemFromError(refusalFrom(error), requestId);
  return {
    status: problem.status,
    headers: { 'content-type': PROBLEM_TYPE, ...headers },
    body: JSON.stringify(problem),
  };
}

/** The error that the client is told of. */
export function refusalFrom(error: unknown): unknown {
  return error instanceof DatabaseError ? (DATABASE_REFUSALS[error.kind]?.(error) ?? error) : error;
}

// ── Database refusals ────────────────────────────────────────────────────────────────────────────────────────────────

// Errors of the database become refusals that the client can read: a client's mistake is never a 500.

type Refusal = (cause: DatabaseError) => ApiError;

/** The refusals by kind. A kind without one is a bug of our own. */
const DATABASE_REFUSALS: Readonly<Record<DatabaseErrorKind, Refusal | null>> = {
  unique: refusal('conflict', 'Another record already has the same unique value.'),
  'foreign-key': refusal(
    'conflict',
    'The record is still referenced by other records, or a record that it refers to no longer exists.',
  ),
  'out-of-range': outOfRange,
  'bad-value': refusal('malformed-request', 'A value cannot be stored.'),
  'bad-limit': refusal('malformed-request', 'A limit or an offset is negative.'),
  'too-long': refusal('malformed-request', 'A text is too long for a field that is unique or has an index.'),
  'too-large': (cause) => refusal('too-large', cause.reason ?? 'The inputs of a job are too large.')(cause),
  contention: retriable('unavailable', 'Too many requests are changing the same records.'),
  conflict: retriable('conflict', 'Another request changed the same records at the same time. Try again.'),
  timeout: refusal('unavailable', 'The database took too long.'),
  busy: retriable('unavailable', 'Too many requests are waiting for the database.'),
  unavailable: (cause) => refusal('unavailable', cause.reason ?? 'The database cannot be reached.')(cause),
  /** Telling the two apart would take another query for each request. */
  'other-schema': refusal(
    'unavailable',
    `The database does not have the tables of this release. If it is behind, run \`migrate\`. If it is ahead, use a newer image. \`/${READY}\` says which.`,
  ),
  check: null,
  'not-null': null,
  other: null,
};

function refusal(code: ProblemCode, detail: string): Refusal {
  return (cause) => new ApiError(code, { detail, cause });
}

/** Makes a refusal that can be retried at once, unlike one for a database that is down. */
function retriable(code: ProblemCode, detail: string): Refusal {
  return (cause) => new ApiError(code, { detail, retryAfter: 1, cause });
}

function outOfRange(cause: DatabaseError): ApiError {
  const errors = [{ path: '', code: 'out-of-range', message: 'a result is out of range', params: {} }];
  return new ApiError('validation-failed', { detail: 'A result is out of range.', errors, cause });
}

// ── Problem ───────────────────────────────────────────────────────────────────────────────────────────────────────────

// Every failure of a request becomes a problem document (RFC 9457). An error that is not meant for the client is a 500
// without details; the caller logs the error itself.

interface ProblemAnswer {
  readonly problem: ReturnType<typeof problemDocument>;
  readonly headers: Readonly<Record<string, string>>;
}

function problemFromError(error: unknown, requestId: string): ProblemAnswer {
  if (error instanceof ApiError) return problemFromApiError(error, requestId);
  if (error instanceof HookRefusal && isStatusOfError(error.status)) return problemFromRefusal(error, requestId);
  return problemFromApiError(new ApiError('internal'), requestId);
}

function problemFromApiError(error: ApiError, requestId: string): ProblemAnswer {
  const { code, errors, status } = error;
  const { title } = PROBLEMS[code];
  const detail = code === 'internal' ? '' : (error.detail ?? `${title}.`);
  const problem = problemDocument({ code, title, status, detail, requestId, errors });
  return { problem, headers: { ...headersOf(status), ...lowerCased(error.headers) } };
}

function problemFromRefusal(refusal: HookRefusal, requestId: string): ProblemAnswer {
  const { status, message, errors } = refusal;
  const usual = CODES.get(status);
  const code = refusal.code ?? usual ?? REFUSED.code;
  const { title } = usual === undefined ? REFUSED : PROBLEMS[usual];
  const detail = message === '' && status !== 500 ? `${title}.` : message;
  const problem = problemDocument({ code, title, status, detail, requestId, errors });
  return { problem, headers: headersOf(status) };
}

function isStatusOfError(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status <= 599;
}

const CODES: ReadonlyMap<number, ProblemCode> = new Map(
  Object.entries(PROBLEMS).map(([code, { status }]) => [status, code as ProblemCode]),
);

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** The time after which clients may retry, in seconds. */
const RETRY_AFTER = '5';

function headersOf(status: number): Readonly<Record<string, string>> {
  if (status === 401) return { 'www-authenticate': 'Bearer' };
  return status === 503 ? { 'retry-after': RETRY_AFTER } : NO_HEADERS;
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
