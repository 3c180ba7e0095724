/** What several processes of one server gain or cost: the same server with `WORKERS=1`, `WORKERS=2` and so on. */
import type { Arena } from './arena.ts';
import { medianFigure, ratio } from './comparison.ts';
import type { Options, Workload } from './options.ts';
import { type Measured, measureWorkload, type Runs } from './rounds.ts';
import { factor, table, tenths, whole } from './table.ts';

interface WorkersRow {
  readonly workload: Workload;
  readonly runs: Runs;
}

export async function measureWorkers(
  measured: readonly Measured[],
  options: Options,
  arena: Arena,
): Promise<readonly WorkersRow[]> {
  const rows: WorkersRow[] = [];
  for (const workload of options.only) {
    const runs = await measureWorkload(workload, measured, options, arena.cluster, arena.setting);
    rows.push({ workload, runs });
  }
  return rows;
}

export function workersReport(rows: readonly WorkersRow[]): string {
  const head = ['workload', 'server', 'req/s', 'of the first', 'p50 ms', 'p99 ms', 'server us', 'postgres us'];
  const cells = rows.flatMap(({ workload, runs }) => [...runs.keys()].map((name) => cellsOf(workload, runs, name)));
  return `All processes share all cores: nothing is pinned.\n${table(head, cells)}`;
}

function cellsOf(workload: Workload, runs: Runs, name: string): readonly string[] {
  const [first = name] = runs.keys();
  const own = runs.get(name);
  return [
    workload,
    name,
    whole(medianFigure(own, (run) => run.requestsPerSecond)),
    factor(ratio(runs, first, (run) => run.requestsPerSecond, name)),
    tenths(medianFigure(own, (run) => run.p50)),
    tenths(medianFigure(own, (run) => run.p99)),
    whole(medianFigure(own, (run) => run.serverCpu)),
    whole(medianFigure(own, (run) => run.postgresCpu)),
  ];
}
