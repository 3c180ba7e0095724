/** How many records are at each end of a reference. */
import type { ShownEdge } from '../../runtime/console/model-graph.ts';

export function manyOf({ unique }: ShownEdge): string {
  return unique ? '0..1' : '*';
}

export function oneOf({ nullable }: ShownEdge): string {
  return nullable ? '0..1' : '1';
}
