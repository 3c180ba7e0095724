/**
 * Which endpoints callers cannot tell apart, without working out what they take and give. From one release to the next most
 * of them are the same. An endpoint is plain data that names models, enums and validators: where the data is the same and
 * nothing that it names has changed, neither has the endpoint.
 */
import type { Definition, Model } from '../definition/definition.ts';
import { serializableEndpoints } from '../definition/serializable.ts';
import type { Route } from './api-routes.ts';
import type { Both } from './api-rules.ts';

/** It may say of an endpoint that has not changed that it has, but never the other way round. */
export function unchangedIn(definitions: Both<Definition>): (routes: Both<Route>) => boolean {
  const { before, after } = definitions;
  if (!isSame(before.auth, after.auth, NOTHING)) return () => false;
  const changed = changedNames(definitions);
  const [former, latter] = [serializableEndpoints(before), serializableEndpoints(after)];
  return (routes) => {
    const [earlier, later] = [routes.before.endpoint, routes.after.endpoint];
    return former.has(earlier.id) === latter.has(later.id) && isSame(earlier, later, changed);
  };
}

const NOTHING: ReadonlySet<string> = new Set();

/** Whether two values say the same, and name nothing that has changed. */
function isSame(a: unknown, b: unknown, changed: ReadonlySet<string>): boolean {
  if (typeof a === 'string') return a === b && !changed.has(a);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a)) return Array.isArray(b) && isSameList(a, b, changed);
  const [one, other] = [a as Node, b as Node];
  for (const key in one) if (key !== 'doc' && !isSame(one[key], other[key], changed)) return false;
  for (const key in other) if (!(key in one) && other[key] !== undefined) return false;
  return true;
}

type Node = Readonly<Record<string, unknown>>;

function isSameList(a: readonly unknown[], b: readonly unknown[], changed: ReadonlySet<string>): boolean {
  return a.length === b.length && a.every((item, index) => isSame(item, b[index], changed));
}

// ── What endpoints name ─────────────────────────────────────────────────────────────────────────────────────────────

function changedNames({ before, after }: Both<Definition>): ReadonlySet<string> {
  const changed = new Set([
    ...differing(before.enums, after.enums),
    ...differing(before.validators, after.validators),
    ...differing(before.models, after.models),
  ]);
  for (const models of [before.models, after.models]) {
    markReferenced(models, changed);
    markReaders(models, changed);
  }
  return changed;
}

interface Named {
  readonly name: string;
}

function differing(before: readonly Named[], after: readonly Named[]): readonly string[] {
  const former = new Map(before.map((each) => [each.name, each]));
  const latter = new Map(after.map((each) => [each.name, each]));
  const names = [...new Set([...former.keys(), ...latter.keys()])];
  return names.filter((name) => !isSame(former.get(name), latter.get(name), NOTHING));
}

/** What refers to a record decides whether it can be deleted, also through records that are deleted with it. */
function markReferenced(models: readonly Model[], changed: Set<string>): void {
  const byName = new Map(models.map((model) => [model.name, model]));
  // The set grows while it is gone through.
  for (const name of changed) for (const { to } of byName.get(name)?.references ?? []) changed.add(to);
}

/** Computed members, queries and hooks may lead to those of other models. */
function markReaders(models: readonly Model[], changed: Set<string>): void {
  const rest = new Set(models.filter(({ name }) => !changed.has(name)));
  for (let isMore = true; isMore; ) {
    const found = [...rest].filter(({ computed, queries, hooks }) => !isUntouched([computed, queries, hooks], changed));
    for (const model of found) {
      changed.add(model.name);
      rest.delete(model);
    }
    isMore = found.length > 0;
  }
}

function isUntouched(members: unknown, changed: ReadonlySet<string>): boolean {
  return isSame(members, members, changed);
}
