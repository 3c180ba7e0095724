/**
 * What live lists cost: `npm run bench:live [-- --streams 10000 --seconds 5 --clients 16]`. The memory of a server
 * with many streams, the time from a change to the last of them, and writes to a table with a live list against one without.
 * The server is a process of its own. It needs as many open files as there are streams.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { compile } from '../../compiler/compile.ts';
import { definitionText } from '../../compiler/definition/artifacts.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { startCluster } from '../api/cluster.ts';
import { freePort } from '../api/free-port.ts';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '5' },
    clients: { type: 'string', default: '16' },
  },
});
const [streams, seconds, clients] = [values.streams, values.seconds, values.clients].map(Number) as [
  number,
  number,
  number,
];

const PROGRAM = `
model Board { field title { type string } relation notes { from Note, through board } }
model Note { reference board { to Board } field text { type string } }
model Plain { reference board { to Board } field text { type string } }
api {
  entrypoint Plain { create endpoint { response { id } authorize { true } } }
  entrypoint Note { create endpoint { response { id } authorize { true } } }
  entrypoint Board { entrypoint notes { list endpoint { order by { id desc } limit 20, live } } }
}`;

await loadGrammar();
const { definition, diagnostics } = compile([{ path: 'main.kiln', text: PROGRAM }], () => undefined);
if (!definition) throw new Error(JSON.stringify(diagnostics));
const cluster = await startCluster(undefined);
const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-live-'));
writeFileSync(join(folder, 'definition.json'), definitionText(definition));
writeFileSync(join(folder, 'openapi.json'), '{}');
const url = cluster.url('postgres');
const client = new pg.Client(url);
await client.connect();
await client.query(schemaSql(schemaFromDefinition(definition)));
await client.query(`INSERT INTO board (title) SELECT 'a' FROM generate_series(1, 2)`);
const port = await freePort();
const env = { ...process.env, DATABASE_URL: url, KILN_APP: folder, PORT: String(port), HOST: '127.0.0.1' };
const limits = {
  CONNECTIONS_MAX: '50000',
  LIVE_MAX: '50000',
  REQUESTS_MAX: '50000',
  SHUTDOWN_GRACE: '0',
  LOG_LEVEL: 'warn',
};
const main = resolve(import.meta.dirname, '../../dist/runtime/main.mjs');
const server = spawn(process.execPath, [main, 'serve'], { env: { ...env, ...limits }, stdio: 'inherit' });
try {
  while ((await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status !== 200) await sleep(20);
  console.log('| | |\n|---|--:|');
  const [plain, live] = await rates(['/api/plain', '/api/note']);
  say('create, per second', plain.toFixed(0));
  say('create in a table with a live list, per second', `${live.toFixed(0)} (×${(live / plain).toFixed(2)})`);
  await measureStreams();
} finally {
  const end = once(server, 'exit');
  server.kill('SIGTERM');
  await end;
  rmSync(folder, { recursive: true });
  await client.end();
  await cluster.stop();
}

function say(what: string, figure: string): void {
  console.log(`| ${what} | ${figure} |`);
}

/** Half a second each in turns, so that what else runs on the machine slows both. */
async function rates(paths: readonly [string, string]): Promise<readonly [number, number]> {
  const counts: [number, number] = [0, 0];
  for (let turn = -1; turn < 2 * seconds; turn++)
    for (const [at, path] of paths.entries()) {
      const count = await created(path);
      if (turn >= 0) counts[at as 0 | 1] += count / seconds;
    }
  return counts;
}

async function created(path: string): Promise<number> {
  const end = performance.now() + 500;
  let count = 0;
  const one = async (): Promise<void> => {
    for (; performance.now() < end; count++) await post(path);
  };
  await Promise.all(Array.from({ length: clients }, one));
  return count;
}

async function post(path: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ board_id: 1, text: 'a text of usual length' });
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body });
  await response.arrayBuffer();
  if (response.status !== 201) throw new Error(`status ${response.status}`);
}

async function measureStreams(): Promise<void> {
  const before = memory();
  let told = 0;
  const sockets: Socket[] = [];
  for (let opened = 0; opened < streams; opened += 200) {
    for (let at = opened; at < Math.min(opened + 200, streams); at++) sockets.push(follower(() => told++));
    while (told < Math.min(opened + 200, streams)) await sleep(2);
  }
  await sleep(2000);
  say(`memory of ${streams} streams, MB`, ((memory() - before) / 1024).toFixed(0));
  const times: number[] = [];
  for (let run = 0; run < 5; run++) {
    told = 0;
    const start = performance.now();
    await client.query(`INSERT INTO note (board_id, text) VALUES (1, 'run ${run}')`);
    await client.query(`SELECT pg_notify('kiln_changes', 'bench')`);
    while (told < streams) await sleep(2);
    times.push(performance.now() - start);
    await sleep(300);
  }
  const [, , median = 0] = times.sort((a, b) => a - b);
  say('a change at all of them, median of 5, ms', median.toFixed(0));
  for (const socket of sockets) socket.destroy();
}

/** Calls back for the list, and for each change of it: a change here ends in a `put`. */
function follower(seen: () => void): Socket {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1').on('error', fail);
  socket.on('data', (text) => {
    if (/event: (list|put)/.test(String(text))) seen();
  });
  socket.write('GET /api/board/1/notes HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n');
  return socket;
}

function fail(error: Error): never {
  throw error;
}

/** What the server holds, in KB. */
function memory(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]);
}
