/**
 * The benchmark of the API: `npx tsx bench/api/api.ts`. Kiln's server against hand-written ones on the blog workload, each
 * alone on a core, with Postgres and the load on another. Every answer is compared before anything is measured.
 */
import { spawnSync } from 'node:child_process';
import { checkAnswers } from './answers.ts';
import { type Arena, openArena, peaksOf } from './arena.ts';
import { measureBesideSlow, slowReport, slowVerdicts } from './beside-slow.ts';
import type { Comparison } from './comparison.ts';
import { coresToPin } from './machine.ts';
import { manyModelsReport, manyModelsVerdicts, measureManyModels } from './many-models.ts';
import { type Options, optionsFromArguments } from './options.ts';
import { comparisonReport, verdictReport } from './report.ts';
import { type Measured, measureStarts, measureWorkload } from './rounds.ts';
import type { ServerCommand } from './server.ts';
import { verdicts } from './targets.ts';
import { measureWorkers, workersReport } from './workers.ts';

interface Outcome {
  /** For `--json`. */
  readonly figures: unknown;
  readonly report: string;
}

async function compare(options: Options, arena: Arena): Promise<Outcome> {
  const commands = await commandsFor(options, arena);
  const starts = await measureStarts(commands, options.rounds, arena.cores?.server);
  const measured = await startAll(commands, arena);
  const workloads: Comparison['workloads'][number][] = [];
  for (const workload of options.only) {
    say(`measuring ${workload}`);
    const runs = await measureWorkload(workload, measured, options, arena.cluster, arena.setting);
    workloads.push({ workload, runs });
  }
  const comparison = { workloads, starts, peaks: peaksOf(measured) };
  const reached = verdicts(comparison);
  return {
    figures: { ...comparison, verdicts: reached },
    report: comparisonReport(comparison) + verdictReport(reached),
  };
}

async function compareBesideSlow(options: Options, arena: Arena): Promise<Outcome> {
  const measured = await startAll(await commandsFor(options, arena), arena);
  const rows = await measureBesideSlow(measured, options, arena);
  const reached = slowVerdicts(rows);
  return { figures: { rows, verdicts: reached }, report: slowReport(rows) + verdictReport(reached) };
}

async function compareModels(models: number, options: Options, arena: Arena): Promise<Outcome> {
  const result = await measureManyModels(models, options, arena);
  const reached = manyModelsVerdicts(result);
  return { figures: { ...result, verdicts: reached }, report: manyModelsReport(result) + verdictReport(reached) };
}

async function compareWorkers(counts: readonly number[], options: Options, arena: Arena): Promise<Outcome> {
  const commands: ServerCommand[] = [];
  for (const count of counts) commands.push(await arena.kilnWithWorkers(count));
  const rows = await measureWorkers(await startAll(commands, arena), options, arena);
  return { figures: rows, report: workersReport(rows) };
}

async function commandsFor({ peers, before, withoutLog }: Options, arena: Arena): Promise<ServerCommand[]> {
  const commands: ServerCommand[] = [];
  for (const peer of peers) commands.push(await arena.commandFor(peer));
  if (before !== null) commands.push(await arena.kilnBefore(before));
  if (withoutLog) commands.push(await arena.kilnWithoutLog());
  return commands;
}

/** Running, and known to answer alike. */
async function startAll(commands: readonly ServerCommand[], arena: Arena): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const command of commands) measured.push(await arena.start(command));
  await checkAnswers(measured.map(({ server }) => server));
  for (const { database } of measured) await arena.cluster.restore(database);
  say(`${measured.map(({ server }) => server.name).join(', ')} answer alike`);
  return measured;
}

async function outcomeOf(options: Options): Promise<Outcome> {
  const arena = await openArena(options.workers === null);
  try {
    if (options.workers !== null) return await compareWorkers(options.workers, options, arena);
    if (options.models !== null) return await compareModels(options.models, options, arena);
    return await (options.slow ? compareBesideSlow(options, arena) : compare(options, arena));
  } finally {
    await arena.close();
  }
}

function requireTools(): void {
  const missing = ['wrk', ...(coresToPin() ? ['taskset'] : [])].filter((tool) => spawnSync(tool, ['--version']).error);
  if (missing.length > 0) throw new Error(`${missing.join(' and ')} cannot be run: apt-get install wrk util-linux`);
}

/** Beside the result, so that `--json` stays JSON. */
function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function jsonText(figures: unknown): string {
  return JSON.stringify(figures, (_, value) => (value instanceof Map ? Object.fromEntries(value) : value), 2);
}

try {
  const options = optionsFromArguments(process.argv.slice(2));
  requireTools();
  const { figures, report } = await outcomeOf(options);
  process.stdout.write(options.json ? `${jsonText(figures)}\n` : report);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
