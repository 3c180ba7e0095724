/** R1 while a slow endpoint is called beside it, against R1 alone: whether a slow statement holds up the quick ones. */
import type { Arena } from './arena.ts';
import { medianFigure } from './comparison.ts';
import { type Run, runLoad } from './load.ts';
import type { Options } from './options.ts';
import { type Measured, turned } from './rounds.ts';
import type { Server } from './server.ts';
import { factor, table, tenths, whole } from './table.ts';
import { atMost, type Verdict } from './targets.ts';

/** By server, one entry a round. */
interface SlowRow {
  readonly name: string;
  readonly alone: readonly Run[];
  readonly beside: readonly Run[];
  /** How long each slow request took, in milliseconds. */
  readonly slow: readonly number[];
}

const SLOW_PATH = '/api/shouting';

export async function measureBesideSlow(
  measured: readonly Measured[],
  { warmup, seconds, rounds }: Options,
  { setting }: Arena,
): Promise<SlowRow[]> {
  const rows = new Map(
    measured.map(({ server }) => [server, { alone: [] as Run[], beside: [] as Run[], slow: [] as number[] }]),
  );
  for (const { server } of measured) await runLoad(server, { workload: 'R1', seconds: warmup }, setting);
  for (let round = 0; round < rounds; round += 1) {
    for (const [server, row] of turned([...rows], round)) {
      const runR1 = () => runLoad(server, { workload: 'R1', seconds }, setting);
      row.alone.push(await runR1());
      const { run, slow } = await besideSlow(server, runR1);
      row.beside.push(run);
      row.slow.push(...slow);
    }
  }
  return [...rows].map(([{ name }, row]) => ({ name, ...row }));
}

/** One slow request after the other, for as long as the load lasts. */
async function besideSlow(server: Server, load: () => Promise<Run>): Promise<{ run: Run; slow: number[] }> {
  const slow: number[] = [];
  let isOver = false;
  const callAgain = async () => {
    while (!isOver) {
      const start = performance.now();
      const response = await fetch(`${server.url}${SLOW_PATH}`);
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${server.name}: the slow endpoint answered ${response.status}`);
      slow.push(performance.now() - start);
    }
  };
  const end = () => {
    isOver = true;
  };
  const [run] = await Promise.all([load().finally(end), callAgain()]);
  return { run, slow };
}

export function slowReport(rows: readonly SlowRow[]): string {
  const head = ['server', 'alone: req/s', 'p99 ms', 'beside: req/s', 'p99 ms', 'p99 ratio', 'slow request ms'];
  const cells = rows.map((row) => [
    row.name,
    ...[row.alone, row.beside].flatMap((runs) => [
      whole(medianFigure(runs, (run) => run.requestsPerSecond)),
      tenths(medianFigure(runs, (run) => run.p99)),
    ]),
    factor(p99Ratio(row)),
    whole(row.slow.reduce((sum, each) => sum + each, 0) / row.slow.length),
  ]);
  return `R1 beside a slow endpoint\n${table(head, cells)}`;
}

/** Beside the slow endpoint Kiln may not lose more than the limit does. */
export function slowVerdicts(rows: readonly SlowRow[]): Verdict[] {
  const p99 = (name: string) => medianFigure(rows.find((row) => row.name === name)?.beside, (run) => run.p99);
  const reached = p99('kiln') / p99('limit-node');
  return Number.isNaN(reached) ? [] : [atMost('R1 p99 beside a slow endpoint', reached, 'limit-node')];
}

function p99Ratio({ alone, beside }: SlowRow): number {
  return medianFigure(beside, (run) => run.p99) / medianFigure(alone, (run) => run.p99);
}
