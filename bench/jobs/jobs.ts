/**
 * What jobs cost and how fast they are: `npm run bench:jobs [-- --seconds 5 --clients 16 --jobs 20000 --rows 1000000]`. A
 * create that runs a job, and one whose reaction runs it, against a plain create; jobs that do nothing, also those of other
 * queues; the time from a request to the start of its job; claims, and reads of a record, where there are many jobs that wait
 * and many that are due later. The server is a process of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
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
import { claimJobs } from '../../runtime/jobs/job-table.ts';
import { connectionFrom } from '../../runtime/query/database.ts';
import { startCluster } from '../api/cluster.ts';
import { freePort } from '../api/free-port.ts';
import { PEERS } from './peers.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    clients: { type: 'string', default: '16' },
    jobs: { type: 'string', default: '20000' },
    rows: { type: 'string', default: '1000000' },
  },
});
const [seconds, clients, jobs, rows] = [options.seconds, options.clients, options.jobs, options.rows].map(Number) as [
  number,
  number,
  number,
  number,
];

const PROGRAM = `
model Post { field title { type string } }
model Watched { field title { type string } }
model Mark { field sent { type timestamp }, field begun { type timestamp } }
job Nothing { input post { type integer } action { } }
job Write { input post { type integer } action { create Post { set title "written" } } }
job Begin { input sent { type timestamp } action { create Mark { set sent sent, set begun now() } } }
on create of Watched as watched { run Nothing { post: watched.id } }
api {
  entrypoint Watched { create endpoint { response { id } } }
  entrypoint Post as post {
    get endpoint { response { id, title } }
    create endpoint { response { id } }
    POST many "run" { extra inputs { field title { type string } } action { create Post as made { set title title } run Nothing { post: made.id } } }
    POST many "write" { action { run Write { post: 1 } } }
    POST many "begin" { action { run Begin { sent: now() } } }
  }
}`;

type Load = (agent: Agent, port: number) => Promise<void>;

const PLAIN: Load = (agent, port) => send(agent, port, '/api/post', '{"title":"a title"}');
const RUN: Load = (agent, port) => send(agent, port, '/api/post/run', '{"title":"a title"}');
const REACTION: Load = (agent, port) => send(agent, port, '/api/watched', '{"title":"a title"}');
const READ: Load = (agent, port) => send(agent, port, '/api/post/1');

await loadGrammar();
const cluster = await startCluster(undefined);
const { definition, diagnostics } = compile([{ path: 'main.kiln', text: PROGRAM }], () => undefined);
if (!definition) throw new Error(JSON.stringify(diagnostics));
const folder = mkdtempSync(join(tmpdir(), 'kiln-bench-jobs-'));
writeFileSync(join(folder, 'definition.json'), definitionText(definition));
writeFileSync(join(folder, 'openapi.json'), '{}');
const url = cluster.url('postgres');
const client = new pg.Client(url);
try {
  await client.connect();
  await client.query(schemaSql(schemaFromDefinition(definition)));
  console.log('| | |\n|---|--:|');
  await during(0, measureCreates);
  for (const job of ['Nothing', 'Write']) await during(5, () => measureKind(job));
  for (const [at, peer] of PEERS.entries()) {
    await client.query(`CREATE DATABASE peer_${at}`);
    say(
      `${peer.name}: jobs that do nothing, per second`,
      await timed(await peer.prepare(cluster.url(`peer_${at}`), jobs)),
    );
  }
  await during(5, measureBegin);
  await during(0, measureMany);
} finally {
  rmSync(folder, { recursive: true });
  await client.end();
  await cluster.stop();
}

function say(what: string, figure: string): void {
  console.log(`| ${what} | ${figure} |`);
}

/** Jobs per second. */
async function timed(work: () => Promise<unknown>): Promise<string> {
  const start = performance.now();
  await work();
  return ((jobs / (performance.now() - start)) * 1000).toFixed(0);
}

async function during(count: number, measure: (port: number) => Promise<void>): Promise<void> {
  await client.query('TRUNCATE kiln_jobs, post, watched, mark');
  const server = await started(count);
  await measure(server.port).finally(() => stopped(server.child));
}

async function started(count: number): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await freePort();
  const own = { DATABASE_URL: url, KILN_APP: folder, PORT: String(port), HOST: '127.0.0.1', SHUTDOWN_GRACE: '0' };
  const main = resolve(import.meta.dirname, '../../dist/runtime/main.mjs');
  const env = { ...process.env, ...own, LOG_LEVEL: 'warn', JOBS: String(count) };
  const child = spawn(process.execPath, [main, 'serve'], { env, stdio: 'inherit' });
  while ((await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status !== 200) await sleep(20);
  return { child, port };
}

