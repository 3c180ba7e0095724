/** The key of Standard Webhooks: `whsec_` and at least 16 bytes in Base64. Null where the secret is none. */
import { Buffer } from 'node:buffer';

export function standardKey(secret: string): Buffer | null {
  const [, text] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(text ?? '', 'base64');
  return key.length >= 16 ? key : null;
}
