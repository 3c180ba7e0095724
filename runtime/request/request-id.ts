/** The id of a request: the client's own where it is harmless, else one that no other process gives. */
import { randomBytes } from 'node:crypto';

const HARMLESS = /^[A-Za-z0-9._-]{1,128}$/;
const PROCESS = randomBytes(9).toString('base64url');

let count = 0;

export function requestIdFrom(header: string | readonly string[] | undefined): string {
  if (typeof header === 'string' && HARMLESS.test(header)) return header;
  count++;
  return `${PROCESS}.${count.toString(36)}`;
}
