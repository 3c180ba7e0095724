/**
 * What would cross shards if the tables of an application were distributed by the key of a tenant:
 * `npx tsx bench/scale/shards.ts examples/projects Team`. It reads the definition alone; docs/scale.md says what follows.
 */
import type { Endpoint, Model, Query, Reference, Step } from '../../compiler/definition/definition.ts';
import { projectDefinition } from '../../pipeline/cli/compiled-project.ts';

const [folder = 'examples/projects', tenant = 'Team'] = process.argv.slice(2);
const project = await projectDefinition(folder);
if (project === undefined) process.exit(1);
const { definition } = project;
const models = new Map(definition.models.map((model) => [model.name, model]));
if (!models.has(tenant)) throw new Error(`${folder} has no model ${tenant}`);
const paths = pathsToTenant();
const endpoints = definition.endpoints.map((endpoint) => ({ endpoint, reasons: [...new Set(reasonsOf(endpoint))] }));
const inside = endpoints.filter(({ reasons }) => reasons.length === 0);
const searching = inside.filter(({ endpoint }) => endpoint.records[0] !== undefined && findsTenant(endpoint));

print('Tables', definition.models.map(tableLine));
print('Unique keys over all tenants', definition.models.flatMap(keysOverAll));
print(
  'Endpoints with statements that cross shards',
  endpoints
    .filter(({ reasons }) => reasons.length > 0)
    .map(({ endpoint, reasons }) => `${endpoint.id}: ${reasons.join('; ')}`),
);
print(
  'Endpoints that run at SERIALIZABLE',
  (definition.serializable ?? []).map(({ endpoint }) => endpoint),
);
console.log(`${inside.length} of ${endpoints.length} endpoints stay in one shard, if each statement names the tenant beside the id.
${searching.length} of them find it first by another key than its id, which needs a directory on every node.`);

/** By model: the required references that lead to the tenant, the shortest way. A model without any is on every node. */
function pathsToTenant(): ReadonlyMap<string, readonly Reference[]> {
  const found = new Map<string, readonly Reference[]>([[tenant, []]]);
  for (const [name, path] of found) {
    for (const model of definition.models) {
      const reference = model.references.find(({ to, nullable }) => to === name && !nullable);
      if (reference && !found.has(model.name)) found.set(model.name, [reference, ...path]);
    }
  }
  return found;
}

function tableLine({ name }: Model): string {
  const path = paths.get(name);
  if (path === undefined) return `${name}: on every node`;
  if (path.length === 0) return `${name}: by id`;
  const key = path.map((reference) => reference.name).join('.');
  return path.length === 1 ? `${name}: by ${key}` : `${name}: by ${key}, which needs a column of its own`;
}

/** A key with a reference to a distributed record says the same with the tenant's key in it, and ids come from sequences. */
function keysOverAll(model: Model): string[] {
  if (!paths.has(model.name)) return [];
  const inTenant = model.references.filter(({ to }) => paths.has(to)).map(({ field }) => field);
  const single = model.fields.filter(({ unique, name }) => unique && name !== 'id').map(({ name }) => [name]);
  const keys = [...single, ...model.uniques].filter((fields) => !fields.some((name) => inTenant.includes(name)));
  return keys.map((fields) => `${model.name} (${fields.join(', ')})`);
}

function findsTenant({ records: [first] }: Endpoint): boolean {
  return first?.through === null && first.model === tenant && first.identify?.field !== 'id';
}

function reasonsOf(endpoint: Endpoint): string[] {
  const found = endpoint.records.filter(
    ({ through, model }) => through === null && model !== tenant && paths.has(model),
  );
  return [
    ...found.map(({ model, identify }) => `finds ${model} by ${identify?.field}`),
    ...reasonsIn(endpoint, new Set()),
  ];
}

/** Of every path, query and input inside a part of the definition, and of the members that they read. */
function reasonsIn(part: unknown, entered: Set<unknown>): string[] {
  if (typeof part !== 'object' || part === null || entered.has(part)) return [];
  entered.add(part);
  return [
    ...(isQuery(part) && part.origin.kind === 'model' ? reasonsOfAll(firstModel(part)) : []),
    ...('path' in part && Array.isArray(part.path) ? part.path.flatMap((step) => reasonsOfStep(step, entered)) : []),
    ...('finds' in part && isRecordOfTenant(part.finds) ? [`finds ${part.finds.model} by an input`] : []),
    ...('computed' in part ? reasonsIn(computedOf(part), entered) : []),
    ...Object.values(part).flatMap((value) => reasonsIn(value, entered)),
  ];
}

function reasonsOfAll(model: string): string[] {
  return paths.has(model) ? [`reads all of ${model}`] : [];
}

/** A path of names of an input has texts in place of steps. */
function reasonsOfStep(step: Step | string, entered: Set<unknown>): string[] {
  if (typeof step === 'string' || step.kind === 'reference') return [];
  if (step.kind === 'query')
    return reasonsIn(
      models.get(step.of)?.queries.find(({ name }) => name === step.name),
      entered,
    );
  const from = models.get(step.model)?.references.find(({ field }) => field === step.field)?.to ?? '';
  return paths.has(step.model) && !paths.has(from) ? [`reads ${step.model} of one ${from}`] : [];
}

function firstModel({ path: [first], model }: Query): string {
  if (first?.kind === 'query') return first.of;
  return first?.model ?? model;
}

function computedOf(part: { readonly computed: unknown; readonly model?: unknown }): unknown {
  return models.get(String(part.model))?.computed.find(({ name }) => name === part.computed)?.value;
}

function isQuery(part: object): part is Query {
  return 'origin' in part && 'cardinality' in part;
}

function isRecordOfTenant(value: unknown): value is { readonly model: string } {
  return typeof value === 'object' && value !== null && 'model' in value && paths.has(String(value.model));
}

function print(title: string, lines: readonly string[]): void {
  console.log(`${title}:\n${lines.map((line) => `  ${line}`).join('\n') || '  none'}\n`);
}
