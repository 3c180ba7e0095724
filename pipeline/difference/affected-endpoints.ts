/** The endpoints of a definition whose requests may cost something else than before: few of many, most often. */
import type { Definition, Endpoint, Model } from '../../compiler/definition/definition.ts';

/** Those that changed, those that are new, and those that read a model that changed. */
export function affectedEndpoints(before: Definition, after: Definition): readonly Endpoint[] {
  const earlier = new Map(before.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const models = affectedModels(before, after);
  const isAffected = (endpoint: Endpoint) =>
    !isSame(endpoint, earlier.get(endpoint.id)) || (models.size > 0 && mentions(endpoint, models));
  return isSame(before.auth, after.auth) ? after.endpoints.filter(isAffected) : after.endpoints;
}

/** Also those whose computed values, queries or hooks read one that is affected. */
function affectedModels(before: Definition, after: Definition): ReadonlySet<string> {
  const earlier = new Map(before.models.map((model) => [model.name, model]));
  const changed = after.models.filter((model) => !isSame(model, earlier.get(model.name)));
  const affected = new Set(changed.map(({ name }) => name));
  const readers = affected.size === 0 ? NO_READERS : readersOf(after.models);
  // The set grows while it is gone through.
  for (const name of affected) for (const reader of readers.get(name) ?? []) affected.add(reader);
  return affected;
}

const NO_READERS: ReadonlyMap<string, readonly string[]> = new Map();

/** By model, those that read it. */
function readersOf(models: readonly Model[]): ReadonlyMap<string, readonly string[]> {
  const readers = new Map<string, string[]>();
  for (const { name, computed, queries, hooks } of models) {
    const read = new Set<string>();
    forEachName([computed, queries, hooks], (model) => read.add(model));
    for (const model of read) readers.set(model, [...(readers.get(model) ?? []), name]);
  }
  return readers;
}

function mentions(node: unknown, models: ReadonlySet<string>): boolean {
  let isFound = false;
  forEachName(node, (model) => {
    isFound ||= models.has(model);
  });
  return isFound;
}

/** Models are named under two keys, and nowhere else. */
function forEachName(node: unknown, visit: (model: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  for (const key in node) {
    const inner = (node as Readonly<Record<string, unknown>>)[key];
    if (typeof inner === 'object') forEachName(inner, visit);
    else if (typeof inner === 'string' && isName(key)) visit(inner);
  }
}

function isName(key: string): boolean {
  return key === 'model' || key === 'of';
}

/** Of plain data. Definitions are large: no text is made of them. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [left, right] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>];
  let count = 0;
  for (const key in left) {
    if (!isSame(left[key], right[key])) return false;
    count++;
  }
  for (const _ in right) count--;
  return count === 0;
}
