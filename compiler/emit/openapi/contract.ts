/**
 * The fingerprint of what an API takes and gives. Words for people do not count: a release that only explains itself
 * better answers the clients of the one before it just as well.
 */
import { createHash } from 'node:crypto';
import type { OpenApiDocument } from './document.ts';

export function contractOf({ paths, components }: Pick<OpenApiDocument, 'paths' | 'components'>): string {
  return createHash('sha256')
    .update(JSON.stringify([paths, components], withoutWords))
    .digest('hex')
    .slice(0, 16);
}

/** Fields of the author may have these names too, but behind them stands a schema. */
const WORDS: ReadonlySet<string> = new Set(['summary', 'description', 'title']);

function withoutWords(this: object, key: string, value: unknown): unknown {
  const isExample = key === 'example' && 'schema' in this;
  return isExample || (typeof value === 'string' && WORDS.has(key)) ? undefined : value;
}
