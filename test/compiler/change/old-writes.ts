/** Updates that the previous release makes to rows of a world while it is migrated, and what they mean for the next one. */
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { OldSession } from './old-session.ts';
import type { Random } from './random.ts';
import { membersOf, type World, type WorldCell, type WorldField, type WorldMember, type WorldModel } from './world.ts';
import { columnOf, modelOf } from './world-rows.ts';
import { distinctValue } from './world-values.ts';

interface Place {
  readonly table: string;
  readonly column: string;
  readonly member: WorldMember;
}

export class OldWrites {
  readonly #world: World;
  readonly #places: ReadonlyMap<WorldMember, Place>;
  readonly #random: Random;

  /** Of the world as the previous release has it. */
  constructor(world: World, previous: Definition, random: Random) {
    this.#world = world;
    this.#random = random;
    this.#places = new Map(
      world.models.flatMap((model) => {
        const { table, fields } = modelOf(previous, model);
        const written = membersOf(model).filter((member) => !model.isAccount && (isText(member) || isOptional(member)));
        return written.map((member) => [member, { table, column: columnOf(fields, member), member }] as const);
      }),
    );
  }

  /** One row, if there is one whose values are known afterwards. */
  async changeOne(old: OldSession): Promise<void> {
    const model = this.#random.pick(this.#world.models);
    const row = this.#random.maybe(model.rows);
    const member = this.#random.maybe(membersOf(model).filter((each) => this.#isWritable(model, each)));
    const place = member && this.#places.get(member);
    if (!row || !place) return;
    const value = member.kind === 'field' ? String(distinctValue('string', ++this.#world.made)) : null;
    await old.change(place.table, place.column, row.id, value);
    row.values.set(member, value);
    for (const other of this.#computedFrom(model, member)) row.values.set(other, computed(other, value));
  }

  /** References are only set to null: no two rows that get another one may be equal in a unique key. */
  #isWritable(model: WorldModel, member: WorldMember): boolean {
    if (!this.#places.has(member)) return false;
    return [member, ...this.#computedFrom(model, member)].every((each) => isText(each) || isOptional(each));
  }

  /** Members that this release has added, with a backfill that reads `source`. */
  #computedFrom(model: WorldModel, source: WorldMember): readonly WorldMember[] {
    return membersOf(model)
      .filter(({ backfill }) => backfill?.match(/\w+(?=[^\w(]|$)/)?.[0] === source.name)
      .filter((member) => !this.#places.has(member));
  }
}

function isText(member: WorldMember): member is WorldField {
  return member.kind === 'field' && member.type === 'string' && !member.isList;
}

function isOptional(member: WorldMember): boolean {
  return member.kind === 'reference' && member.nullable;
}

function computed({ kind }: WorldMember, value: WorldCell): WorldCell {
  return kind === 'field' ? `${value}!` : value;
}
