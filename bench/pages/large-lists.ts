/**
 * What a long list costs that is not in pages: `npm run bench:large-lists`. Posts with 10 comments each, 1,000, 10,000, 50,000 and
 * 100,000 of them at once. The server is a process of its own: its largest resident memory above that of the idle server, the
 * longest time that its event loop was blocked, and how long the response took. Each request is sent several times; the
 * smallest values count, because other programs make all of them larger.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import pino from 'pino';
import { compile } from '../../compiler/compile.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { configFromEnvironment } from '../../runtime/config/config.ts';
import { startServer } from '../../runtime/serve.ts';
import { startCluster } from '../api/cluster.ts';

const COUNTS = [1000, 10_000, 50_000, 100_000];
const COMMENTS = 10;
const TIMES = 3;

const PROGRAM = `
model Post {
  field title { type string }
  field text { type string }
  relation comments { from Comment, through post }
}
model Comment { reference post { to Post }, field text { type string } }
api {
  entrypoint Post {
    response { id, title, text, comments { id, text } }
    ${COUNTS.map((count) => `GET many "first-${count}" { limit ${count} }`).join('\n')}
  }
}`;

const FILL = `
  INSERT INTO post (title, text) SELECT 'Post ' || n, repeat('x', 100) FROM generate_series(1, ${COUNTS.at(-1)}) n;
  INSERT INTO comment (post_id, text)
    SELECT post.id, 'Comment ' || n || ' on ' || post.id FROM post, generate_series(1, ${COMMENTS}) n`;

await loadGrammar();
const { definition } = compile([{ path: 'main.kiln', text: PROGRAM }], () => undefined);
if (!definition) throw new Error('the program has errors');
if (process.send) await serve();
else await measure();

// ── The server ──────────────────────────────────────────────────────────────────────────────────────────────────────

async function serve(): Promise<void> {
  const environment = { DATABASE_URL: process.argv[2], PORT: '0', HOST: '127.0.0.1', SHUTDOWN_GRACE: '0' };
  const read = configFromEnvironment(environment);
  if (!read.ok || !definition) throw new Error('the server cannot be started');
  const server = await startServer({ definition, hooks: {}, config: read.config, log: pino({ level: 'silent' }) });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('message', (message) => {
    if (message === 'stop') process.exit();
    process.send?.({ longestMs: delay.max / 1e6 });
    delay.reset();
  });
  process.send?.({ url: server.url });
}

// ── The measurement ─────────────────────────────────────────────────────────────────────────────────────────────────

async function measure(): Promise<void> {
  const cluster = await startCluster(undefined);
  try {
    const client = new pg.Client(cluster.url('postgres'));
    await client.connect();
    await client.query(schemaSql(schemaFromDefinition(definition as NonNullable<typeof definition>)));
    await client.query(FILL);
    await client.query('VACUUM ANALYZE');
    await client.end();
    console.log(
      '| posts | response, MB | seconds | memory above idle, MB | longest block, ms |\n|--:|--:|--:|--:|--:|',
    );
    for (const count of COUNTS) console.log(await lineFor(count, cluster.url('postgres')));
  } finally {
    await cluster.stop();
  }
}

async function lineFor(count: number, database: string): Promise<string> {
  const runs: Run[] = [];
  for (let time = 0; time < TIMES; time++) runs.push(await runOnce(count, database));
  const least = (value: (run: Run) => number, digits: number) => Math.min(...runs.map(value)).toFixed(digits);
  const megabytes = least(({ bytes }) => bytes / 1e6, 1);
  return `| ${count} | ${megabytes} | ${least((run) => run.seconds, 2)} | ${least((run) => run.memory, 0)} | ${least((run) => run.longestMs, 0)} |`;
}

interface Run {
  readonly bytes: number;
  readonly seconds: number;
  readonly memory: number;
  readonly longestMs: number;
}

/** Each with a server of its own: memory that was once taken is not given back. */
async function runOnce(count: number, database: string): Promise<Run> {
  const server = fork(fileURLToPath(import.meta.url), [database]);
  try {
    const { url } = (await told(server)) as { readonly url: string };
    const list = `${url}/api/post/first-`;
    for (let warm = 0; warm < 3; warm++) await bytesOf(`${list}${COUNTS[0]}`);
    await sleep(500);
    await asked(server);
    const idle = memoryOf(server, 'VmRSS');
    writeFileSync(`/proc/${server.pid}/clear_refs`, '5');
    const start = performance.now();
    const bytes = await bytesOf(`${list}${count}`);
    const seconds = (performance.now() - start) / 1000;
    const { longestMs } = await asked(server);
    return { bytes, seconds, memory: memoryOf(server, 'VmHWM') - idle, longestMs };
  } finally {
    server.send('stop');
    await once(server, 'exit');
  }
}

async function asked(server: ChildProcess): Promise<{ readonly longestMs: number }> {
  const answer = told(server);
  server.send('tell');
  return (await answer) as { readonly longestMs: number };
}

async function told(server: ChildProcess): Promise<unknown> {
  const [message] = await once(server, 'message');
  return message;
}

/** In MB. */
function memoryOf({ pid }: ChildProcess, what: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] = new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
}

async function bytesOf(url: string): Promise<number> {
  const [response] = await once(get(url), 'response');
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  return bytes;
}
