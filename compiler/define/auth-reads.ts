/**
 * Members of models may ask for `@auth` too. What they ask for is read by every endpoint that uses them, directly or by
 * way of other members.
 */
import type { Endpoint, Read } from '../definition/definition.ts';
import type * as program from '../program/program.ts';
import { expressionFrom } from './expressions.ts';
import { hookFrom, lowering, queryFrom } from './queries.ts';
import { AUTH, Reads } from './reads.ts';

export function withAuthReads(endpoints: readonly Endpoint[], models: readonly program.Model[]): readonly Endpoint[] {
  const askers = askersOf(models);
  if (![...askers.values()].some(({ asks }) => asks.length > 0)) return endpoints;
  return endpoints.map((endpoint) => ({ ...endpoint, authReads: readsOf(endpoint, askers) }));
}

/** A computed member, query or hook: what it asks of `@auth`, and the other members that it uses. */
interface Asker {
  readonly asks: readonly Read[];
  readonly uses: readonly string[];
}

function askersOf(models: readonly program.Model[]): ReadonlyMap<string, Asker> {
  const members = models.flatMap((model) => [...model.members.values()]);
  return new Map(members.flatMap((member) => askerOf(member) ?? []));
}

function askerOf(member: program.Member): [[string, Asker]] | undefined {
  const reads = new Reads();
  const lowered = loweredMember(member, reads);
  if (lowered === undefined) return undefined;
  return [
    [
      `${member.model.name}.${member.name}`,
      { asks: reads.of(AUTH), uses: usesOf([lowered, reads.of(AUTH)], member.model.name) },
    ],
  ];
}

function loweredMember(member: program.Member, reads: Reads): unknown {
  if (member.kind === 'computed') return expressionFrom(member.value, lowering(reads));
  if (member.kind === 'query') return queryFrom(member.query, lowering(reads));
  return member.kind === 'hook' ? hookFrom(member.call, lowering(reads)) : undefined;
}

/** The computed members, queries and hooks that stand anywhere in a part of a definition, with their models. */
function usesOf(part: unknown, model: string): readonly string[] {
  if (Array.isArray(part)) return part.flatMap((item) => usesOf(item, model));
  if (typeof part !== 'object' || part === null) return [];
  const { kind, name, of, computed, hook, query, model: own } = part as Readonly<Record<string, unknown>>;
  const around = String((query as { model?: unknown } | undefined)?.model ?? own ?? model);
  const inner = Object.values(part).flatMap((value) => usesOf(value, around));
  if (kind === 'computed' && typeof computed === 'string') return [`${around}.${computed}`, ...inner];
  if (kind === 'query' && typeof of === 'string') return [`${of}.${name}`, ...inner];
  return kind === 'hook' && typeof hook === 'string' ? [`${model}.${hook}`, ...inner] : inner;
}

function readsOf(endpoint: Endpoint, askers: ReadonlyMap<string, Asker>): readonly Read[] {
  const reads = new Map(endpoint.authReads.map((read) => [read.name, read]));
  const used = new Set(usesOf(endpoint, endpoint.model));
  for (const key of used) {
    const asker = askers.get(key);
    for (const read of asker?.asks ?? []) reads.set(read.name, read);
    for (const next of asker?.uses ?? []) used.add(next);
  }
  return [...reads.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
