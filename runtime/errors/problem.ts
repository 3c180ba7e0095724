/**
 * Whatever a request ends in other than success becomes a problem document (RFC 9457). What was not meant for the
 * client is a 500 that says nothing; whoever answers logs the error itself.
 */
import { PROBLEMS, type ProblemCode, problemDocument, REFUSED } from '../../compiler/definition/contract/problems.ts';
import { ApiError, HookRefusal } from './api-error.ts';

interface ProblemAnswer {
  readonly problem: ReturnType<typeof problemDocument>;
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

/** In seconds. */
const RETRY_AFTER = '5';

function headersOf(status: number): Readonly<Record<string, string>> {
  if (status === 401) return { 'www-authenticate': 'Bearer' };
  return status === 503 ? { 'retry-after': RETRY_AFTER } : NO_HEADERS;
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
