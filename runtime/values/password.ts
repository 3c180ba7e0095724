/** Passwords are stored as `scrypt$N$r$p$salt$hash`, so that the cost can be raised without losing the old ones. */
import { Buffer } from 'node:buffer';
import { randomBytes, type ScryptOptions, scrypt, scryptSync, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { LONGEST_PASSWORD } from '../../compiler/definition/contract/validators.ts';
import { Semaphore } from './semaphore.ts';

const COST = { N: 2 ** 15, r: 8, p: 1 };
export const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Twice of what the cost needs. It also bounds the work that a hash from elsewhere can ask for. */
const MAX_MEMORY = 64 * 1024 * 1024;

const FORM = /^scrypt\$(\d{1,6})\$(\d{1,2})\$(\d)\$([\w-]{1,128})\$([\w-]{22,128})$/;

/** Threads that Node has for scrypt, and for files and names of hosts besides. */
const THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4;

/** One thread is left to others. */
const AT_ONCE = Math.max(1, Math.min(availableParallelism(), THREADS - 1));

/** Each hash takes 32 MB and about 100 ms: the queue is as long as what is done in three seconds. */
const hashing = new Semaphore(AT_ONCE, 32 * AT_ONCE);
const LONGEST_WAIT = 3000;

/** Whether another hash would be refused with `WaitTimeout`. */
export function isHashingFull(): boolean {
  return hashing.isFull;
}

/**
 * Whether the password is too long. The limit also bounds the time of Unicode normalisation, which grows with the
 * square of the length.
 */
export function isTooLongForPassword(password: string): boolean {
  return password.length > LONGEST_PASSWORD || Buffer.byteLength(password) > LONGEST_PASSWORD;
}

/** A text that looks like a hash and takes the same work to compare with, but is that of no password. */
export function nobodysHash(): string {
  return stored(randomBytes(SALT_BYTES), randomBytes(HASH_BYTES));
}

/** Hashes a password, which must not be too long. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, COST);
  return stored(salt, hash);
}

/** Hashes with a given salt, and at once: for records that are made up. */
export function hashPasswordWith(salt: Buffer, password: string): string {
  return stored(salt, scryptSync(normal(password), salt, HASH_BYTES, { ...COST, maxmem: MAX_MEMORY }));
}

/** The same password may be typed as one code point or as two. */
function normal(password: string): string {
  return password.normalize('NFC');
}

function stored(salt: Buffer, hash: Buffer): string {
  return `scrypt$${COST.N}$${COST.r}$${COST.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

const NOBODYS = nobodysHash();

/**
 * Verifies a password. It is false for a text that is no hash, after the same work as for one, and for a text too long
 * to be a password.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  if (isTooLongForPassword(password)) return false;
  const { salt, expected, cost } = hashFrom(stored) ?? (hashFrom(NOBODYS) as StoredHash);
  const actual = await derive(password, salt, expected.length, cost);
  return timingSafeEqual(actual, expected);
}

interface StoredHash {
  readonly salt: Buffer;
  readonly expected: Buffer;
  readonly cost: typeof COST;
}

function hashFrom(stored: string): StoredHash | null {
  const [, N, r, p, salt, hash] = FORM.exec(stored) ?? [];
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  if (salt === undefined || hash === undefined || !isCost(cost)) return null;
  return { salt: Buffer.from(salt, 'base64url'), expected: Buffer.from(hash, 'base64url'), cost };
}

/** Whether scrypt accepts these costs. */
function isCost({ N, r, p }: typeof COST): boolean {
  const isPowerOfTwo = N > 1 && (N & (N - 1)) === 0;
  return isPowerOfTwo && r > 0 && p > 0 && 128 * r * (N + p) < MAX_MEMORY;
}

const scrypted = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

function derive(password: string, salt: Buffer, length: number, cost: ScryptOptions): Promise<Buffer> {
  return hashing.during(() => scrypted(normal(password), salt, length, { ...cost, maxmem: MAX_MEMORY }), {
    left: LONGEST_WAIT,
  });
}
