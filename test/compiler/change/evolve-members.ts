/** Members of a world's models come under other names, or go. */
import type { Random } from './random.ts';
import { membersOf, type World, type WorldField, type WorldMember, type WorldModel } from './world.ts';
import { freeMemberName, type NamesBefore } from './world-names.ts';

/** From one release to the next. */
export interface Step {
  readonly world: World;
  readonly random: Random;
  readonly before: NamesBefore;
  /** Fields that are new or changed: what they would be in between two changes was never there. */
  readonly settled: Set<WorldField>;
}

export function dropMember({ before }: Step, model: WorldModel, member: WorldMember): void {
  const names = before.members.get(model);
  const former = [member.name, member.was].find((name) => name !== null && names?.has(name));
  if (former) model.drops.push(former);
  remove(model.fields, member);
  remove(model.references, member);
  model.uniques = model.uniques.filter((members) => !members.includes(member));
  model.indexes = model.indexes.filter((parts) => parts.every((part) => part.member !== member));
}

export function dropOne(step: Step, model: WorldModel): void {
  const member = step.random.maybe(membersOf(model).filter((candidate) => !isRead(model, candidate)));
  if (member && !model.isAccount) dropMember(step, model, member);
}

function remove<T>(items: T[], item: unknown): void {
  const at = items.indexOf(item as T);
  if (at >= 0) items.splice(at, 1);
}

export function renameMember({ random, before }: Step, model: WorldModel): void {
  const names = before.members.get(model);
  const member = random.maybe(membersOf(model).filter((candidate) => names?.has(candidate.name)));
  const name = freeMemberName(model, before, random);
  if (!member || name === undefined || isRead(model, member)) return;
  member.was = member.name;
  member.name = name;
}

/** A backfill that has been said still is, and names it. */
export function isRead(model: WorldModel, { name }: WorldMember): boolean {
  return membersOf(model).some(({ backfill }) => backfill?.includes(name));
}
