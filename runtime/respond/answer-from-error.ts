/** What the client is told when a request failed. */
import { ApiError } from '../errors/api-error.ts';
import { problemFromError } from '../errors/problem.ts';
import { DatabaseError, type DatabaseErrorKind } from '../query/database.ts';
import type { Answer } from '../request/exchange.ts';

export function answerFromError(error: unknown, requestId: string): Answer {
  const { problem, headers } = problemFromError(refusalFrom(error), requestId);
  return {
    status: problem.status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify(problem),
  };
}

/** What may pass by itself. Other errors of the database were either turned into a refusal, or are our own mistake. */
const PASSING: ReadonlySet<DatabaseErrorKind> = new Set<DatabaseErrorKind>(['unavailable', 'timeout', 'contention']);

function refusalFrom(error: unknown): unknown {
  return error instanceof DatabaseError && PASSING.has(error.kind) ? new ApiError('unavailable') : error;
}
