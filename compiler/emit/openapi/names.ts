/** Names in the document: each for one thing only, and the same for as long as the source says the same. */
import { accountEndpoints, passwordAuthOf } from '../../definition/accounts.ts';
import type { Computed, Definition, Field } from '../../definition/definition.ts';
import type { Endpoint } from '../../definition/endpoint.ts';
import type { ComputedValue, FieldValue } from '../../definition/expression.ts';
import { modelIn } from '../../definition/lookup.ts';

/** One name space. The first claim gets its preferred name. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** The first of the names that is free, or the last one with a number. */
  claim(...wanted: readonly string[]): string {
    const name = wanted.find((each) => !this.#taken.has(each)) ?? this.#numbered(wanted.at(-1) ?? '');
    this.#taken.add(name);
    return name;
  }

  #numbered(name: string): string {
    for (let number = 2; ; number++) if (!this.#taken.has(`${name}${number}`)) return `${name}${number}`;
  }
}

/** `MyTicketsWaiting` from `my-tickets.waiting`. */
export function pascalCase(id: string): string {
  const words = decoded(id)
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** `myTicketsWaiting` from `my-tickets.waiting`: an identifier in most languages. */
export function camelCase(id: string): string {
  const name = pascalCase(id);
  return /^[A-Z]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : `_${name}`;
}

/** `Published at` from `published_at`, `Close solved` from `close-solved`. */
export function wordsFrom(name: string): string {
  const text = decoded(name).replace(/[_-]+/g, ' ').trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A path that the source names is URL-encoded in an id. */
function decoded(name: string): string {
  if (!name.includes('%')) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** `Cache-Control` from `cache-control`. */
export function headerName(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
}

export function fieldIn(definition: Definition, model: string, field: string): Field | undefined {
  return modelIn(definition, model)?.fields.find(({ name }) => name === field);
}

/** The field or computed member that a value is read from. */
export function memberIn(definition: Definition, value: FieldValue | ComputedValue): Field | Computed | undefined {
  if (value.kind === 'field') return fieldIn(definition, value.model, value.field);
  return modelIn(definition, value.model)?.computed.find(({ name }) => name === value.computed);
}

// The endpoints of an entrypoint, and what the components of its requests and answers are named after.

export interface Group {
  /** `post.comments`; also the tag of its operations. */
  readonly id: string;
  readonly model: string;
  readonly description: string;
  /** The base of names, such as `Post`: no other group has it. */
  readonly base: string;
  /** The endpoints in the order of the definition. */
  readonly endpoints: readonly Endpoint[];
}

type Unnamed = Omit<Group, 'base'>;

/**
 * The groups. Those with the shortest ids claim names first, so that the name of a model goes to the entrypoint at the
 * top.
 */
export function groupsOf(definition: Definition): readonly Group[] {
  const bases = new Names();
  return unnamedGroups(definition).map((group) => ({ ...group, base: baseOf(group, bases) }));
}

/** The endpoints in the order of the groups. */
export function groupedEndpoints(definition: Definition): readonly Endpoint[] {
  return unnamedGroups(definition).flatMap(({ endpoints }) => endpoints);
}

function unnamedGroups(definition: Definition): readonly Unnamed[] {
  const groups = entrypointGroups(definition)
    .map((group) => ({ group, depth: group.id.split('.').length }))
    .sort((a, b) => a.depth - b.depth || (a.group.id < b.group.id ? -1 : 1));
  return [...groups.map(({ group }) => group), ...accountGroup(definition)];
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

/** The part of the id of an endpoint behind that of its group: `publish`. */
export function localName({ id }: Endpoint, group: Group): string {
  return id.slice(group.id.length + 1);
}
