/** What Kiln's server has to reach against the hand-written ones, and whether it did. */

import { type Comparison, medianOf, ratio } from './comparison.ts';
import { byHand, type Contestant, limit, pipelined } from './contestants.ts';
import type { Run } from './load.ts';
import type { Workload } from './options.ts';
import { factor } from './table.ts';

/** At least so many times the requests per second of each. */
const THROUGHPUT: Readonly<Record<Workload, { readonly byHand: number; readonly limit: number }>> = {
  R1: { byHand: 4, limit: 1.2 },
  R2: { byHand: 1, limit: 1 },
  R3: { byHand: 3, limit: 1 },
  R4: { byHand: 3.5, limit: 1 },
  R5: { byHand: 3.5, limit: 1 },
  R6: { byHand: 4, limit: 1 },
};

/** R1 is the workload of quick statements. Kiln's log and metrics are part of it. */
const PIPELINED_THROUGHPUT = 0.9;

/** What one run cannot tell apart. */
const NOISE = 0.1;

export interface Verdict {
  readonly target: string;
  readonly reached: string;
  readonly verdict: string;
}

/** Only what was measured: without Kiln or the other server there is nothing to say. */
export function verdicts(comparison: Comparison): Verdict[] {
  const has = (name: Contestant) => comparison.starts.has(name);
  if (!has('kiln')) return [];
  const against = (name: Contestant): Comparison => ({
    ...comparison,
    workloads: comparison.workloads.filter(({ runs }) => runs.has(name)),
  });
  return [
    ...(has(byHand) ? verdictsByHand(against(byHand)) : []),
    ...(has(limit) ? verdictsByLimit(against(limit)) : []),
    ...(has(pipelined) ? verdictsByPipeline(against(pipelined)) : []),
  ];
}

function verdictsByHand(comparison: Comparison): Verdict[] {
  return [
    ...throughput(comparison, byHand, ({ workload }) => THROUGHPUT[workload].byHand),
    ...serverCpu(comparison, byHand),
    atMost('peak memory', (comparison.peaks.get('kiln') ?? Number.NaN) / (comparison.peaks.get(byHand) ?? 1), byHand),
    atMost('start to ready', medianOf(comparison.starts.get('kiln')) / medianOf(comparison.starts.get(byHand)), byHand),
  ];
}

function verdictsByLimit(comparison: Comparison): Verdict[] {
  return [
    ...throughput(comparison, limit, ({ workload }) => THROUGHPUT[workload].limit),
    ...serverCpu(comparison, limit),
    ...comparison.workloads.map(({ workload, runs }) =>
      atMost(
        `${workload} p99`,
        ratio(runs, limit, (run) => run.p99),
        limit,
      ),
    ),
  ];
}

function verdictsByPipeline(comparison: Comparison): Verdict[] {
  const workloads = comparison.workloads.filter(({ workload }) => workload === 'R1');
  return throughput({ ...comparison, workloads }, pipelined, () => PIPELINED_THROUGHPUT);
}

function throughput(
  { workloads }: Comparison,
  other: Contestant,
  wanted: (measured: Comparison['workloads'][number]) => number,
): Verdict[] {
  const perSecond = (run: Run) => run.requestsPerSecond;
  return workloads.map((each) =>
    atLeast(`${each.workload} requests/s`, ratio(each.runs, other, perSecond), wanted(each), other),
  );
}

/** Where Postgres decides how many requests there are, the server must at least leave more of its core free. */
function serverCpu({ workloads }: Comparison, other: Contestant): Verdict[] {
  const bound = workloads.filter(({ workload }) => workload === 'R2');
  return bound.map(({ workload, runs }) =>
    atMost(
      `${workload} server CPU`,
      ratio(runs, other, (run) => run.serverCpu),
      other,
    ),
  );
}

function atLeast(what: string, reached: number, wanted: number, other: string): Verdict {
  const target = `${what} at least ${factor(wanted)} ${other}`;
  return { target, reached: factor(reached), verdict: verdict(reached / wanted) };
}

export function atMost(what: string, reached: number, other: string, wanted = 1): Verdict {
  const target = `${what} at most ${factor(wanted)} ${other}`;
  return { target, reached: factor(reached), verdict: verdict(wanted / reached) };
}

/** `share` is what was reached of what was wanted. */
function verdict(share: number): string {
  if (share >= 1) return 'met';
  return share >= 1 - NOISE ? 'missed, by less than one run can tell' : 'missed';
}
