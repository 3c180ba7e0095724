/**
 * How long `kiln lsp` takes to answer after a key, in a program of 1,000 models: as 100 files of ten, and as a single file.
 * Times are from sending the edit to having the answer, so the edit itself is in them; `run` is the part of it in which
 * the server had the processor. `npm run bench:lsp`; `-- --json` for
 * numbers, `-- --models 100` for another size.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { kilnProgram } from '../compile/generate.ts';
import { Session } from './session.ts';

const KILN = resolve(import.meta.dirname, '../../dist/kiln.js');
const LIMIT = 50;
// Quick keys in a row, and now and then a rest in which the check of the whole program gets under way.
const GAPS = [30, 60, 90, 600];
const KEYS = 160;

/** One answer: by the clock, and how long the server ran for it, which other work on the machine does not disturb. */
interface Taken {
  readonly clock: number;
  readonly run: number;
}

interface Spread {
  readonly median: number;
  readonly p95: number;
  readonly worst: number;
}

interface Times {
  readonly what: string;
  readonly clock: Spread;
  readonly run: Spread;
}

interface Result {
  readonly layout: string;
  readonly untilReady: Taken;
  readonly answers: readonly Times[];
  readonly fullDiagnostics: Times;
  readonly peakMegabytes: number | undefined;
}

const { values } = parseArgs({ options: { json: { type: 'boolean' }, models: { type: 'string', default: '1000' } } });
const program = kilnProgram(Number(values.models));
const whole = { path: 'all.kiln', text: program.map(({ text }) => text).join('\n') };
const results = [
  await measure(`${program.length} files`, program, program[Math.floor(program.length / 2)] as SourceFile),
  await measure('a single file', [whole], whole),
];
if (values.json) console.log(JSON.stringify(results, undefined, 2));
else for (const result of results) print(result);

async function measure(layout: string, sources: readonly SourceFile[], edited: SourceFile): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-lsp-'));
  mkdirSync(folder, { recursive: true });
  for (const { path, text } of sources) writeFileSync(join(folder, path), text);
  const session = new Session(KILN);
  try {
    const ready = watch(session);
    await session.start(folder);
    await session.open(join(folder, edited.path), edited.text);
    await session.ask('references', { line: 0, character: 6 });
    const untilReady = ready();
    const answers = [...(await timeAnswers(session)), await timeSyntax(session)];
    const fullDiagnostics = await timeFullDiagnostics(session);
    const { peakMegabytes } = await session.stop();
    return { layout, untilReady, answers, fullDiagnostics, peakMegabytes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A place in the middle of the file, in a model. */
function middleOf(text: string): number {
  const model = text.indexOf('\nmodel ', text.length / 2);
  return text.indexOf('  computed owned_count', model < 0 ? text.indexOf('\nmodel ') : model);
}

/** Types a computed member letter by letter, over and over, and asks one question after each. */
async function timeAnswers(session: Session): Promise<readonly Times[]> {
  const line = '  computed extra { count(owned.owner.reviewed) > 3 and owner.title is not null }\n';
  const questions = {
    completion: (offset: number) => session.ask('completion', session.document.positionAt(offset)),
    hover: (offset: number) => session.ask('hover', positionOf(session, 'owned.amount', offset)),
    definition: (offset: number) => session.ask('definition', positionOf(session, 'owned.amount', offset)),
    documentSymbol: () => session.ask('documentSymbol'),
  };
  const names = Object.keys(questions) as (keyof typeof questions)[];
  const times = new Map<string, Taken[]>(names.map((name) => [name, []]));
  const start = middleOf(session.document.getText());
  let written = 0;
  for (let key = 0; key < KEYS; key += 1) {
    await pause(GAPS[key % GAPS.length]);
    const name = names[Math.floor(key / GAPS.length) % names.length] as keyof typeof questions;
    const taken = watch(session);
    if (written === line.length) {
      await session.type(start, written, '');
      written = 0;
    } else {
      await session.type(start + written, 0, line[written] as string);
      written += 1;
    }
    await questions[name](start + written);
    times.get(name)?.push(taken());
  }
  await session.type(start, written, '');
  return [...times].map(([name, all]) => timesOf(name, all));
}

function positionOf(session: Session, phrase: string, from: number) {
  return session.document.positionAt(session.document.getText().indexOf(phrase, from) + 1);
}

/** A brace goes and comes again: from the key to what is said about it. */
async function timeSyntax(session: Session): Promise<Times> {
  const offset = session.document.getText().indexOf('{', middleOf(session.document.getText()));
  const all: Taken[] = [];
  for (let round = 0; round < 20; round += 1) {
    await pause(GAPS[round % GAPS.length]);
    const taken = watch(session);
    const isBroken = round % 2 === 0;
    const told = session.published(
      ({ uri, diagnostics }) => uri === session.document.uri && diagnostics.length > 0 === isBroken,
    );
    await session.type(offset, isBroken ? 1 : 0, isBroken ? '' : '{');
    await told;
    all.push(taken());
  }
  return timesOf('syntax diagnostics', all);
}

/** A name becomes unknown and known again: from the key to what the check of the whole program says. */
async function timeFullDiagnostics(session: Session): Promise<Times> {
  const text = session.document.getText();
  const offset = text.indexOf('owned)', middleOf(text));
  const all: Taken[] = [];
  for (let round = 0; round < 6; round += 1) {
    const isWrong = round % 2 === 0;
    const taken = watch(session);
    const told = session.published(
      ({ diagnostics }) => diagnostics.some(({ code }) => code === 'unknown-name') === isWrong,
    );
    await session.type(offset, isWrong ? 0 : 1, isWrong ? 'x' : '');
    await told;
    // The mend is seen at once, for what was wrong is gone; only then is the check of the rest.
    if (!isWrong) await session.ask('references', { line: 0, character: 6 });
    all.push(taken());
  }
  return timesOf('full diagnostics', all);
}

function watch(session: Session): () => Taken {
  const clock = performance.now();
  const run = session.runTime() ?? Number.NaN;
  return () => ({ clock: performance.now() - clock, run: (session.runTime() ?? Number.NaN) - run });
}

function timesOf(what: string, all: readonly Taken[]): Times {
  return { what, clock: spreadOf(all.map(({ clock }) => clock)), run: spreadOf(all.map(({ run }) => run)) };
}

function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { median: at(0.5), p95: at(0.95), worst: at(1) };
}

function print({ layout, untilReady, answers, fullDiagnostics, peakMegabytes }: Result): void {
  const ready = `ready after ${ms(untilReady.clock)} (ran ${ms(untilReady.run)})`;
  console.log(`\n${values.models} models in ${layout}: ${ready}, peak ${peakMegabytes?.toFixed(0)} MB`);
  console.log(
    `  ${''.padEnd(20)} ${'median'.padStart(10)} ${'p95'.padStart(10)} ${'worst'.padStart(10)}   run: median        p95      worst`,
  );
  for (const { what, clock, run } of [...answers, fullDiagnostics]) {
    const columns = [clock.median, clock.p95, clock.worst, run.median, run.p95, run.worst].map(ms).join(' ');
    console.log(`  ${what.padEnd(20)} ${columns}  ${what === 'full diagnostics' ? '' : verdict(clock, run)}`);
  }
}

function verdict(clock: Spread, run: Spread): string {
  if (clock.p95 <= LIMIT) return 'within';
  return run.p95 <= LIMIT ? 'within, had the machine been free' : 'misses';
}

function ms(time: number): string {
  return `${time.toFixed(time < 10 ? 1 : 0)} ms`.padStart(10);
}
