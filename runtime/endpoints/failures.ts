/** What the database refuses becomes an answer: never a 500 for what a client did. */
import { ApiError } from '../errors/api-error.ts';
import { DatabaseError, type DatabaseErrorKind } from '../query/database.ts';

export function answerableError(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  return ANSWERS[error.kind](error);
}

const LATER = { 'retry-after': '1' };

const ANSWERS: Readonly<Record<DatabaseErrorKind, (error: DatabaseError) => unknown>> = {
  unique: (cause) => new ApiError('conflict', { detail: 'Another record has the same unique value already.', cause }),
  'foreign-key': (cause) =>
    new ApiError('conflict', { detail: 'Records refer to each other: one is still used, or is gone.', cause }),
  'out-of-range': (cause) => outOfRange(cause),
  'bad-value': (cause) =>
    new ApiError('malformed-request', { detail: 'A value is not one that can be stored.', cause }),
  contention: (cause) =>
    new ApiError('unavailable', { detail: 'Too many requests change the same records.', headers: LATER, cause }),
  timeout: (cause) => new ApiError('unavailable', { detail: 'The database took too long.', headers: LATER, cause }),
  unavailable: (cause) =>
    new ApiError('unavailable', { detail: 'The database cannot be reached.', headers: LATER, cause }),
  check: (cause) => cause,
  'not-null': (cause) => cause,
  other: (cause) => cause,
};

function outOfRange(cause: unknown): ApiError {
  const errors = [{ path: '', code: 'out-of-range', message: 'a result is out of range', params: {} }];
  return new ApiError('validation-failed', { detail: 'A result is out of range.', errors, cause });
}

/** Whether the inputs may be the reason, which the checks can tell. */
export function mayBeInputs(error: unknown): boolean {
  return error instanceof DatabaseError && (error.kind === 'unique' || error.kind === 'foreign-key');
}
