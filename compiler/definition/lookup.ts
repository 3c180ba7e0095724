/** Finds models and endpoints of a definition. A large one is asked many thousand times, so it is put in order once. */
import type { Definition, Model } from './definition.ts';
import type { Endpoint } from './endpoint.ts';
import { memoized } from './memo.ts';

interface Index {
  readonly models: ReadonlyMap<string, Model>;
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

export function modelIn(definition: Definition, name: string): Model | undefined {
  return indexOf(definition).models.get(name);
}

export function endpointIn(definition: Definition, id: string): Endpoint | undefined {
  return indexOf(definition).endpoints.get(id);
}

const indexOf = memoized(
  ({ models, endpoints }: Definition): Index => ({
    models: new Map(models.map((model) => [model.name, model])),
    endpoints: new Map(endpoints.map((endpoint) => [endpoint.id, endpoint])),
  }),
);

// ── Nodes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A part of a definition is plain data. What stands in it is found without knowing its form. */
export type Node = Readonly<Record<string, unknown>>;

/** Whether there is such an object in it, however deep. */
export function hasNode(part: unknown, is: (node: Node) => boolean): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if (Array.isArray(part)) return part.some((item) => hasNode(item, is));
  const node = part as Node;
  if (is(node)) return true;
  for (const key in node) if (hasNode(node[key], is)) return true;
  return false;
}

/** Finds all such objects in it, from the outside in. Definitions are large: all of them go into one list. */
export function nodesIn<T = Node>(part: unknown, is: (node: Node) => boolean, found: T[] = []): readonly T[] {
  if (typeof part !== 'object' || part === null) return found;
  if (Array.isArray(part)) {
    for (const item of part) nodesIn(item, is, found);
    return found;
  }
  const node = part as Node;
  if (is(node)) found.push(node as T);
  for (const key in node) nodesIn(node[key], is, found);
  return found;
}
