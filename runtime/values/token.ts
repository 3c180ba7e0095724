import { randomBytes } from 'node:crypto';

/** 256 bits. */
export const TOKEN_LENGTH = 43;
export const MAX_TOKEN_LENGTH = 1024;

/** As many random characters of base64url, six bits each. */
export function randomToken(length = TOKEN_LENGTH): string {
  return randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64url')
    .slice(0, length);
}
