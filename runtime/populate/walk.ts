/**
 * Distinct picks from a few choices: for each group a walk through all combinations, in an order that looks like none,
 * each of them once.
 */
import type { Value } from '../values/value.ts';
import type { Choices } from './candidates.ts';
import type { Random } from './random.ts';
import { stepThrough } from './texts.ts';

interface Walk {
  readonly sizes: readonly number[];
  /** Where a single member has grown since the walk before. */
  readonly offset: number;
  readonly total: number;
  readonly step: number;
  position: number;
  left: number;
}

/** Groups beyond it are forgotten, the oldest first. */
const MOST_GROUPS = 10_000;
const MOST_COMBINATIONS = 2 ** 50;

export class Walks {
  readonly #members: readonly Choices[];
  readonly #random: Random;
  readonly #groups = new Map<string, Walk>();
  #parent: Value = null;

  constructor(members: readonly Choices[], random: Random) {
    this.#members = members;
    this.#random = random;
  }

  /** The groups of a parent that is done are not asked for again. */
  begin(parent: Value): void {
    if (parent !== this.#parent) this.#groups.clear();
    this.#parent = parent;
  }

  /** One value for each member. Null where the group has seen them all. */
  next(group: string): readonly Value[] | null {
    const walk = this.#walkOf(group);
    if (walk.left === 0) return null;
    let rest = walk.position;
    walk.position = (walk.position + walk.step) % walk.total;
    walk.left--;
    return this.#members.map((choices, index) => {
      const size = walk.sizes[index] as number;
      const value = choices.at(walk.offset + (rest % size));
      rest = Math.floor(rest / size);
      return value;
    });
  }

  #walkOf(group: string): Walk {
    const known = this.#groups.get(group);
    if (known && known.left > 0) return known;
    const walk = this.#begun(known ? known.offset + known.total : 0, known !== undefined);
    this.#groups.set(group, walk);
    if (this.#groups.size > MOST_GROUPS) this.#groups.delete(this.#groups.keys().next().value as string);
    return walk;
  }

  /** Of several members a walk cannot go on: what has grown would come in between. */
  #begun(offset: number, isFurther: boolean): Walk {
    const sizes = this.#members.map((choices) => Math.max(0, choices.size() - offset));
    const isOver = isFurther && this.#members.length > 1;
    const total = isOver
      ? 0
      : Math.min(
          sizes.reduce((product, size) => product * size, 1),
          MOST_COMBINATIONS,
        );
    const position = total === 0 ? 0 : this.#random.below(total);
    return { sizes, offset, total, step: total === 0 ? 0 : stepThrough(total), position, left: total };
  }
}
