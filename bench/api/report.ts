/** What was measured, in words and tables. */
import { type Comparison, medianFigure, medianOf, ratio } from './comparison.ts';
import { byHand, limit, pipelined } from './contestants.ts';
import type { Runs } from './rounds.ts';
import { factor, table, tenths, whole } from './table.ts';
import type { Verdict } from './targets.ts';

const TITLES = {
  R1: 'a post by its slug',
  R2: 'a page of 20 posts with the total',
  R3: '20 posts with author and comments',
  R4: 'create a comment',
  R5: 'patch a title',
  R6: 'an order with ten lines',
};

export function comparisonReport(comparison: Comparison): string {
  return [
    ...comparison.workloads.flatMap(({ workload, runs }) => [`${workload}: ${TITLES[workload]}`, runsTable(runs)]),
    'Start and memory',
    startTable(comparison),
  ].join('\n');
}

/** A row a server; the ratios are those of its requests per second. */
export function runsTable(runs: Runs): string {
  const others = [byHand, limit, pipelined];
  const head = [
    'server',
    'req/s',
    ...others.map((other) => `/ ${other}`),
    'p50 ms',
    'p99 ms',
    'server us',
    'postgres us',
  ];
  const rows = [...runs].map(([name, own]) => [
    name,
    whole(medianFigure(own, (run) => run.requestsPerSecond)),
    ...others.map((other) => factor(ratio(runs, other, (run) => run.requestsPerSecond, name))),
    ...[(run: Figures) => run.p50, (run: Figures) => run.p99].map((figure) => tenths(medianFigure(own, figure))),
    whole(medianFigure(own, (run) => run.serverCpu)),
    whole(medianFigure(own, (run) => run.postgresCpu)),
  ]);
  return table(head, rows);
}

interface Figures {
  readonly p50: number;
  readonly p99: number;
}

function startTable({ starts, peaks }: Comparison): string {
  const rows = [...starts].map(([name, times]) => [name, whole(medianOf(times)), whole(peaks.get(name) ?? Number.NaN)]);
  return table(['server', 'start to ready ms', 'peak MB'], rows);
}

export function verdictReport(verdicts: readonly Verdict[]): string {
  if (verdicts.length === 0) return '';
  const rows = verdicts.map(({ target, reached, verdict }) => [target, reached, verdict]);
  return `\nTargets\n${table(['target', 'reached', 'verdict'], rows)}`;
}
