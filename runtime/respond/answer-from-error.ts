/** What the client is told when a request failed. */
import { PROBLEM_TYPE } from '../../compiler/definition/contract/problems.ts';
import { problemFromError } from '../errors/problem.ts';
import { DatabaseError } from '../query/database.ts';
import type { WholeAnswer } from '../request/exchange.ts';
import { DATABASE_REFUSALS } from './database-refusals.ts';

export function answerFromError(error: unknown, requestId: string): WholeAnswer {
  const { problem, headers } = problemFromError(refusalFrom(error), requestId);
  return {
    status: problem.status,
    headers: { 'content-type': PROBLEM_TYPE, ...headers },
    body: JSON.stringify(problem),
  };
}

function refusalFrom(error: unknown): unknown {
  return error instanceof DatabaseError ? (DATABASE_REFUSALS[error.kind]?.(error) ?? error) : error;
}
