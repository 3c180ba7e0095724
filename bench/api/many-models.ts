/** Whether a definition of many models costs the start or the requests of the three that are used. */
import { type Arena, peaksOf } from './arena.ts';
import { medianOf, ratio } from './comparison.ts';
import type { Options } from './options.ts';
import { runsTable } from './report.ts';
import { measureStarts, measureWorkload, type Runs } from './rounds.ts';
import { table, whole } from './table.ts';
import { atMost, type Verdict } from './targets.ts';

interface ManyModels {
  readonly few: string;
  readonly many: string;
  readonly runs: Runs;
  readonly starts: ReadonlyMap<string, readonly number[]>;
  readonly peaks: ReadonlyMap<string, number>;
}

/** In milliseconds: how much later the start may be. */
const LATER_START = 1500;

export async function measureManyModels(models: number, options: Options, arena: Arena): Promise<ManyModels> {
  const few = await arena.commandFor('kiln');
  const many = await arena.kilnWithModels(models);
  const starts = await measureStarts([few, many], options.rounds, arena.cores?.server);
  const measured = [await arena.start(few), await arena.start(many)];
  const runs = await measureWorkload('R1', measured, options, arena.cluster, arena.setting);
  return { few: few.name, many: many.name, runs, starts, peaks: peaksOf(measured) };
}

export function manyModelsReport({ runs, starts, peaks }: ManyModels): string {
  const rows = [...starts].map(([name, times]) => [name, whole(medianOf(times)), whole(peaks.get(name) ?? Number.NaN)]);
  return `R1\n${runsTable(runs)}\nStart and memory\n${table(['server', 'start to ready ms', 'peak MB'], rows)}`;
}

export function manyModelsVerdicts({ few, many, runs, starts }: ManyModels): Verdict[] {
  const later = medianOf(starts.get(many)) - medianOf(starts.get(few));
  return [
    atMost(
      'R1 server CPU with many models',
      ratio(runs, few, (run) => run.serverCpu, many),
      'with three',
    ),
    {
      target: `start later by less than ${whole(LATER_START)} ms`,
      reached: `${whole(later)} ms`,
      verdict: later < LATER_START ? 'met' : 'missed',
    },
  ];
}
