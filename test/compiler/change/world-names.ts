/** Names that are free. There are few of them, some alike, so that names are given up and used again, and collide when joined. */
import { snakeCase } from '../../../compiler/definition/names.ts';
import type { Random } from './random.ts';
import { membersOf, type World, type WorldEnum, type WorldModel } from './world.ts';

/** The names of the previous release, to which `was` and `drop` refer. */
export interface NamesBefore {
  readonly models: ReadonlyMap<WorldModel, string>;
  readonly enums: ReadonlyMap<WorldEnum, string>;
  readonly members: ReadonlyMap<WorldModel, ReadonlySet<string>>;
  readonly values: ReadonlyMap<WorldEnum, ReadonlySet<string>>;
}

export function namesOf({ models, enums }: World): NamesBefore {
  const names = (items: readonly { readonly name: string }[]) => new Set(items.map(({ name }) => name));
  return {
    models: new Map(models.map((model) => [model, model.name])),
    enums: new Map(enums.map((type) => [type, type.name])),
    members: new Map(models.map((model) => [model, names(membersOf(model))])),
    values: new Map(enums.map((type) => [type, names(type.values)])),
  };
}

export const NOTHING_BEFORE: NamesBefore = {
  models: new Map(),
  enums: new Map(),
  members: new Map(),
  values: new Map(),
};

const TYPE_NAMES = ['A', 'B', 'A_B', 'B_C', 'C', 'FooBar', 'Foo', 'Post', 'Tag', 'Mood', 'User', 'Order'];
const MEMBER_NAMES = ['a', 'b', 'c', 'a_b', 'b_c', 'fooBar', 'foo_bar', 'pkey', 'title', 'type', 'order', 'name'];
const VALUES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

/** A name that no model or enum has, had in the previous release, or speaks of. */
export function freeTypeName({ models, enums, droppedModels }: World, before: NamesBefore, random: Random) {
  const taken = [...models, ...enums].map(({ name }) => name);
  const spoken = [...models, ...enums].map(({ was }) => was);
  const refused = new Set([...spoken, ...droppedModels, ...before.models.values(), ...before.enums.values()]);
  return free(TYPE_NAMES, taken, refused, random);
}

export function freeMemberName(model: WorldModel, before: NamesBefore, random: Random) {
  const members = membersOf(model);
  const spoken = members.map(({ was }) => was);
  const refused = new Set([...spoken, ...model.drops, ...(before.members.get(model) ?? [])]);
  return free(
    MEMBER_NAMES,
    members.map(({ name }) => name),
    refused,
    random,
  );
}

export function freeValueName(type: WorldEnum, before: NamesBefore, random: Random) {
  const spoken = type.values.map(({ was }) => was);
  const refused = new Set([...spoken, ...type.drops, ...(before.values.get(type) ?? [])]);
  return free(
    VALUES,
    type.values.map(({ name }) => name),
    refused,
    random,
  );
}

function free(
  names: readonly string[],
  taken: readonly string[],
  refused: ReadonlySet<string | null>,
  random: Random,
): string | undefined {
  const inDatabase = new Set(taken.map(snakeCase));
  return random.maybe(names.filter((name) => !inDatabase.has(snakeCase(name)) && !refused.has(name)));
}
