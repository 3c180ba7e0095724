/** The next release of a world: a few things change at random, and what is said about them is what an author would say. */
import { addEnum, changeEnum } from './evolve-enums.ts';
import { addField, changeDefault, changeNullability, widenField } from './evolve-fields.ts';
import { addReference, changeKeys, changeReference } from './evolve-keys.ts';
import { dropMember, dropOne, renameMember, type Step } from './evolve-members.ts';
import type { Random } from './random.ts';
import { membersOf, type World, type WorldField, type WorldModel } from './world.ts';
import { freeTypeName, NOTHING_BEFORE, namesOf } from './world-names.ts';

export function firstWorld(random: Random): World {
  const world: World = { enums: [], models: [], hasAuth: random.chance(0.3), droppedModels: [], made: 0, tokens: 0 };
  const step = { world, random, before: NOTHING_BEFORE, settled: new Set<WorldField>() };
  if (random.chance(0.6)) addEnum(step);
  world.models.push(accountModel());
  for (let count = 1 + random.below(3); count > 0; count--) addModel(step);
  return world;
}

/** Changes the world in place. What was said about the previous release may stay for a while. */
export function evolve(world: World, random: Random): void {
  forget(world, random);
  const step = { world, random, before: namesOf(world), settled: new Set<WorldField>() };
  const hadAuth = world.hasAuth;
  // Values of enums have their new names before anything else happens to them, as in a migration.
  for (let count = random.below(3); count > 0; count--) random.pick([addEnum, changeEnum, changeEnum])(step);
  for (let count = 2 + random.below(6); count > 0; count--) random.pick(ACTS)(step);
  if (!hadAuth || !world.hasAuth) world.tokens = 0;
}

function forget(world: World, random: Random): void {
  const named = [...world.models, ...world.enums];
  for (const thing of [...named, ...world.models.flatMap(membersOf), ...world.enums.flatMap(({ values }) => values)]) {
    if (random.chance(0.5)) thing.was = null;
  }
  for (const thing of named) if (random.chance(0.5)) thing.drops = [];
  for (const member of world.models.flatMap(membersOf)) if (random.chance(0.5)) member.backfill = null;
  if (random.chance(0.5)) world.droppedModels = [];
}

function accountModel(): WorldModel {
  const field = {
    kind: 'field',
    was: null,
    type: 'string',
    isList: false,
    nullable: false,
    index: false,
    default: null,
    backfill: null,
  } as const;
  const email: WorldField = { ...field, name: 'email', unique: true, secret: false, isDistinct: true };
  const hash: WorldField = { ...field, name: 'hash', unique: false, secret: true, isDistinct: true };
  return { ...emptyModel('Account', 'integer'), isAccount: true, fields: [email, hash] };
}

function emptyModel(name: string, idType: 'integer' | 'uuid'): WorldModel {
  const nothing = { fields: [], references: [], uniques: [], indexes: [], drops: [], rows: [] };
  return { name, was: null, idType, isAccount: false, ...nothing };
}

// ── Models ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function addModel(step: Step): void {
  const { world, random, before } = step;
  const name = freeTypeName(world, before, random);
  if (name === undefined) return;
  const model = emptyModel(name, random.chance(0.3) ? 'uuid' : 'integer');
  world.models.push(model);
  for (let count = 1 + random.below(4); count > 0; count--) addField(step, model);
  for (let count = random.below(3); count > 0; count--) addReference(step, model);
}

function renameModel({ world, random, before }: Step, model: WorldModel): void {
  const name = freeTypeName(world, before, random);
  if (name === undefined || before.models.get(model) !== model.name) return;
  model.was = model.name;
  model.name = name;
}

function dropModel(step: Step, model: WorldModel): void {
  const { world, before } = step;
  if (model.isAccount) return;
  const former = before.models.get(model);
  world.models.splice(world.models.indexOf(model), 1);
  if (former !== undefined) world.droppedModels.push(former);
  for (const other of world.models) {
    for (const reference of other.references.filter(({ to }) => to === model)) dropMember(step, other, reference);
  }
}

const onModel = (act: (step: Step, model: WorldModel) => void) => (step: Step) =>
  act(step, step.random.pick(step.world.models));

const ACTS: readonly ((step: Step) => void)[] = [
  addModel,
  onModel(renameModel),
  onModel(dropModel),
  onModel(addField),
  onModel(addField),
  onModel(dropOne),
  onModel(renameMember),
  onModel(renameMember),
  onModel(widenField),
  onModel(widenField),
  onModel(changeNullability),
  onModel(changeDefault),
  onModel(addReference),
  onModel(changeReference),
  onModel(changeKeys),
  onModel(changeKeys),
  ({ world, random }) => {
    world.hasAuth = random.chance(0.5);
  },
];
