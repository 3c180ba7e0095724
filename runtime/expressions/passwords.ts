/** Hashing of passwords, with the answers to those who ask for too much of it. */
import { LONGEST_PASSWORD } from '../../compiler/definition/contract/validators.ts';
import { ApiError } from '../errors/api-error.ts';
import { hashPassword, isTooLongForPassword, verifyPassword } from '../values/password.ts';
import { WaitTimeout } from '../values/semaphore.ts';

export async function hashOf(password: string): Promise<string> {
  if (isTooLongForPassword(password)) throw tooLong();
  return hashPassword(password).catch(explained);
}

export function fitsHash(password: string, hash: string): Promise<boolean> {
  return verifyPassword(password, hash).catch(explained);
}

function explained(error: unknown): never {
  throw error instanceof WaitTimeout ? tooManyHashes() : error;
}

/** The time after which clients may retry, in seconds: by then, all that waits now is done or rejected. */
const RETRY_AFTER = 5;

/** The error for an overload. It has no cause, because nothing is broken. */
export function tooManyHashes(): ApiError {
  const detail = `Too many passwords are being checked. Try again in ${RETRY_AFTER} seconds.`;
  return new ApiError('unavailable', { detail, retryAfter: RETRY_AFTER });
}

/** An input that is hashed as it comes has this limit itself; this is for texts that were made from inputs. */
function tooLong(): ApiError {
  const message = `a password must have at most ${LONGEST_PASSWORD} bytes`;
  const errors = [{ path: '', code: 'max-length', message, params: { max: LONGEST_PASSWORD } }];
  return new ApiError('validation-failed', {
    detail: `A password must have at most ${LONGEST_PASSWORD} bytes.`,
    errors,
  });
}
