/** Lists of generated items. */
import type { Type } from '../../compiler/definition/definition.ts';
import { areDistinct } from '../values/distinct.ts';
import type { Value } from '../values/value.ts';
import { type Candidate, choicesOf } from './candidates.ts';
import type { Constraints } from './constraints.ts';
import type { Random } from './random.ts';

/** How many items a list has more than it must. */
const MORE = 3;
/** How often another item is tried in place of one that the list has already. */
const TRIES = 20;

/** An empty list comes last: it fits where no item does. */
export function listsOf(
  items: readonly Candidate[],
  { fewest = 0, most = Number.POSITIVE_INFINITY, isDistinct }: Constraints,
  type: Type,
  random: Random,
): readonly Candidate[] {
  const least = Math.min(Math.max(fewest, 1), most);
  const sizes = Math.min(most - least, MORE - 1) + 1;
  const lists = items.map((candidate): Candidate => {
    const item = drawing(candidate, random);
    const any = () => list(item, least + random.below(sizes), isDistinct ? type : null);
    return { kind: 'open', any, numbered: any, free: null };
  });
  return fewest === 0 ? [...lists, choicesOf([[]])] : lists;
}

function drawing(candidate: Candidate, random: Random): () => Value {
  if (candidate.kind === 'open') return candidate.any;
  return () => candidate.at(random.below(candidate.size()));
}

/** `distinct` is the type of the items where no two of them may be equal. There may be fewer then. */
function list(item: () => Value, size: number, distinct: Type | null): readonly Value[] {
  const items: Value[] = [];
  for (let tries = 0; items.length < size && tries < size * TRIES; tries++) {
    const next = item();
    if (distinct === null || areDistinct([...items, next], distinct)) items.push(next);
  }
  return items;
}
