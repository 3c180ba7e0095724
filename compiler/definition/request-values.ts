/**
 * The values that an endpoint reads from its requests beside the inputs, by itself or through the members that it uses.
 */
import type { Definition, Model } from './definition.ts';
import type { Endpoint } from './endpoint.ts';
import type { RequestValue } from './expression.ts';
import { hasNode, nodesIn } from './lookup.ts';
import { memoized } from './memo.ts';

/** The values, once for every place that reads them. */
export function requestValuesOf(endpoint: Endpoint, definition: Definition): readonly RequestValue[] {
  if (!readsRequests(definition)) return [];
  const members = membersByKey(definition);
  const found = [...valuesIn(endpoint)];
  const used = new Set(usesOf(endpoint, endpoint.model));
  for (const key of used) {
    const { part, model } = members.get(key) ?? {};
    found.push(...valuesIn(part));
    for (const next of usesOf(part, model ?? '')) used.add(next);
  }
  return found;
}

/**
 * Whether the definition reads such values at all. Most do not, and searching a large one for each endpoint takes long.
 */
const readsRequests = memoized((definition: Definition) => hasNode(definition, ({ kind }) => kind === 'request'));

interface MemberPart {
  readonly part: unknown;
  readonly model: string;
}

const membersByKey = memoized(({ models }: Definition) => new Map<string, MemberPart>(models.flatMap(membersOf)));

function membersOf({ name: model, computed, queries, hooks }: Model): readonly (readonly [string, MemberPart])[] {
  return [...computed, ...queries, ...hooks].map((part) => [`${model}.${part.name}`, { part, model }]);
}

function valuesIn(part: unknown): readonly RequestValue[] {
  return nodesIn<RequestValue>(part, ({ kind }) => kind === 'request');
}

/** The computed members, queries and hooks in a part of a definition, with their models. */
export function usesOf(part: unknown, model: string): readonly string[] {
  if (Array.isArray(part)) return part.flatMap((item) => usesOf(item, model));
  if (typeof part !== 'object' || part === null) return [];
  const { kind, name, of, computed, hook, query, model: own } = part as Readonly<Record<string, unknown>>;
  const around = String((query as { model?: unknown } | undefined)?.model ?? own ?? model);
  const inner = Object.values(part).flatMap((value) => usesOf(value, around));
  if (kind === 'computed' && typeof computed === 'string') return [`${around}.${computed}`, ...inner];
  if (kind === 'query' && typeof of === 'string') return [`${of}.${name}`, ...inner];
  return kind === 'hook' && typeof hook === 'string' ? [`${model}.${hook}`, ...inner] : inner;
}
