/** How the references and the keys of a world change. */
import { isRead, type Step } from './evolve-members.ts';
import type { Random } from './random.ts';
import { membersOf, type WorldMember, type WorldModel, type WorldReference } from './world.ts';
import { freeMemberName } from './world-names.ts';

// ── References ──────────────────────────────────────────────────────────────────────────────────────────────────────

export function addReference(step: Step, model: WorldModel): void {
  const { world, random, before } = step;
  const name = freeMemberName(model, before, random);
  const source = random.chance(0.5) ? random.maybe(model.references) : undefined;
  const to = source?.to ?? random.pick(world.models);
  if (name === undefined) return;
  const isOlder = world.models.indexOf(to) < world.models.indexOf(model);
  const isOptional = before.members.has(model) || !isOlder || random.chance(0.5);
  const nullable = source ? source.nullable : isOptional;
  const onDelete = random.pick(
    nullable ? (['cascade', 'set null', 'restrict'] as const) : (['cascade', 'restrict'] as const),
  );
  const reference: WorldReference = {
    kind: 'reference',
    name,
    was: null,
    to,
    nullable,
    unique: random.chance(0.3),
    onDelete,
    backfill: source?.name ?? null,
  };
  for (const { values } of model.rows) values.set(reference, source ? (values.get(source) ?? null) : null);
  model.references.push(reference);
}

export function changeReference({ random, before }: Step, model: WorldModel): void {
  const reference = random.maybe(model.references);
  if (!reference || reference.backfill !== null || isRead(model, reference)) return;
  if (random.chance(0.4)) requireByAnother(random, model, reference);
  if (random.chance(0.4)) reference.unique = !reference.unique;
  if (random.chance(0.4)) reference.onDelete = random.pick(['cascade', 'restrict']);
  if (random.chance(0.3) && reference.backfill === null && !isAddedTo(model, reference, before))
    reference.nullable =
      model.rows.some(({ values }) => (values.get(reference) ?? null) === null) || !reference.nullable;
  if (!reference.nullable && reference.onDelete === 'set null') reference.onDelete = 'restrict';
  if (!reference.nullable && reference.to === model) reference.nullable = true;
}

/** Nothing says to what the records that exist would refer, so a reference that is new in an older model stays optional. */
function isAddedTo(model: WorldModel, { name, was }: WorldReference, { members }: Step['before']): boolean {
  const names = members.get(model);
  return names !== undefined && !names.has(name) && !(was !== null && names.has(was));
}

/** Where there is another reference to the same model that is required, rows without this one refer to the same. */
function requireByAnother(random: Random, model: WorldModel, reference: WorldReference): void {
  const isFit = ({ to, nullable, backfill }: WorldReference) => to === reference.to && !nullable && backfill === null;
  const source =
    reference.nullable && reference.to !== model ? random.maybe(model.references.filter(isFit)) : undefined;
  if (!source) return;
  reference.nullable = false;
  reference.backfill = source.name;
  for (const { values } of model.rows) values.set(reference, values.get(reference) ?? values.get(source) ?? null);
}

// ── Keys ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function changeKeys({ random }: Step, model: WorldModel): void {
  const field = random.maybe(model.fields);
  if (field && !model.isAccount && field.type !== 'json' && !field.isList) {
    if (field.isDistinct && random.chance(0.5)) field.unique = !field.unique;
    field.index = !field.unique && random.chance(0.5);
  }
  if (random.chance(0.5)) model.uniques = model.uniques.slice(1);
  if (random.chance(0.5)) model.indexes = model.indexes.slice(1);
  const members = random.shuffled(
    membersOf(model).filter((member) => member.kind === 'reference' || (member.type !== 'json' && !member.isList)),
  );
  const parts = members.slice(0, 2);
  if (parts.length < 2) return;
  const isDistinct = parts.some((member) => member.kind === 'field' && member.isDistinct);
  if (isDistinct && !hasKey(model.uniques, parts)) model.uniques.push(parts);
  const indexParts = parts.map((member) => ({ member, descending: random.chance(0.3) }));
  if (random.chance(0.5) && model.indexes.length === 0) model.indexes.push(indexParts);
}

function hasKey(uniques: readonly WorldMember[][], parts: readonly WorldMember[]): boolean {
  return uniques.some((members) => members.every((member) => parts.includes(member)));
}
