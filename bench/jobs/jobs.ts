/**
 * What jobs cost and how fast they are: `npm run bench:jobs [-- --seconds 5 --clients 16 --jobs 20000 --rows 1000000]`. A
 * create that runs a job against a plain create, jobs that do nothing, the time from a request to the start of its job,
 * and claims where there are many jobs that wait and many that are due later.
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
import { claimJobs } from '../../runtime/jobs/job-table.ts';
import { connectionFrom } from '../../runtime/query/database.ts';
import { type StartedServer, startServer } from '../../runtime/serve.ts';
import { startCluster } from '../api/cluster.ts';

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
model Mark { field sent { type timestamp }, field begun { type timestamp } }
job Nothing { input post { type integer } action { } }
job Begin { input sent { type timestamp } action { create Mark { set sent sent, set begun now() } } }
api {
  entrypoint Post as post {
    create endpoint { response { id } }
    POST many "run" { extra inputs { field title { type string } } action { create Post as made { set title title } run Nothing { post: made.id } } }
    POST many "begin" { action { run Begin { sent: now() } } }
  }
}`;

await loadGrammar();
const cluster = await startCluster(undefined);
const { definition, diagnostics } = compile([{ path: 'main.kiln', text: PROGRAM }], () => undefined);
if (!definition) throw new Error(JSON.stringify(diagnostics));
const url = cluster.url('postgres');
const client = new pg.Client(url);
try {
  await client.connect();
  await client.query(schemaSql(schemaFromDefinition(definition)));
  console.log('| | |\n|---|--:|');
  await during(0, measureCreates);
  await during(5, measureNothing);
  await during(5, measureBegin);
  await measureClaims();
} finally {
  await client.end();
  await cluster.stop();
}

function say(what: string, figure: string): void {
  console.log(`| ${what} | ${figure} |`);
}

async function during(count: number, measure: (server: StartedServer) => Promise<void>): Promise<void> {
  await client.query('TRUNCATE kiln_jobs, post, mark');
  const environment = { DATABASE_URL: url, PORT: '0', HOST: '127.0.0.1', SHUTDOWN_GRACE: '0', JOBS: String(count) };
  const result = configFromEnvironment(environment);
  if (!result.ok || !definition) throw new Error('the configuration is not complete');
  const server = await startServer({ definition, hooks: {}, config: result.config, log: pino({ level: 'silent' }) });
  await measure(server);
  await server.stop();
}

/** A second each, so that what else runs on the machine slows both of them. */
async function measureCreates({ port }: StartedServer): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const counts = { '/api/post': 0, '/api/post/run': 0 };
  const paths = ['/api/post', '/api/post/run'] as const;
  for (const path of paths) await load(agent, port, path);
  for (let second = 0; second < seconds; second++)
    for (const path of paths) counts[path] += await load(agent, port, path);
  agent.destroy();
  const [plain, running] = paths.map((path) => counts[path] / seconds) as [number, number];
  say('create, per second', plain.toFixed(0));
  say('create with `run`, per second', running.toFixed(0));
  say('ratio', (running / plain).toFixed(2));
}

async function load(agent: Agent, port: number, path: string): Promise<number> {
  const end = performance.now() + 1000;
  let count = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      await post(agent, port, path, '{"title":"a title"}');
      count++;
    }
  };
  await Promise.all(Array.from({ length: clients }, one));
  return count;
}

function post(agent: Agent, port: number, path: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, port, path, method: 'POST', headers }, (response) => {
      response
        .resume()
        .once('end', () =>
          (response.statusCode as number) < 300 ? resolve() : reject(new Error(`status ${response.statusCode}`)),
        );
    });
    sent.once('error', reject).end(body);
  });
}

async function measureNothing(): Promise<void> {
  await client.query(
    `INSERT INTO kiln_jobs (kind, input) SELECT 'Nothing(post integer)', '{"post":1}' FROM generate_series(1, ${jobs})`,
  );
  const start = performance.now();
  await emptied();
  say('jobs that do nothing, per second', ((jobs / (performance.now() - start)) * 1000).toFixed(0));
}

async function emptied(): Promise<void> {
  const isEmpty = async () => (await client.query('SELECT FROM kiln_jobs LIMIT 1')).rowCount === 0;
  while (!(await isEmpty())) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function measureBegin({ port }: StartedServer): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let at = 0; at < 300; at++) {
    await post(agent, port, '/api/post/begin', '{}');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  agent.destroy();
  await emptied();
  const { rows: found } = await client.query(
    `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM begun - sent) * 1000) AS ms FROM mark`,
  );
  say('from the request to the start of its job, ms, median', Number(found[0].ms).toFixed(1));
}

async function measureClaims(): Promise<void> {
  await client.query('TRUNCATE kiln_jobs');
  const fill = (due: string) =>
    client.query(
      `INSERT INTO kiln_jobs (kind, input, due_at) SELECT 'Nothing(post integer)', '{"post":1}', ${due} FROM generate_series(1, ${rows}) AS n`,
    );
  await fill(`now() - n * interval '1 ms'`);
  await fill(`now() + n * interval '1 s'`);
  await client.query('ANALYZE kiln_jobs');
  const times: number[] = [];
  for (let at = 0; at < 1000; at++) {
    const start = performance.now();
    await claimJobs(connectionFrom(client), ['Nothing(post integer)', 'Begin(sent timestamp)'], 5, 'bench');
    times.push(performance.now() - start);
  }
  times.sort((one, two) => one - two);
  say(`claim with ${rows} waiting and ${rows} later, ms, median`, (times[500] as number).toFixed(1));
  say(`claim with ${rows} waiting and ${rows} later, ms, 99th`, (times[990] as number).toFixed(1));
}
