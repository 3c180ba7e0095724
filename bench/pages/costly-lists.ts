/**
 * Whether costly lists slow the other endpoints: `npm run bench:lists [-- --rows 1000000 --seconds 8]`. Clients ask for page
 * 1 of a million records, which counts all of them, one request after the other. Beside them one client reads a record by
 * its slug, and another one creates records in a transaction.
 */
import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import pg from 'pg';
import pino from 'pino';
import { compile } from '../../compiler/compile.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { configFromEnvironment } from '../../runtime/config/config.ts';
import { startServer } from '../../runtime/serve.ts';
import { startCluster } from '../api/cluster.ts';

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, seconds: { type: 'string', default: '8' } },
});
const rows = Number(options.rows);
const seconds = Number(options.seconds);

const CROWDS = [0, 20, 60];

/** The second action makes the create a transaction. */
const PROGRAM = `
model Event {
  field slug { type string, unique }
  field text { type string }
}
model Note { field text { type string }, reference event { to Event } }
api {
  entrypoint Event as event {
    identify { through slug }
    list endpoint { order by { id }, paginable { pageSize 25 } }
    get endpoint { response { slug, text } }
    POST one "notes" { action { create Note { set text "first", set event event } create Note { set text "second", set event event } } }
  }
}`;

const FILL = `INSERT INTO event (slug, text) SELECT 'event-' || n, 'Event ' || n FROM generate_series(1, ${rows}) AS n`;

await loadGrammar();
const agent = new Agent({ keepAlive: true });
const cluster = await startCluster(undefined);
try {
  const { definition, diagnostics } = compile([{ path: 'main.kiln', text: PROGRAM }]);
  if (!definition) throw new Error(`the program has errors: ${JSON.stringify(diagnostics)}`);
  const client = new pg.Client(cluster.url('postgres'));
  await client.connect();
  await client.query(schemaSql(schemaFromDefinition(definition)));
  await client.query(FILL);
  await client.query('VACUUM ANALYZE event');
  await client.end();
  const environment = { DATABASE_URL: cluster.url('postgres'), PORT: '0', HOST: '127.0.0.1', SHUTDOWN_GRACE: '0' };
  const read = configFromEnvironment(environment);
  if (!read.ok) throw new Error(read.problems.join(', '));
  const server = await startServer({ definition, hooks: {}, config: read.config, log: pino({ level: 'silent' }) });
  await compareAll(`${server.url}/api/event`);
  agent.destroy();
  await server.stop();
} finally {
  await cluster.stop();
}

async function compareAll(events: string): Promise<void> {
  console.log(`| lists at once | lists a second | by slug p50 | p99 | transaction p50 | p99 | busy |`);
  console.log('|--:|--:|--:|--:|--:|--:|--:|');
  for (const crowd of CROWDS) {
    const end = performance.now() + seconds * 1000;
    const lists = Array.from({ length: crowd }, () => repeat('GET', events, end));
    const [slugs, notes, ...crowded] = await Promise.all([
      repeat('GET', `${events}/event-17`, end),
      repeat('POST', `${events}/event-17/notes`, end),
      ...lists,
    ]);
    const listed = crowded.flatMap(({ times }) => times).length / seconds;
    const busy = [slugs, notes, ...crowded].reduce((sum, each) => sum + each.busy, 0);
    const figures = [slugs, notes].flatMap(({ times }) => [at(times, 0.5), at(times, 0.99)]);
    const cells = [crowd, listed.toFixed(1), ...figures.map((figure) => figure.toFixed(1)), busy];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

interface Repeated {
  /** Of the good answers, in milliseconds. */
  readonly times: readonly number[];
  /** How many were told to come later. */
  readonly busy: number;
}

async function repeat(method: string, url: string, end: number): Promise<Repeated> {
  const times: number[] = [];
  let busy = 0;
  while (performance.now() < end) {
    const start = performance.now();
    const status = await statusOf(method, url);
    if (status === 503) busy++;
    else if (status >= 300) throw new Error(`${method} ${url}: ${status}`);
    else times.push(performance.now() - start);
  }
  return { times, busy };
}

function statusOf(method: string, url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end();
  });
}

function at(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
