/**
 * Whatever a request ends in other than success becomes a problem document (RFC 9457). What was not meant for the
 * client is a 500 that says nothing; whoever answers logs the error itself.
 */
import { ApiError, HookRefusal, type InputError, PROBLEMS, type ProblemCode } from './api-error.ts';

export interface Problem {
  /** Names the kind of the problem; there is nothing to be fetched. */
  readonly type: `urn:kiln:problem:${ProblemCode | 'refused'}`;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode | 'refused';
  /** Absent for `internal`. */
  readonly detail?: string;
  readonly requestId: string;
  readonly errors?: readonly InputError[];
}

export interface ProblemAnswer {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

export function problemFromError(error: unknown, requestId: string): ProblemAnswer {
  if (error instanceof ApiError) return problemFromApiError(error, requestId);
  if (error instanceof HookRefusal && isRefusal(error.status)) return problemFromRefusal(error, requestId);
  return problemFromApiError(new ApiError('internal'), requestId);
}

function problemFromApiError(error: ApiError, requestId: string): ProblemAnswer {
  const { code, errors, status } = error;
  const { title } = PROBLEMS[code];
  const problem: Problem = {
    type: `urn:kiln:problem:${code}`,
    title,
    status,
    code,
    ...(code === 'internal' ? {} : { detail: error.detail ?? `${title}.` }),
    requestId,
    ...(errors.length === 0 ? {} : { errors }),
  };
  return { problem, headers: { ...headersOf(status), ...lowerCased(error.headers) } };
}

function problemFromRefusal({ status, message }: HookRefusal, requestId: string): ProblemAnswer {
  const code = CODES.get(status) ?? 'refused';
  const title = code === 'refused' ? 'The request was refused' : PROBLEMS[code].title;
  const detail = message === '' ? `${title}.` : message;
  return {
    problem: { type: `urn:kiln:problem:${code}`, title, status, code, detail, requestId },
    headers: headersOf(status),
  };
}

/** A hook refuses by a 4xx. That it failed by itself, or threw nonsense, is no answer to the client. */
function isRefusal(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status <= 499;
}

const CODES: ReadonlyMap<number, ProblemCode> = new Map(
  Object.entries(PROBLEMS).map(([code, { status }]) => [status, code as ProblemCode]),
);

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** In seconds. */
const RETRY_AFTER = '5';

function headersOf(status: number): Readonly<Record<string, string>> {
  if (status === 401) return { 'www-authenticate': 'Bearer' };
  return status === 503 ? { 'retry-after': RETRY_AFTER } : NO_HEADERS;
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
