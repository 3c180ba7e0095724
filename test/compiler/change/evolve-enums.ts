/** How the enums of a world change. */
import type { Step } from './evolve-members.ts';
import type { Random } from './random.ts';
import type { World, WorldEnum } from './world.ts';
import { freeTypeName, freeValueName, type NamesBefore } from './world-names.ts';

export function addEnum({ world, random, before }: Step): void {
  const name = freeTypeName(world, before, random);
  if (name === undefined) return;
  const type: WorldEnum = { name, was: null, values: [], drops: [] };
  world.enums.push(type);
  for (let count = 2 + random.below(3); count > 0; count--) addValue(type, before, random);
}

export function changeEnum(step: Step): void {
  const { world, random, before } = step;
  const type = random.maybe(world.enums);
  if (!type) return;
  if (random.chance(0.5)) addValue(type, before, random);
  if (random.chance(0.3)) renameValue(type, before, random);
  if (random.chance(0.3)) dropValue(step, type);
  if (random.chance(0.2)) type.values = random.shuffled(type.values);
  if (random.chance(0.2)) renameEnum(step, type);
  if (random.chance(0.1) && !isUsed(world, type)) world.enums.splice(world.enums.indexOf(type), 1);
}

function addValue(type: WorldEnum, before: NamesBefore, random: Random): void {
  const name = freeValueName(type, before, random);
  if (name !== undefined) type.values.splice(random.below(type.values.length + 1), 0, { name, was: null });
}

function renameValue(type: WorldEnum, before: NamesBefore, random: Random): void {
  const value = random.maybe(type.values.filter((candidate) => before.values.get(type)?.has(candidate.name)));
  const name = freeValueName(type, before, random);
  if (!value || name === undefined) return;
  value.was = value.name;
  value.name = name;
}

/** Only one that was there, has its name, and that no row and no default has. */
function dropValue({ world, random, before }: Step, type: WorldEnum): void {
  const used = usedValues(world);
  const value = random.maybe(type.values.filter(({ name }) => before.values.get(type)?.has(name)));
  if (!value || used.has(value) || type.values.length < 2) return;
  type.values.splice(type.values.indexOf(value), 1);
  type.drops.push(value.name);
}

function usedValues({ models }: World): ReadonlySet<unknown> {
  const cells = models.flatMap(({ rows }) => rows.flatMap(({ values }) => [...values.values()]));
  const defaults = models.flatMap(({ fields }) => fields.map((field) => field.default?.value));
  return new Set<unknown>([...cells, ...defaults].flat());
}

function renameEnum({ world, random, before }: Step, type: WorldEnum): void {
  const name = freeTypeName(world, before, random);
  if (name === undefined || before.enums.get(type) !== type.name) return;
  type.was = type.name;
  type.name = name;
}

function isUsed({ models }: World, type: WorldEnum): boolean {
  return models.some(({ fields }) => fields.some((field) => field.type === type));
}
