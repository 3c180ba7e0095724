/**
 * From a saved change to the new answer: `npx tsx bench/dev/dev.ts`. The blog, one field more each time, against what
 * compiling and migrating cost by themselves in the same run.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { fileTextIn } from '../../files/file-text.ts';
import { readSources } from '../../files/read-sources.ts';
import { ensureDatabase } from '../../pipeline/database/connect.ts';
import { openProjectDatabase } from '../../pipeline/database/project-database.ts';
import { syncDatabase } from '../../pipeline/dev/sync.ts';

const ROUNDS = 10;
const KILN = resolve(import.meta.dirname, '../../dist/kiln.js');
const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-dev-'));
const source = join(folder, 'models.kiln');
cpSync(resolve(import.meta.dirname, '../../examples/blog'), folder, { recursive: true });
const original = readFileSync(source, 'utf8');
await loadGrammar();
const database = await openProjectDatabase(folder);
try {
  await ensureDatabase(database.url);
  const alone = await measureAlone();
  const whole = await measureLoop();
  console.log(`compile alone            ${median(alone.compile).toFixed(0)} ms`);
  console.log(`sync alone               ${median(alone.sync).toFixed(0)} ms`);
  console.log(`save to new answer       ${median(whole).toFixed(0)} ms`);
  console.log(`ratio to compile + sync  x${(median(whole) / (median(alone.compile) + median(alone.sync))).toFixed(2)}`);
} finally {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** The author with `count` fields more, and shown by the API. */
function withFields(count: number): string {
  const fields = Array.from({ length: count }, (_, at) => `  field extra_${at} { type string, default "x" }`).join(
    '\n',
  );
  return original.replace('model Author {', `model Author {\n${fields}`);
}

async function measureAlone() {
  const times: { compile: number[]; sync: number[] } = { compile: [], sync: [] };
  for (let round = 0; round < ROUNDS; round++) {
    writeFileSync(source, withFields(round));
    const start = performance.now();
    const { definition } = compile(readSources(folder).sources, fileTextIn(folder));
    const compiled = performance.now();
    await syncDatabase(database.url, definition as Definition, async () => 'unanswered');
    times.compile.push(compiled - start);
    times.sync.push(performance.now() - compiled);
  }
  return times;
}

async function measureLoop(): Promise<readonly number[]> {
  const child = spawn(process.execPath, [KILN, 'dev', folder, '--port', '0'], {
    env: { ...process.env, DATABASE_URL: database.url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  try {
    while (!said.includes('Ready after')) await pause(20);
    const url = /API\s+(\S+)/.exec(said)?.[1] as string;
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await saveToAnswer(url, ROUNDS + round));
    return times;
  } finally {
    child.kill('SIGTERM');
  }
}

async function saveToAnswer(url: string, count: number): Promise<number> {
  writeFileSync(source, withFields(count));
  const start = performance.now();
  for (;;) {
    const document = await fetch(url.replace(/\/api$/, '/openapi.json'));
    if ((await document.text()).includes(`extra_${count - 1}`)) return performance.now() - start;
    await pause(2);
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
