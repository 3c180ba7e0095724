/**
 * How the generated columns of a block keep its uniques. Where one of them can be numbered, it is; otherwise the
 * generated ones walk through their combinations.
 */
import type { Field, Model } from '../../compiler/definition/definition.ts';
import type { Value } from '../values/value.ts';
import { type Block, originOf } from './blocks.ts';
import type { Choices } from './candidates.ts';
import type { Random } from './random.ts';
import { keyOf, remembered, type StartingState } from './starting-state.ts';
import { stepThrough } from './texts.ts';

export interface Uniqueness {
  /** Fields that have a value of their own in every record. */
  readonly numbered: ReadonlySet<string>;
  readonly walks: readonly WalkPlan[];
}

export interface WalkPlan {
  readonly fields: readonly string[];
  /** The generated ones among them. */
  readonly walked: readonly string[];
}

export function uniquesOf({ fields, uniques }: Model): readonly (readonly string[])[] {
  const single = fields.filter(({ unique, name }) => unique && name !== 'id').map(({ name }) => [name]);
  return [...single, ...uniques];
}

export function uniquenessOf(
  model: Model,
  isGenerated: (field: string) => boolean,
  isOpen: (field: string) => boolean,
): Uniqueness {
  const numbered = new Set<string>();
  const walked = new Set<string>();
  const walks: WalkPlan[] = [];
  for (const fields of uniquesOf(model)) {
    const generated = fields.filter(isGenerated);
    if (generated.some((field) => numbered.has(field))) continue;
    const open = generated.find(isOpen);
    const free = generated.filter((field) => !walked.has(field));
    if (open !== undefined) numbered.add(open);
    else if (free.length > 0) walks.push({ fields, walked: free });
    if (open === undefined) for (const field of free) walked.add(field);
  }
  return { numbered, walks };
}

// ── Taken keys ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Combinations of a unique that must not come again: those of the rows that were there, and those that other blocks of
// this run have made. Only where several blocks share a unique and one of them picks its values, they are remembered.

/** The limit of remembered keys. Duplicates beyond it are left to Postgres, which rejects them. */
const MOST_MADE = 200_000;

class TakenKeys {
  readonly #existing: ReadonlySet<string>;
  readonly #made = new Set<string>();
  readonly #isOfOneParent: boolean;
  #parent: Value = null;

  constructor(existing: ReadonlySet<string>, isOfOneParent: boolean) {
    this.#existing = existing;
    this.#isOfOneParent = isOfOneParent;
  }

  has(values: readonly Value[]): boolean {
    if (this.#existing.size === 0 && this.#made.size === 0) return false;
    const key = keyOf(values);
    return this.#existing.has(key) || this.#made.has(key);
  }

  /** The keys of a parent that is done do not come again, because it is part of them. */
  add(values: readonly Value[], parent: Value): void {
    if (this.#isOfOneParent && parent !== this.#parent) this.#made.clear();
    this.#parent = parent;
    if (this.#made.size < MOST_MADE && !values.includes(null)) this.#made.add(keyOf(values));
  }
}

export interface SharedUnique {
  /** Places in a row. */
  readonly indexes: readonly number[];
  readonly taken: TakenKeys;
}

/**
 * The keys of a unique, and the uniques that a block shares with others. They are collected while blocks are compiled.
 */
export class Uniques {
  readonly #blocks: readonly Block[];
  readonly #state: StartingState;
  readonly #taken = new Map<string, Promise<TakenKeys>>();

  constructor(blocks: readonly Block[], state: StartingState) {
    this.#blocks = blocks;
    this.#state = state;
  }

  taken(model: Model, fields: readonly string[]): Promise<TakenKeys> {
    return remembered(this.#taken, [model.name, ...fields].join(' '), () => this.#read(model, fields));
  }

  async sharedBy({ model }: Block): Promise<readonly SharedUnique[]> {
    const blocks = this.#blocksOf(model);
    if (blocks.length < 2) return [];
    const shared = uniquesOf(model).filter((fields) => blocks.some((block) => picksFrom(block, fields)));
    return Promise.all(
      shared.map(async (fields) => ({
        indexes: fields.map((name) => model.fields.findIndex((field) => field.name === name)),
        taken: await this.taken(model, fields),
      })),
    );
  }

  async #read(model: Model, fields: readonly string[]): Promise<TakenKeys> {
    const blocks = this.#blocksOf(model);
    // A parent is new, so that no row that was there before is its child.
    const areOfParents = blocks.every(({ populate }) => populate.parent !== null && fields.includes(populate.parent));
    const members = fields.map((name) => model.fields.find((field) => field.name === name) as Field);
    const existing = areOfParents ? new Set<string>() : await this.#state.taken(model, members);
    return new TakenKeys(existing, areOfParents && new Set(blocks.map(({ parent }) => parent)).size === 1);
  }

  #blocksOf(model: Model): readonly Block[] {
    return this.#blocks.filter((block) => block.model === model);
  }
}

/** Whether a member has few values, and the block does not say which. */
function picksFrom(block: Block, fields: readonly string[]): boolean {
  return block.model.fields.some((field) => {
    if (!fields.includes(field.name)) return false;
    const { kind } = originOf(block, field);
    return kind === 'reference' || (kind === 'generated' && FEW.includes(field.type.kind));
  });
}

const FEW: readonly string[] = ['enum', 'boolean', 'string', 'integer'];

// ── Walks ────────────────────────────────────────────────────────────────────────────────────────────────────────────

// Distinct picks from a few choices: for each group a walk through all combinations, in an order that looks like none,
// each of them once.

interface Walk {
  readonly sizes: readonly number[];
  /** The start of what a single member has gained since the previous walk. */
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

  /** The next combination, one value for each member. Null where the group has seen them all. */
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

  /** Begins a walk. A walk over several members cannot continue: their new values would come in between. */
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
