/** Passwords are stored as `scrypt$N$r$p$salt$hash`, so that the cost can be raised without losing the old ones. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

const COST = { N: 2 ** 15, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Twice of what the cost needs. It also bounds the work that a hash from elsewhere can ask for. */
const MAX_MEMORY = 64 * 1024 * 1024;

const FORM = /^scrypt\$(\d{1,6})\$(\d{1,2})\$(\d)\$([\w-]{1,128})\$([\w-]{22,128})$/;

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, COST);
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** False also for a text that is no hash. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt, hash] = FORM.exec(stored) ?? [];
  if (salt === undefined || hash === undefined) return false;
  const expected = Buffer.from(hash, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  if (!isCost(cost)) return false;
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, cost);
  return timingSafeEqual(actual, expected);
}

/** What scrypt itself would throw at. */
function isCost({ N, r, p }: typeof COST): boolean {
  const isPowerOfTwo = N > 1 && (N & (N - 1)) === 0;
  return isPowerOfTwo && r > 0 && p > 0 && 128 * r * (N + p) < MAX_MEMORY;
}

function derive(password: string, salt: Buffer, length: number, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The same password may be typed as one code point or as two.
    scrypt(password.normalize('NFC'), salt, length, { ...cost, maxmem: MAX_MEMORY }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    );
  });
}
