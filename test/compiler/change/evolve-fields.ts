/** How the fields of a world change, and what becomes of the values in them. */
import { isRead, type Step } from './evolve-members.ts';
import type { Random } from './random.ts';
import type { WorldField, WorldModel } from './world.ts';
import { freeMemberName } from './world-names.ts';
import { DISTINCT_TYPES, LIST_TYPES, randomDefault, widened, widerTypes } from './world-values.ts';

export function addField(step: Step, model: WorldModel): void {
  const { world, random, before } = step;
  const name = freeMemberName(model, before, random);
  if (name === undefined || model.isAccount) return;
  const type = random.pick([...DISTINCT_TYPES, 'boolean', 'json', ...world.enums] as const);
  const isList = (typeof type !== 'string' || LIST_TYPES.includes(type)) && random.chance(0.25);
  const isDistinct = !isList && typeof type === 'string' && DISTINCT_TYPES.includes(type);
  const nullable = random.chance(0.4);
  const field: WorldField = {
    kind: 'field',
    name,
    was: null,
    type,
    isList,
    nullable,
    unique: isDistinct && random.chance(0.2),
    index: false,
    secret: false,
    default: null,
    backfill: null,
    isDistinct,
  };
  field.index = !field.unique && !isList && type !== 'json' && random.chance(0.2);
  fillNew(field, model, random);
  model.fields.push(field);
  step.settled.add(field);
}

/** Rows that exist get a value by a backfill or a default, or none. */
function fillNew(field: WorldField, model: WorldModel, random: Random): void {
  const source = random.maybe(model.fields.filter(isBackfillable));
  if (field.type === 'string' && !field.isList && source && random.chance(0.5)) {
    field.backfill =
      source.nullable && !field.nullable ? `coalesce(${source.name}, "none") + "!"` : `${source.name} + "!"`;
    if (random.chance(0.3)) field.default = { source: '"later"', value: 'later' };
    if (source.nullable || !source.isDistinct) field.isDistinct = field.unique = false;
    for (const { values } of model.rows) {
      const cell = values.get(source) ?? (field.nullable ? null : 'none');
      values.set(field, cell === null ? null : `${cell}!`);
    }
    return;
  }
  const chosen = field.nullable && random.chance(0.6) ? null : randomDefault(field, random);
  field.default = chosen;
  // All rows that the previous release writes have this value.
  if (chosen) field.unique = false;
  if (chosen && model.rows.length > 0) field.isDistinct = false;
  for (const { values } of model.rows) values.set(field, chosen?.value ?? null);
}

function isBackfillable({ type, isList, backfill }: WorldField): boolean {
  return type === 'string' && !isList && backfill === null;
}

export function widenField({ random, settled }: Step, model: WorldModel): void {
  const field = random.maybe(
    model.fields.filter((candidate) => candidate.backfill === null && !settled.has(candidate)),
  );
  const to = field && !field.isList && random.maybe(widerTypes(field.type));
  if (!field || !to || model.isAccount || isInKey(model, field, to) || isRead(model, field)) return;
  for (const { values } of model.rows) values.set(field, widened(values.get(field) ?? null, field.type, to));
  field.type = to;
  settled.add(field);
  field.default =
    field.default === null || random.chance(0.5) ? null : randomDefault({ type: to, isList: false }, random);
}

/** JSON has no order that would help anybody, and is left out of keys here. */
function isInKey(model: WorldModel, field: WorldField, to: string): boolean {
  const isListed = model.uniques.flat().includes(field) || model.indexes.flat().some(({ member }) => member === field);
  return to === 'json' && (field.unique || field.index || isListed);
}

export function changeNullability({ random, settled }: Step, model: WorldModel): void {
  const field = random.maybe(
    model.fields.filter((candidate) => candidate.backfill === null && !settled.has(candidate)),
  );
  if (!field || model.isAccount || isRead(model, field)) return;
  settled.add(field);
  field.nullable = !field.nullable;
  if (field.nullable) return;
  if (model.rows.some(({ values }) => values.get(field) === null)) field.isDistinct = false;
  if (!field.isDistinct && (field.unique || isUnique(model, field))) {
    field.nullable = true;
    return;
  }
  const chosen = randomDefault(field, random);
  field.default = chosen;
  for (const { values } of model.rows) if (values.get(field) === null) values.set(field, chosen.value);
}

function isUnique(model: WorldModel, field: WorldField): boolean {
  return model.uniques.flat().includes(field);
}

export function changeDefault({ random, settled }: Step, model: WorldModel): void {
  const field = random.maybe(model.fields);
  if (!field || model.isAccount || field.default === null || field.backfill !== null || settled.has(field)) return;
  field.default = randomDefault(field, random);
}
