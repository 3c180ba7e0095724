/** The columns of a block as closures: where each value comes from, in which order they are made. */
import type { Field, Reference } from '../../compiler/definition/definition.ts';
import { type Block, type Origin, originOf } from './blocks.ts';
import type { Candidate, Choices } from './candidates.ts';
import { type Candidates, type Column, type ColumnTools, type Making, nothingToReferTo } from './column.ts';
import { expressed } from './expressed-column.ts';
import type { Ids } from './ids.ts';
import type { Random } from './random.ts';
import { type Uniqueness, uniquenessOf } from './uniqueness.ts';
import { walkingColumns } from './walking-columns.ts';

/** In the order in which they are made: those that walk look at the others. */
export async function columnsOf(block: Block, ids: Ids, tools: ColumnTools): Promise<readonly Column[]> {
  const { fields } = block.model;
  const origins = new Map(fields.map((field) => [field.name, originOf(block, field)]));
  const candidates = await candidatesOf(block, origins, tools);
  const uniqueness = uniquenessOf(
    block.model,
    (field) => candidates.has(field),
    (field) => candidates.get(field)?.[0]?.kind === 'open',
  );
  const walking = await walkingColumns(block, uniqueness.walks, candidates, tools);
  const columns: Column[] = [];
  for (const [index, field] of fields.entries()) {
    if (walking.some((column) => column.field === field)) continue;
    columns.push({ field, index, ...(await makingOf(block, field, origins, ids, candidates, uniqueness, tools)) });
  }
  return [...columns, ...walking];
}

type Origins = ReadonlyMap<string, Origin>;

/** Of the columns that are generated, references among them. */
async function candidatesOf(block: Block, origins: Origins, tools: ColumnTools): Promise<Candidates> {
  const found = new Map<string, readonly Candidate[]>();
  for (const field of block.model.fields) {
    const origin = origins.get(field.name);
    if (origin?.kind === 'generated') found.set(field.name, tools.candidates(block, field));
    if (origin?.kind === 'reference') found.set(field.name, [await tools.targets(block, origin.reference)]);
  }
  return found;
}

async function makingOf(
  block: Block,
  field: Field,
  origins: Origins,
  ids: Ids,
  candidates: Candidates,
  { numbered }: Uniqueness,
  tools: ColumnTools,
): Promise<Making> {
  const origin = origins.get(field.name) as Origin;
  switch (origin.kind) {
    case 'id':
      return { isAsync: false, make: () => ids.next };
    case 'parent':
      return { isAsync: false, make: () => block.parent?.id ?? null };
    case 'set':
    case 'default':
      return expressed(block.model, field, origin, tools);
    case 'reference':
      return referring(origin.reference, candidates.get(field.name)?.[0] as Choices, tools.random);
    case 'generated': {
      const { isAsync, next } = await tools.values(
        block,
        field,
        candidates.get(field.name) ?? [],
        numbered.has(field.name),
      );
      return { isAsync, make: next };
    }
  }
}

/** One of so many records leads nowhere, where it may. */
const ONE_WITHOUT = 4;

function referring({ to, nullable }: Reference, choices: Choices, random: Random): Making {
  const make = () => {
    const size = choices.size();
    if (nullable && (size === 0 || random.below(ONE_WITHOUT) === 0)) return null;
    if (size === 0) throw new Error(nothingToReferTo(to));
    return choices.at(random.below(size));
  };
  return { isAsync: false, make };
}
