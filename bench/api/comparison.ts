/** Kiln and the hand-written servers on the workloads: what was measured, and the ratios within each round. */
import { median } from '../compile/processes.ts';
import type { Run } from './load.ts';
import type { Workload } from './options.ts';
import type { Runs } from './rounds.ts';

export interface Comparison {
  readonly workloads: readonly { readonly workload: Workload; readonly runs: Runs }[];
  /** Milliseconds to the first good answer, by server. */
  readonly starts: ReadonlyMap<string, readonly number[]>;
  /** Megabytes at the most, after all the load, by server. */
  readonly peaks: ReadonlyMap<string, number>;
}

/** The median over the rounds of Kiln's figure as a multiple of the other's. */
export function ratio(runs: Runs, other: string, figure: (run: Run) => number, of = 'kiln'): number {
  const theirs = runs.get(other) ?? [];
  const own = runs.get(of) ?? [];
  return median(own.flatMap((run, round) => (theirs[round] ? [figure(run) / figure(theirs[round])] : [])));
}

export function medianOf(values: readonly number[] | undefined): number {
  return median(values ?? []);
}

export function medianFigure(runs: readonly Run[] | undefined, figure: (run: Run) => number): number {
  return median((runs ?? []).map(figure));
}
