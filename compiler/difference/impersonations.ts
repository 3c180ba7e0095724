/** Where a record was always that of the caller, and is what the caller says now: they may act for somebody else. */
import type { Definition } from '../definition/definition.ts';
import type { Endpoint } from '../definition/endpoint.ts';
import type { Expression } from '../definition/expression.ts';
import { nodesIn } from '../definition/lookup.ts';
import type { Both } from './api-rules.ts';
import { type FormerNames, OWN_NAMES } from './former-names.ts';

interface Impersonation {
  /** Of the endpoint, as it is now. */
  readonly id: string;
  /** As they are called now. */
  readonly fields: readonly string[];
}

/** `pairs` are the ids of endpoints, as they were and as they are. */
export function impersonations(
  { before, after }: Both<Definition>,
  pairs: ReadonlyMap<string, string>,
  names: FormerNames,
): readonly Impersonation[] {
  const latter = new Map(after.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  return before.endpoints.flatMap((endpoint) => {
    const id = pairs.get(endpoint.id) ?? '';
    const now = latter.get(id);
    if (!now) return [];
    const own = assignments(endpoint, OWN_NAMES).filter(({ value }) => isCaller(value));
    const fields = assignments(now, names).filter(({ key, value }) => {
      return own.some((each) => each.key === key) && !isCaller(value) && value.kind !== 'literal';
    });
    return fields.length === 0 ? [] : [{ id, fields: fields.map(({ field }) => field) }];
  });
}

interface Assigned {
  /** By the names of before. */
  readonly key: string;
  readonly field: string;
  readonly value: Expression;
}

interface Write {
  readonly model: string;
  readonly values: readonly Pick<Assigned, 'field' | 'value'>[];
}

/** What actions store, wherever in them that is. */
export function assignments({ actions }: Endpoint, names: FormerNames): readonly Assigned[] {
  const writes = nodesIn<Write>(actions, ({ model, values }) => typeof model === 'string' && Array.isArray(values));
  return writes.flatMap(({ model, values }) =>
    values.map(({ field, value }) => ({ key: `${names.model(model)}.${names.field(model, field)}`, field, value })),
  );
}

function isCaller(value: Expression): boolean {
  return value.kind === 'snapshot' && value.record === '@auth';
}
