import { DatabaseError } from '../../../runtime/query/database.ts';
import { failureOf as failureOfType } from '../client/failure.ts';

export function failureOf(running: Promise<unknown>): Promise<DatabaseError> {
  return failureOfType(running, DatabaseError);
}
