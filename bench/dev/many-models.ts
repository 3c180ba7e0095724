/**
 * What one edit costs `kiln dev` at 100 models, and whether it costs more after many others: `npm run bench:edit`. Edits are
 * saved in turns: a field that the response shows, and an expression in a response, which leaves the database as it is. Times are
 * from the save to the new response: those of the processor in all processes of `kiln dev` but Postgres, and those of the
 * clock, in seconds. The first edit is saved when `kiln dev` has nothing left to do.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SourceFile } from '../../compiler/source/source-file.ts';
import { ensureDatabase } from '../../pipeline/database/connect.ts';
import { openProjectDatabase } from '../../pipeline/database/project-database.ts';
import { kilnProgram } from '../compile/generate.ts';

const MODELS = Number(process.argv[3] ?? 100);
const ROUNDS = Number(process.argv[2] ?? 6);
const KILN = resolve(import.meta.dirname, '../../dist/kiln.js');
/** `/proc` counts in these. */
const TICKS = 100;
const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-edit-'));
const sources = kilnProgram(MODELS);
for (const { path, text } of sources) writeFileSync(join(folder, path), text);
// Its models need no other record.
const edited = sources.at(-1) as SourceFile;

const database = await openProjectDatabase(folder);
try {
  await ensureDatabase(database.url);
  const command = [
    ...(process.env.NODE_ARGUMENTS ?? '').split(' ').filter(Boolean),
    KILN,
    'dev',
    folder,
    '--port',
    '0',
  ];
  const child = spawn(process.execPath, command, {
    env: { ...process.env, DATABASE_URL: database.url, LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await measure(child.pid as number, child.stdout);
  } finally {
    child.kill('SIGTERM');
    await new Promise((done) => child.once('exit', done));
  }
} finally {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(pid: number, output: NodeJS.ReadableStream): Promise<void> {
  let said = '';
  output.on('data', (chunk) => {
    said += chunk;
  });
  while (!said.includes('Ready after')) await pause(50);
  console.log(`start              cpu ${processorSeconds(pid).toFixed(2)}`);
  const [, model = ''] = /^model (\w+)/m.exec(edited.text) ?? [];
  const url = `${said.match(/http:\S+/)?.[0].replace(/\/api.*/, '')}/api/${edited.path.replace('.kiln', '')}/${model.toLowerCase()}`;
  await made(url);
  await idle(pid);
  for (let round = 1; round <= ROUNDS; round++) {
    const name = `extra_${round}`;
    const field = await timed(pid, withField(round), async () => (await shown(url))[name] === 'x');
    const rule = await timed(pid, withRule(round), async () => (await shown(url)).heading === `${round}`);
    console.log(`edit ${String(round).padStart(3)}  a field  ${field}   an expression of an endpoint  ${rule}`);
  }
}

/** Until it has done nothing for a second. */
async function idle(pid: number): Promise<void> {
  for (let before = -1; processorSeconds(pid) - before > 0.02; ) {
    before = processorSeconds(pid);
    await pause(1000);
  }
  console.log(`when it is idle    cpu ${processorSeconds(pid).toFixed(2)}`);
}

async function timed(pid: number, text: string, isThere: () => Promise<boolean>): Promise<string> {
  const [before, start] = [processorSeconds(pid), performance.now()];
  writeFileSync(join(folder, edited.path), text);
  while (!(await isThere())) await pause(20);
  const seconds = (performance.now() - start) / 1000;
  const cpu = processorSeconds(pid) - before;
  // What is done behind the response, such as telling what has changed, counts for the next one.
  return `cpu ${cpu.toFixed(2)}  clock ${seconds.toFixed(2)}`;
}

/** The first model with `count` fields more, the last of which is shown. */
function withField(count: number): string {
  const fields = Array.from({ length: count }, (_, at) => `  field extra_${at + 1} { type string, default "x" }\n`);
  return edited.text
    .replace(/^model \w+ \{\n/m, (head) => head + fields.join(''))
    .replace('response { slug,', `response { extra_${count}, slug,`);
}

function withRule(count: number): string {
  return withField(count).replace('title, heading,', `title, heading: "${count}",`);
}

async function made(url: string): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ slug: 'first', title: 'Title' }),
  });
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
}

async function shown(url: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}/first`);
  return (await answer.json()) as Record<string, unknown>;
}

/** Of a process and those that it has started and that have ended. */
function processorSeconds(pid: number): number {
  const times = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 15) ?? [];
  return times.reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS;
}
