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

type TakenKeys = ReturnType<typeof takenKeys>;

function takenKeys(existing: ReadonlySet<string>, isOfOneParent: boolean) {
  const made = new Set<string>();
  let last: Value = null;
  return {
    has(values: readonly Value[]): boolean {
      if (existing.size === 0 && made.size === 0) return false;
      const key = keyOf(values);
      return existing.has(key) || made.has(key);
    },
    /** The keys of a parent that is done do not come again, because it is part of them. */
    add(values: readonly Value[], parent: Value): void {
      if (isOfOneParent && parent !== last) made.clear();
      last = parent;
      if (made.size < MOST_MADE && !values.includes(null)) made.add(keyOf(values));
    },
  };
}

export interface SharedUnique {
  /** Places in a row. */
  readonly indexes: readonly number[];
  readonly taken: TakenKeys;
}

/**
 * The keys of a unique, and the uniques that a block shares with others. They are collected while blocks are compiled.
 */
export type Uniques = ReturnType<typeof uniquesIn>;

export function uniquesIn(all: readonly Block[], state: StartingState) {
  const known = new Map<string, Promise<TakenKeys>>();
  const blocksOf = (model: Model) => all.filter((block) => block.model === model);
  const read = async (model: Model, fields: readonly string[]): Promise<TakenKeys> => {
    const blocks = blocksOf(model);
    // A parent is new, so that no row that was there before is its child.
    const areOfParents = blocks.every(({ populate }) => populate.parent !== null && fields.includes(populate.parent));
    const members = fields.map((name) => model.fields.find((field) => field.name === name) as Field);
    const existing = areOfParents ? new Set<string>() : await state.taken(model, members);
    return takenKeys(existing, areOfParents && new Set(blocks.map(({ parent }) => parent)).size === 1);
  };
  const taken = (model: Model, fields: readonly string[]): Promise<TakenKeys> =>
    remembered(known, [model.name, ...fields].join(' '), () => read(model, fields));
  const sharedBy = async ({ model }: Block): Promise<readonly SharedUnique[]> => {
    const blocks = blocksOf(model);
    if (blocks.length < 2) return [];
    const shared = uniquesOf(model).filter((fields) => blocks.some((block) => picksFrom(block, fields)));
    return Promise.all(
      shared.map(async (fields) => ({
        indexes: fields.map((name) => model.fields.findIndex((field) => field.name === name)),
        taken: await taken(model, fields),
      })),
    );
  };
  return { taken, sharedBy };
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

/** Groups beyond it are forgotten, the oldest first: those of a parent that is done are not asked for again. */
const MOST_GROUPS = 10_000;
const MOST_COMBINATIONS = 2 ** 50;

export type Walks = ReturnType<typeof walksOver>;

export function walksOver(members: readonly Choices[], random: Random) {
  const groups = new Map<string, Walk>();
  /** Begins a walk. A walk over several members cannot continue: their new values would come in between. */
  const begun = (offset: number, isFurther: boolean): Walk => {
    const sizes = members.map((choices) => Math.max(0, choices.size() - offset));
    const isOver = isFurther && members.length > 1;
    const count = sizes.reduce((product, size) => product * size, 1);
    const total = isOver ? 0 : Math.min(count, MOST_COMBINATIONS);
    const position = total === 0 ? 0 : random.below(total);
    return { sizes, offset, total, step: total === 0 ? 0 : stepThrough(total), position, left: total };
  };
  const walkOf = (group: string): Walk => {
    const known = groups.get(group);
    if (known && known.left > 0) return known;
    const walk = begun(known ? known.offset + known.total : 0, known !== undefined);
    groups.set(group, walk);
    if (groups.size > MOST_GROUPS) groups.delete(groups.keys().next().value as string);
    return walk;
  };
  return {
    /** The next combination, one value for each member. Null where the group has seen them all. */
    next(group: string): readonly Value[] | null {
      const walk = walkOf(group);
      if (walk.left === 0) return null;
      let rest = walk.position;
      walk.position = (walk.position + walk.step) % walk.total;
      walk.left--;
      return members.map((choices, index) => {
        const size = walk.sizes[index] as number;
        const value = choices.at(walk.offset + (rest % size));
        rest = Math.floor(rest / size);
        return value;
      });
    },
  };
}
