/** The headers of an answer as a flat list, a name, its value, and so on, which is what node:http writes fastest. */
import type { Answer } from '../request/exchange.ts';

/**
 * What every answer of an API says of itself: its type is not to be guessed, and no cache keeps it, because who may see
 * it depends on a token. Policies about documents and frames say nothing about JSON and are left to routes with pages.
 */
const ALWAYS: readonly string[] = ['x-content-type-options', 'nosniff', 'cache-control', 'no-store'];

export function commonHeaders(requestId: string, own: readonly string[], cors: readonly string[]): readonly string[] {
  return ['x-request-id', requestId, ...ALWAYS, ...own, ...cors];
}

/** Lets a client see that it was made for another API than the one that answers. */
export function contractHeader(contract: string | undefined): readonly string[] {
  return contract === undefined ? [] : ['kiln-contract', contract];
}

export function headersOf(answer: Answer, common: readonly string[], length: number | null): string[] {
  const ours = length === null ? [...common] : [...common, ...ofBody(answer, length)];
  return answer.headers === null ? ours : withOwn(ours, answer.headers);
}

function ofBody({ body }: Answer, length: number): readonly string[] {
  const size = String(length);
  if (body === null) return ['content-length', size];
  return ['content-type', 'application/json; charset=utf-8', 'content-length', size];
}

/** Node writes what frames the answer; headers of an answer that say otherwise would break the connection. */
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive']);

/** An answer's own headers take the place of ours, except that there may be several reasons to vary. */
function withOwn(ours: readonly string[], own: NonNullable<Answer['headers']>): string[] {
  const pairs = Object.entries(own).filter(([name]) => !FRAMING.has(name.toLowerCase()));
  const replaced = new Set(pairs.map(([name]) => name.toLowerCase()));
  replaced.delete('vary');
  const kept = ours.filter((_, at) => !replaced.has(ours[at - (at % 2)] ?? ''));
  return [...kept, ...pairs.flatMap(([name, value]) => repeated(name, value))];
}

function repeated(name: string, value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [name, value] : value.flatMap((each) => [name, each]);
}
