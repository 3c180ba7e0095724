/**
 * Combinations of a unique that must not come again: those of the rows that were there, and those that other blocks of
 * this run have made. Only where several blocks share a unique and one of them picks its values, they are remembered.
 */
import type { Field, Model } from '../../compiler/definition/definition.ts';
import type { Value } from '../values/value.ts';
import { type Block, originOf } from './blocks.ts';
import { keyOf, remembered, type StartingState } from './starting-state.ts';
import { uniquesOf } from './uniqueness.ts';

/** Those beyond it are left to Postgres, which refuses what comes twice. */
const MOST_MADE = 200_000;

export class TakenKeys {
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

/** Asked for while blocks are compiled: the keys of a unique, and the uniques that a block shares with others. */
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
