import { createHash } from 'node:crypto';
import type { Schema } from '../../definition/schema.ts';

/** Equal schemas have equal fingerprints. The order of everything in a schema is fixed already. */
export function schemaFingerprint(schema: Schema): string {
  return digestOf(JSON.stringify(schema));
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
