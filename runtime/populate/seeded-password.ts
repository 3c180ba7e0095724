/** Hashes of passwords as `values/password.ts` verifies them, with a salt that follows from the seed. */
import { createHash } from 'node:crypto';
import { LONGEST_PASSWORD } from '../../compiler/definition/contract/text-forms.ts';
import { hashPasswordWith, isTooLongForPassword, SALT_BYTES } from '../values/password.ts';

/** So many that a million users with a handful of passwords cost a handful of hashes. */
const REMEMBERED = 1024;

export function seededPasswords(seed: number): (password: string) => string {
  const known = new Map<string, string>();
  return (password) => {
    const found = known.get(password);
    if (found !== undefined) return found;
    const hash = seededHash(password, seed);
    if (known.size < REMEMBERED) known.set(password, hash);
    return hash;
  };
}

function seededHash(password: string, seed: number): string {
  if (isTooLongForPassword(password)) throw new Error(`a password has at most ${LONGEST_PASSWORD} bytes`);
  const text = password.normalize('NFC');
  const salt = createHash('sha256').update(`${seed}\0${text}`).digest().subarray(0, SALT_BYTES);
  return hashPasswordWith(salt, text);
}
