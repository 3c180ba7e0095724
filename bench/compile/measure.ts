/** Compiles one generated program a few times and prints what it took. Runs as a process of its own, for its memory. */
import { compile } from '../../compiler/compile.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { kilnProgram, linesIn } from './generate.ts';

export interface Measurement {
  readonly models: number;
  readonly lines: number;
  /** One entry a timed compile, in the order of the runs. */
  readonly milliseconds: readonly number[];
  /** Processor time of the same runs, garbage collection included: the figure that other work disturbs least. */
  readonly cpuMilliseconds: readonly number[];
  readonly peakMegabytes: number;
}

const timedRuns = 3;
const warmUpMilliseconds = 2000;

async function measure(models: number): Promise<Measurement> {
  const sources = kilnProgram(models);
  await loadGrammar();
  const timedCompile = () => {
    const cpu = process.cpuUsage();
    const start = performance.now();
    const { definition } = compile(sources);
    const milliseconds = performance.now() - start;
    if (!definition) throw new Error(`the generated program of ${models} models has errors`);
    const { user, system } = process.cpuUsage(cpu);
    return { milliseconds, cpuMilliseconds: (user + system) / 1000 };
  };
  warmUp(timedCompile);
  const runs = Array.from({ length: timedRuns }, timedCompile);
  return {
    models,
    lines: linesIn(sources),
    milliseconds: runs.map((run) => run.milliseconds),
    cpuMilliseconds: runs.map((run) => run.cpuMilliseconds),
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
  };
}

/** Once, and for a small program until the engine has optimised the code: else growth would look better than it is. */
function warmUp(work: () => unknown): void {
  const start = performance.now();
  do work();
  while (performance.now() - start < warmUpMilliseconds);
}

console.log(JSON.stringify(await measure(Number(process.argv[2]))));
