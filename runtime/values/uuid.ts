import { createHash, randomBytes, randomUUID } from 'node:crypto';

const FORM = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The UUID in lower case. Null where the text is not one. */
export function canonicalUuid(text: string): string | null {
  const lower = text.toLowerCase();
  return text.length === 36 && FORM.test(lower) ? lower : null;
}

/** A UUID of version 7: the milliseconds since 1970 come first, so that later ones sort later. The rest is random. */
export function uuidV7(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Version 8: the same for the same values. */
export function uuidOf(values: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(values)).digest('hex');
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}

/** The length of 256 bits in base64url. */
export const TOKEN_LENGTH = 43;
export const MAX_TOKEN_LENGTH = 1024;

/** A token of this many random characters of base64url, six bits each. */
export function randomToken(length = TOKEN_LENGTH): string {
  return randomBytes(Math.ceil((length * 3) / 4))
    .toString('base64url')
    .slice(0, length);
}
