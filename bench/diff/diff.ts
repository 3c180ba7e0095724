/**
 * The benchmark of `kiln diff`: `npm run bench:diff [-- --models 1000 --json]`. The newest release of a generated program
 * is compared with a work tree in which some of it has changed, against `kiln check` of the same work tree.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { buildRelease } from '../../pipeline/bake/build-release.ts';
import { openRepository } from '../../pipeline/git/repository.ts';
import { revisionOf } from '../../pipeline/git/revision.ts';
import { Steps } from '../../pipeline/smoke/steps.ts';
import { kilnProgram, linesIn } from '../compile/generate.ts';
import { type Command, outputOf, type Timing, timeInTurns } from '../compile/processes.ts';

/** How long a diff may take, as a multiple of a check. */
const LIMIT = 1.5;
const ROUNDS = 5;
/** One model of this many is changed. */
const CHANGED = 20;

const kiln = fileURLToPath(new URL('../../dist/kiln.js', import.meta.url));

const { values } = parseArgs({
  options: { models: { type: 'string', default: '1000' }, json: { type: 'boolean', default: false } },
});
const models = Number(values.models);

function write(folder: string, sources: readonly SourceFile[]): void {
  for (const { path, text } of sources) writeFileSync(join(folder, path), text);
}

function git(folder: string, ...words: readonly string[]): void {
  const who = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.org'];
  execFileSync('git', ['-C', folder, ...who, ...words]);
}

async function release(folder: string): Promise<void> {
  const repository = openRepository(folder);
  const input = { repository, revision: revisionOf(repository, 'HEAD'), branch: 'main', folder: '' };
  await buildRelease(input, new Steps(() => undefined));
}

/** Some of each kind: a new property, an input that is stricter, a column more, another order. */
function changed(sources: readonly SourceFile[]): readonly SourceFile[] {
  return sources.map(({ path, text }, at) => {
    if (at % (CHANGED / 10) !== 0) return { path, text };
    return {
      path,
      text: text
        .replace('field body {', 'field note { type string, default "" }\n  field body {')
        .replace('minLength(4)', 'minLength(5)')
        .replace('response { slug, title, heading,', 'response { slug, title, body, heading,')
        .replace('order by { created_at desc, title asc }', 'order by { title asc }'),
    };
  });
}

async function prepare(folder: string, sources: readonly SourceFile[]): Promise<void> {
  mkdirSync(folder);
  write(folder, sources);
  git(folder, 'init', '--quiet', '-b', 'main');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '-m', 'First');
  await release(folder);
  write(folder, changed(sources));
}

interface Result {
  readonly models: number;
  readonly lines: number;
  /** Median wall times, in milliseconds. */
  readonly check: number;
  readonly diff: number;
  readonly ratio: number;
  /** Of the median CPU times: other programs disturb it least. */
  readonly cpuRatio: number;
  /** What `kiln diff` has counted. */
  readonly counts: string;
}

function measure(folder: string, sources: readonly SourceFile[]): Result {
  const command = (label: string, ...args: readonly string[]): Command => {
    return { label, program: process.execPath, args: [kiln, ...args] };
  };
  const diff = command('kiln diff', 'diff', '--dir', folder);
  const [checking, comparing] = timeInTurns([command('kiln check', 'check', folder), diff], ROUNDS) as [Timing, Timing];
  const counts = outputOf(diff).trimEnd().split('\n').at(-1) ?? '';
  return {
    models,
    lines: linesIn(sources),
    check: checking.milliseconds,
    diff: comparing.milliseconds,
    ratio: comparing.milliseconds / checking.milliseconds,
    cpuRatio: comparing.cpuMilliseconds / checking.cpuMilliseconds,
    counts,
  };
}

function report({ lines, check, diff, ratio, cpuRatio, counts }: Result): string {
  const whole = (value: number) => Math.round(value).toLocaleString('en');
  return [
    `${whole(models)} models, ${whole(lines)} lines; ${counts}`,
    `  kiln check  ${whole(check).padStart(7)} ms`,
    `  kiln diff   ${whole(diff).padStart(7)} ms  x${ratio.toFixed(2)}, at most x${LIMIT}; of CPU time x${cpuRatio.toFixed(2)}`,
    '',
  ].join('\n');
}

const place = mkdtempSync(join(tmpdir(), 'kiln-bench-'));
try {
  const [folder, sources] = [join(place, 'diff'), kilnProgram(models)];
  await prepare(folder, sources);
  const result = measure(folder, sources);
  process.stdout.write(values.json ? `${JSON.stringify(result, null, 2)}\n` : report(result));
  process.exitCode = result.ratio > LIMIT ? 1 : 0;
} finally {
  rmSync(place, { recursive: true });
}
