/**
 * Versions of records. A tag names the transaction that wrote the row last, which Postgres knows by itself, and the content of
 * the body: another body is never taken for this one, and every answer of a record names the same version of it.
 */
import { createHash } from 'node:crypto';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import { isConditional } from '../../compiler/definition/versions.ts';
import { ApiError } from '../errors/api-error.ts';
import { versionOf } from '../query/lookup.ts';
import type { Target } from '../query/shape.ts';
import type { Statements } from '../query/statements.ts';
import type { Answer, Exchange, WholeAnswer } from '../request/exchange.ts';
import type { Handled, RequestScope } from './action-tools.ts';

/** Refuses a request that was made for another version. The record is locked by then. */
export function preconditionOf(
  endpoint: Endpoint,
  statements: Statements,
): ((exchange: Exchange, scope: RequestScope) => Promise<void>) | null {
  const record = endpoint.records.at(-1);
  if (!isConditional(endpoint) || record === undefined) return null;
  const version = versionOf(record.model, statements);
  return async ({ request }, scope) => {
    const wanted = tagsIn(request.headers['if-match']);
    if (wanted === null || wanted.includes('*')) return;
    const id = (scope.records[record.record] as Target).id;
    const current = await version(scope, String(id));
    if (!wanted.some((tag) => tag.split('-')[0] === current)) throw new ApiError('changed-meanwhile');
  };
}

/** Proxies that compress mark a tag as weak, which is as good here. */
function tagsIn(header: string | undefined): readonly string[] | null {
  return header?.split(',').map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', '')) ?? null;
}

/** Gives the answer its tag, or none of the body to a client that has it. */
export function taggingOf({ model, method }: Endpoint, record: string, statements: Statements) {
  const version = versionOf(model, statements);
  return async (answer: WholeAnswer, { exchange: { request }, scope }: Handled): Promise<Answer> => {
    const current = await version(scope, String((scope.records[record] as Target).id));
    const hash = createHash('sha256')
      .update(answer.body ?? '')
      .digest('hex')
      .slice(0, HASH_LENGTH);
    const tag = `${current}-${hash}`;
    const headers = { ...answer.headers, etag: `"${tag}"`, 'cache-control': 'private, no-cache' };
    const known = method === 'GET' ? tagsIn(request.headers['if-none-match']) : null;
    const isKnown = known?.includes(tag) || known?.includes('*');
    return isKnown ? { status: 304, headers, body: null } : { ...answer, headers };
  };
}

const HASH_LENGTH = 22;
