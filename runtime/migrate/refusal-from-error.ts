import { isLostConnection, sqlStateOf } from '../query/connections/database-error-from.ts';
import { postgresWords } from './postgres-words.ts';
import { Refusal } from './refusal.ts';

/** What Postgres or the network has done to us is a refusal. Mistakes of our own stay what they are. */
export function refusalFromError(error: unknown, signal: AbortSignal | undefined): Refusal {
  const isRefusal = error instanceof Refusal;
  if (isRefusal && (!signal?.aborted || error.reason === 'stopped')) return error;
  if (signal?.aborted) return new Refusal('stopped', 'The migration was cancelled.', { cause: error });
  if (isLostConnection(error)) {
    return new Refusal('unavailable', 'The connection to Postgres was lost, and with it the lock of this migration.', {
      cause: error,
    });
  }
  const state = sqlStateOf(error);
  if (state === undefined) throw error;
  const { message } = postgresWords(error);
  if (state === '25006')
    return new Refusal('unavailable', `Postgres accepts no changes here: ${message}.`, { cause: error });
  if (state === '55P03')
    return new Refusal('blocked', `A lock could not be acquired in time: ${message}.`, { cause: error });
  return new Refusal('failed', `Postgres refused: ${message}.`, { cause: error });
}
