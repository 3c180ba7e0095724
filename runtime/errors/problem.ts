/**
 * Whatever a request ends in other than success becomes a problem document (RFC 9457). What was not meant for the
 * client is a 500 that says nothing; whoever answers logs the error itself.
 */
import { PROBLEMS, type ProblemCode, problemUrn, REFUSED } from '../../compiler/definition/contract/problems.ts';
import { ApiError, HookRefusal, type InputError } from './api-error.ts';

interface Problem {
  readonly type: ReturnType<typeof problemUrn>;
  readonly title: string;
  readonly status: number;
  /** Of the table, or what a hook has chosen. */
  readonly code: string;
  /** Absent for `internal`, unless a hook has said something. */
  readonly detail?: string;
  readonly requestId: string;
  readonly errors?: readonly InputError[];
}

interface ProblemAnswer {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

export function problemFromError(error: unknown, requestId: string): ProblemAnswer {
  if (error instanceof ApiError) return problemFromApiError(error, requestId);
  if (error instanceof HookRefusal && isStatusOfError(error.status)) return problemFromRefusal(error, requestId);
  return problemFromApiError(new ApiError('internal'), requestId);
}

function problemFromApiError(error: ApiError, requestId: string): ProblemAnswer {
  const { code, errors, status } = error;
  const { title } = PROBLEMS[code];
  const problem: Problem = {
    type: problemUrn(code),
    title,
    status,
    code,
    ...(code === 'internal' ? {} : { detail: error.detail ?? `${title}.` }),
    requestId,
    ...(errors.length === 0 ? {} : { errors }),
  };
  return { problem, headers: { ...headersOf(status), ...lowerCased(error.headers) } };
}

function problemFromRefusal(refusal: HookRefusal, requestId: string): ProblemAnswer {
  const { status, message, errors } = refusal;
  const usual = CODES.get(status);
  const code = refusal.code ?? usual ?? REFUSED.code;
  const title = usual === undefined ? REFUSED.title : PROBLEMS[usual].title;
  const detail = message === '' && status !== 500 ? `${title}.` : message;
  const problem: Problem = {
    type: problemUrn(encodeURIComponent(code.toWellFormed())),
    title,
    status,
    code,
    ...(detail === '' ? {} : { detail }),
    requestId,
    ...(errors.length === 0 ? {} : { errors }),
  };
  return { problem, headers: headersOf(status) };
}

function isStatusOfError(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status <= 599;
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
