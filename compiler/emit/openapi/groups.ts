/** The endpoints of an entrypoint, and what the components of its requests and answers are named after. */
import { accountEndpoints, passwordAuthOf } from '../../definition/accounts.ts';
import type { Definition } from '../../definition/definition.ts';
import type { Endpoint } from '../../definition/endpoint.ts';
import { Names, pascalCase } from './names.ts';

export interface Group {
  /** `post.comments`; also the tag of its operations. */
  readonly id: string;
  readonly model: string;
  readonly description: string;
  /** Such as `Post`: no other group has it. */
  readonly base: string;
  /** As they stand in the definition. */
  readonly endpoints: readonly Endpoint[];
}

type Unnamed = Omit<Group, 'base'>;

/** Those with the shortest ids first, so that the name of a model goes to the entrypoint at the top. */
export function groupsOf(definition: Definition): readonly Group[] {
  const bases = new Names();
  return unnamedGroups(definition).map((group) => ({ ...group, base: baseOf(group, bases) }));
}

/** In the order of the groups. */
export function groupedEndpoints(definition: Definition): readonly Endpoint[] {
  return unnamedGroups(definition).flatMap(({ endpoints }) => endpoints);
}

function unnamedGroups(definition: Definition): readonly Unnamed[] {
  const groups = entrypointGroups(definition)
    .map((group) => ({ group, depth: depthOf(group) }))
    .sort((a, b) => a.depth - b.depth || (a.group.id < b.group.id ? -1 : 1));
  return [...groups.map(({ group }) => group), ...accountGroup(definition)];
}

function depthOf({ id }: Unnamed): number {
  return id.split('.').length;
}

/** `Comment`, `PostComment` or `PostComments`; `User` or `AuthUser`. */
function baseOf({ id, model }: Unnamed, bases: Names): string {
  const above = id.split('.').slice(0, -1).join('.');
  const longer = above === '' ? pascalCase(id) + model : pascalCase(above) + model;
  return bases.claim(model, longer, pascalCase(id));
}

function entrypointGroups({ entrypoints, endpoints, models }: Definition): readonly Unnamed[] {
  const docs = new Map(models.map(({ name, doc }) => [name, doc]));
  const owned = new Map(entrypoints.map(({ id }) => [id, [] as Endpoint[]]));
  for (const endpoint of endpoints) ownerOf(endpoint.id, owned)?.push(endpoint);
  return entrypoints.map(({ id, model, doc }) => ({
    id,
    model,
    description: doc ?? docs.get(model) ?? `Records of \`${model}\`.`,
    endpoints: owned.get(id) ?? [],
  }));
}

/** The path of a custom endpoint may have dots in it, too. */
function ownerOf(id: string, owned: ReadonlyMap<string, Endpoint[]>): Endpoint[] | undefined {
  const above = id.slice(0, Math.max(id.lastIndexOf('.'), 0));
  return above === '' ? undefined : (owned.get(above) ?? ownerOf(above, owned));
}

function accountGroup(definition: Definition): readonly Unnamed[] {
  const auth = passwordAuthOf(definition);
  if (auth === null) return [];
  const endpoints = accountEndpoints(auth, definition);
  return [{ id: 'auth', model: auth.model, description: 'Accounts and their tokens.', endpoints }];
}

/** What the id of an endpoint adds to that of its group: `publish`. */
export function localName({ id }: Endpoint, group: Group): string {
  return id.slice(group.id.length + 1);
}
