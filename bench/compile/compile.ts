/**
 * The benchmark of the compiler: `npx tsx bench/compile/compile.ts [--json]`. Three questions: does the time grow with the
 * input, how does `kiln check` compare with `tsc` on as many lines, and what does starting the command line cost.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { kilnProgram, linesIn, typescriptProgram } from './generate.ts';
import type { Measurement } from './measure.ts';
import { type Command, median, outputOf, type Timing, timeInTurns } from './processes.ts';

const sizes = [100, 1000, 4000];
const comparedModels = 1000;
const comparedRounds = 5;
const startUpRounds = 15;

const root = fileURLToPath(new URL('../../', import.meta.url));
const kiln = join(root, 'dist', 'kiln.js');
const tsc = join(root, 'node_modules', '.bin', 'tsc');

interface Growth {
  readonly from: number;
  readonly to: number;
  readonly lines: number;
  readonly time: number;
  readonly cpu: number;
  readonly memory: number;
}

interface Results {
  readonly sizes: readonly Measurement[];
  readonly growth: readonly Growth[];
  /** Absent where `dist/kiln.js` has not been built. */
  readonly comparison?: { readonly lines: number; readonly timings: readonly Timing[] };
  readonly startUp?: readonly Timing[];
}

// ── Measuring ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** As one bundle, like the product: a loader of TypeScript would slow the code down that is to be measured. */
function bundledMeasure(): string {
  // Below node_modules, so that packages are found, and not far from the grammar, which is looked for upwards.
  const outfile = join(root, 'node_modules', '.cache', 'kiln-bench', 'measure.mjs');
  mkdirSync(join(outfile, '..'), { recursive: true });
  const entry = fileURLToPath(new URL('./measure.ts', import.meta.url));
  buildSync({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
  return outfile;
}

function measureSizes(): Measurement[] {
  const measure = bundledMeasure();
  return sizes.map((models) => {
    const label = `compiling ${models} models`;
    return JSON.parse(outputOf({ label, program: process.execPath, args: [measure, String(models)] }));
  });
}

function growthBetween(measured: readonly Measurement[]): Growth[] {
  return measured.slice(1).map((to, position) => {
    const from = measured[position] as Measurement;
    return {
      from: from.models,
      to: to.models,
      lines: to.lines / from.lines,
      time: median(to.milliseconds) / median(from.milliseconds),
      cpu: median(to.cpuMilliseconds) / median(from.cpuMilliseconds),
      memory: to.peakMegabytes / from.peakMegabytes,
    };
  });
}

function compareWithTypescript(folder: string): Results['comparison'] {
  const sources = kilnProgram(comparedModels);
  const lines = linesIn(sources);
  const kilnFolder = writeFiles(join(folder, 'kiln'), sources);
  const typescriptFolder = writeFiles(join(folder, 'typescript'), typescriptFiles(lines));
  const commands = [kilnCheck(kilnFolder), typescriptCheck('tsc 7', tsc, typescriptFolder)];
  const tsc5 = process.env.TSC5;
  if (tsc5) commands.push(typescriptCheck('tsc 5', tsc5, typescriptFolder));
  return { lines, timings: timeInTurns(commands, comparedRounds) };
}

function kilnCheck(folder: string): Command {
  return { label: 'kiln check', program: process.execPath, args: [kiln, 'check', folder] };
}

function typescriptCheck(label: string, program: string, folder: string): Command {
  return { label, program, args: ['--noEmit', '-p', folder] };
}

/** Only the library that the program needs, unchecked: the compiler's time should go into the program. */
function typescriptFiles(lines: number): { path: string; text: string }[] {
  const compilerOptions = { strict: true, target: 'es2022', lib: ['es2022'], types: [], skipLibCheck: true };
  return [
    { path: 'program.ts', text: typescriptProgram(lines) },
    { path: 'tsconfig.json', text: JSON.stringify({ compilerOptions, files: ['program.ts'] }) },
  ];
}

function writeFiles(folder: string, files: readonly { readonly path: string; readonly text: string }[]): string {
  mkdirSync(folder, { recursive: true });
  for (const { path, text } of files) writeFileSync(join(folder, path), text);
  return folder;
}

function measureStartUp(): readonly Timing[] {
  const nothing = { label: 'node -e 0', program: process.execPath, args: ['-e', '0'] };
  return timeInTurns([kilnCheck(join(root, 'examples', 'blog')), nothing], startUpRounds);
}

function measureAll(): Results {
  const measured = measureSizes();
  const results = { sizes: measured, growth: growthBetween(measured) };
  if (!existsSync(kiln)) return results;
  const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-'));
  try {
    const comparison = compareWithTypescript(folder);
    return { ...results, ...(comparison ? { comparison } : {}), startUp: measureStartUp() };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// ── Printing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

function report(results: Results): string {
  const { comparison, startUp } = results;
  return [
    'Compile, in memory',
    table(['models', 'lines', 'median ms', 'cpu ms', 'lines/s', 'peak MB'], results.sizes.map(sizeRow)),
    'Growth',
    table(['models', 'lines', 'time', 'cpu', 'memory'], results.growth.map(growthRow)),
    ...(comparison ? [`Whole process, ${whole(comparison.lines)} lines`, ratioTable(comparison.timings)] : []),
    ...(startUp ? ['Start-up', ratioTable(startUp)] : []),
    ...(comparison ? [] : ['dist/kiln.js is not built: the comparison with tsc and the start-up were left out.\n']),
  ].join('\n');
}

function sizeRow({ models, lines, milliseconds, cpuMilliseconds, peakMegabytes }: Measurement): string[] {
  const time = median(milliseconds);
  return [models, lines, time, median(cpuMilliseconds), lines / (time / 1000), peakMegabytes].map(whole);
}

function growthRow({ from, to, lines, time, cpu, memory }: Growth): string[] {
  return [`${whole(from)} to ${whole(to)}`, ...[lines, time, cpu, memory].map(factor)];
}

/** The columns with ratios are the first command's time as a multiple of each one's: below 1, the first is faster. */
function ratioTable(timings: readonly Timing[]): string {
  const [first] = timings;
  const rows = timings.map(({ label, milliseconds, cpuMilliseconds }) => [
    label,
    whole(milliseconds),
    factor((first?.milliseconds ?? Number.NaN) / milliseconds),
    whole(cpuMilliseconds),
    factor((first?.cpuMilliseconds ?? Number.NaN) / cpuMilliseconds),
  ]);
  const against = `${first?.label} against it`;
  return table(['command', 'median ms', against, 'cpu ms', against], rows);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function factor(value: number): string {
  return `x${value.toFixed(2)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `  ${cells.map((cell, i) => cell.padStart(widths[i] ?? 0)).join('  ')}\n`;
  return lines.map(line).join('');
}

const results = measureAll();
process.stdout.write(process.argv.includes('--json') ? `${JSON.stringify(results, null, 2)}\n` : report(results));