async function stopped(child: ChildProcess): Promise<void> {
  const end = once(child, 'exit');
  child.kill('SIGTERM');
  await end;
}

/** A second each, so that what else runs on the machine slows all of them. */
async function rates(port: number, loads: readonly Load[]): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const counts = loads.map(() => 0);
  for (const each of loads) await load(agent, port, each);
  for (let second = 0; second < seconds; second++)
    for (const [at, each] of loads.entries()) counts[at] = (counts[at] as number) + (await load(agent, port, each));
  agent.destroy();
  return counts.map((count) => count / seconds);
}

async function measureCreates(port: number): Promise<void> {
  const [plain = 0, running = 0, reacting = 0] = await rates(port, [PLAIN, RUN, REACTION]);
  say('create, per second', plain.toFixed(0));
  say('create with `run`, per second', `${running.toFixed(0)} (×${(running / plain).toFixed(2)})`);
  say('create with a reaction, per second', `${reacting.toFixed(0)} (×${(reacting / plain).toFixed(2)})`);
}

async function load(agent: Agent, port: number, each: Load): Promise<number> {
  const end = performance.now() + 1000;
  let count = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      await each(agent, port);
      count++;
    }
  };
  await Promise.all(Array.from({ length: clients }, one));
  return count;
}

/** A GET where there is no body. */
function send(agent: Agent, port: number, path: string, body?: string): Promise<void> {
  const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((done, reject) => {
    const sent = request({ agent, port, path, method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
      response
        .resume()
        .once('end', () =>
          (response.statusCode as number) < 300 ? done() : reject(new Error(`status ${response.statusCode}`)),
        );
    });
    sent.once('error', reject).end(body);
  });
}

/**
 * From the moment when all are stored until the table is empty, on a server that runs by then: other queues are measured
 * without the start of their process, too. It includes up to a second until the server looks for them.
 */
async function measureKind(job: string): Promise<void> {
  await client.query(
    `INSERT INTO kiln_jobs (kind, input) SELECT '${job}(post integer)', '{"post":1}' FROM generate_series(1, ${jobs})`,
  );
  say(`jobs that ${job === 'Write' ? 'create a record' : 'do nothing'}, per second`, await timed(emptied));
}

async function emptied(): Promise<void> {
  const isEmpty = async () => (await client.query('SELECT FROM kiln_jobs LIMIT 1')).rowCount === 0;
  while (!(await isEmpty())) await sleep(20);
}

async function measureBegin(port: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let at = 0; at < 300; at++) {
    await send(agent, port, '/api/post/begin', '{}');
    await sleep(10);
  }
  agent.destroy();
  await emptied();
  const { rows: found } = await client.query(
    `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM begun - sent) * 1000) AS ms FROM mark`,
  );
  say('from the request to the start of its job, ms, median', Number(found[0].ms).toFixed(1));
}

/** A read of a record beside them, on a server that works on no jobs, so that they stay as many. */
async function measureMany(port: number): Promise<void> {
  await client.query(`TRUNCATE post RESTART IDENTITY; INSERT INTO post (title) VALUES ('read')`);
  const [before = 0] = await rates(port, [READ]);
  const fill = (due: string) =>
    client.query(
      `INSERT INTO kiln_jobs (kind, input, due_at) SELECT 'Nothing(post integer)', '{"post":1}', ${due} FROM generate_series(1, ${rows}) AS n`,
    );
  await fill(`now() - n * interval '1 ms'`);
  await fill(`now() + n * interval '1 s'`);
  await client.query('ANALYZE kiln_jobs');
  const [beside = 0] = await rates(port, [READ]);
  const times: number[] = [];
  for (let at = 0; at < 1000; at++) {
    const start = performance.now();
    await claimJobs(connectionFrom(client), ['Nothing(post integer)', 'Begin(sent timestamp)'], 5, 'bench');
    times.push(performance.now() - start);
  }
  times.sort((one, two) => one - two);
  say(`claim with ${rows} waiting and ${rows} later, ms, median`, (times[500] as number).toFixed(1));
  say(`claim with ${rows} waiting and ${rows} later, ms, 99th`, (times[990] as number).toFixed(1));
  say('a record read, per second, before and beside them', `${before.toFixed(0)}, ${beside.toFixed(0)}`);
}
