/** Finds models, endpoints and their parts in a definition. Lookups in a large one are frequent, so it is indexed once. */
import type { Definition, Model, Reference } from './definition.ts';
import type { Endpoint } from './endpoint.ts';
import type { Expression, Hook } from './expression.ts';
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

interface Incoming extends Reference {
  readonly from: string;
}

export function referencesTo(definition: Definition, model: string): readonly Incoming[] {
  return referencesIn(definition).get(model) ?? [];
}

/** The references to each model, with the model that has them. */
const referencesIn = memoized(({ models }: Definition): ReadonlyMap<string, readonly Incoming[]> => {
  const all = models.flatMap(({ name, references }) => references.map((each) => ({ ...each, from: name })));
  return groupedBy(all, ({ to }) => to);
});

/** The model of each record that the expressions of an endpoint name. */
export function modelsOfRecords({ records, actions }: Endpoint, { auth }: Definition): ReadonlyMap<string, string> {
  const found = new Map(records.map(({ record, model }) => [record, model]));
  if (auth) found.set('@auth', auth.model);
  for (const action of actions) {
    if (action.kind === 'create' || action.kind === 'update') found.set(action.record, action.model);
    if (action.kind === 'query' && action.record !== null) found.set(action.record, action.query.model);
  }
  return found;
}

/** The parts joined by `and`: all of them hold if the condition does. */
export function conjuncts(condition: Expression | null): readonly Expression[] {
  if (condition?.kind === 'truth') return conjuncts(condition.value);
  if (condition?.kind === 'operation' && condition.operator === 'and') return condition.operands.flatMap(conjuncts);
  return condition ? [condition] : [];
}

/** Gives the values of an enum by its name, in their order; none where there is no such enum. */
export const enumValuesIn = memoized(({ enums }: Pick<Definition, 'enums'>) => {
  const found = new Map(enums.map(({ name, values }) => [name, values.map((value) => value.name)]));
  return (name: string): readonly string[] => found.get(name) ?? [];
});

// ── Nodes ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A part of a definition is plain data. Its content is found without knowing its form. */
export type Node = Readonly<Record<string, unknown>>;

/** Whether the part contains such an object, at any depth. */
export function hasNode(part: unknown, is: (node: Node) => boolean): boolean {
  if (typeof part !== 'object' || part === null) return false;
  if (Array.isArray(part)) return part.some((item) => hasNode(item, is));
  const node = part as Node;
  if (is(node)) return true;
  for (const key in node) if (hasNode(node[key], is)) return true;
  return false;
}

const CODE: ReadonlySet<unknown> = new Set(['hook', 'execute', 'service-call']);

/** Stands for the file of Kiln's own code: its exports `mail` and `webhook` hand one to another server. */
export const OWN_CODE = 'kiln:deliver';

/** Whether the object runs custom code. Kiln's own is none. */
export function isCode({ kind, hook }: Node): boolean {
  const { code } = (hook ?? {}) as Partial<Hook>;
  return CODE.has(kind) && !(code && isOwnCode(code));
}

export function isOwnCode(code: Hook['code']): boolean {
  return code.kind === 'source' && code.file === OWN_CODE;
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

/** Compares by code unit, so that no locale changes the bytes. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function byName<T extends { readonly name: string }>(items: readonly T[]): ReadonlyMap<string, T> {
  return new Map(items.map((item) => [item.name, item]));
}

// ── Groups ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Groups items by key, in the order of the first item of each group. */
export function groupedBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(key);
    if (known) known.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
