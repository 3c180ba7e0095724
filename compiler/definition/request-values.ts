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
  return reachedFrom(endpoint, endpoint.model, definition).flatMap((part) =>
    nodesIn<RequestValue>(part, ({ kind }) => kind === 'request'),
  );
}

/** The part itself, and the members and validators that it uses, directly or through others, each once. */
export function reachedFrom(part: unknown, model: string, definition: Definition): readonly unknown[] {
  const members = membersByKey(definition);
  const used = new Set(usesOf(part, model));
  // The set grows during the loop.
  for (const key of used) {
    const member = members.get(key);
    for (const next of usesOf(member?.part, member?.model ?? '')) used.add(next);
  }
  return [part, ...[...used].map((key) => members.get(key)?.part)];
}

/**
 * Whether the definition reads such values at all. Most do not, and searching a large one for each endpoint takes long.
 */
const readsRequests = memoized((definition: Definition) => hasNode(definition, ({ kind }) => kind === 'request'));

interface MemberPart {
  readonly part: unknown;
  readonly model: string;
}

const membersByKey = memoized(
  ({ models, validators }: Definition) =>
    new Map<string, MemberPart>([
      ...models.flatMap(membersOf),
      ...validators.map((part) => [validatorKey(part.name), { part, model: '' }] as const),
    ]),
);

function validatorKey(name: string): string {
  return `validator ${name}`;
}

function membersOf({ name: model, computed, queries, hooks }: Model): readonly (readonly [string, MemberPart])[] {
  return [...computed, ...queries, ...hooks].map((part) => [`${model}.${part.name}`, { part, model }]);
}

/** The computed members, queries and hooks in a part of a definition, with their models, and its validators. */
function usesOf(part: unknown, model: string): readonly string[] {
  if (Array.isArray(part)) return part.flatMap((item) => usesOf(item, model));
  if (typeof part !== 'object' || part === null) return [];
  const { kind, name, of, computed, hook, query, own, model: named } = part as Readonly<Record<string, unknown>>;
  const around = String((query as { model?: unknown } | undefined)?.model ?? named ?? model);
  const inner = Object.values(part).flatMap((value) => usesOf(value, around));
  if (typeof own === 'string') return [validatorKey(own), ...inner];
  if (kind === 'computed' && typeof computed === 'string') return [`${around}.${computed}`, ...inner];
  if (kind === 'query' && typeof of === 'string') return [`${of}.${name}`, ...inner];
  return kind === 'hook' && typeof hook === 'string' ? [`${model}.${hook}`, ...inner] : inner;
}
