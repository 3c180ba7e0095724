/** What the database refuses becomes a refusal that the client can read: never a 500 for what a client did. */
import { ApiError } from '../errors/api-error.ts';
import type { DatabaseError, DatabaseErrorKind } from '../query/database.ts';

/** Another attempt has a good chance at once, other than where the database is away. */
const AT_ONCE = { 'retry-after': '1' };

/** What no answer is named for is our own mistake. */
export const DATABASE_REFUSALS: Readonly<Record<DatabaseErrorKind, ((cause: DatabaseError) => ApiError) | null>> = {
  unique: (cause) => new ApiError('conflict', { detail: 'Another record has the same unique value already.', cause }),
  'foreign-key': (cause) =>
    new ApiError('conflict', { detail: 'Records refer to each other: one is still used, or is gone.', cause }),
  'out-of-range': outOfRange,
  'bad-value': (cause) =>
    new ApiError('malformed-request', { detail: 'A value is not one that can be stored.', cause }),
  'too-long': (cause) =>
    new ApiError('malformed-request', {
      detail: 'A text is too long for a field that is unique or has an index.',
      cause,
    }),
  contention: (cause) =>
    new ApiError('unavailable', { detail: 'Too many requests change the same records.', headers: AT_ONCE, cause }),
  conflict: (cause) =>
    new ApiError('conflict', {
      detail: 'Another request changed the same records at the same time. Try again.',
      headers: AT_ONCE,
      cause,
    }),
  timeout: (cause) => new ApiError('unavailable', { detail: 'The database took too long.', cause }),
  busy: (cause) =>
    new ApiError('unavailable', { detail: 'Too many requests wait for the database.', headers: AT_ONCE, cause }),
  unavailable: (cause) => new ApiError('unavailable', { detail: 'The database cannot be reached.', cause }),
  /** Which of the two it is would be another question to the database, for each request. */
  'other-schema': (cause) =>
    new ApiError('unavailable', {
      detail:
        'The database does not have the tables of this release. If it is behind, run `migrate`. If it is ahead, use a newer image. `/readyz` says which.',
      cause,
    }),
  check: null,
  'not-null': null,
  other: null,
};

function outOfRange(cause: DatabaseError): ApiError {
  const errors = [{ path: '', code: 'out-of-range', message: 'a result is out of range', params: {} }];
  return new ApiError('validation-failed', { detail: 'A result is out of range.', errors, cause });
}
