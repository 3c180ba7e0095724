/**
 * What rules that hold in parallel cost: `npm run bench:rules [-- --seconds 5 --clients 16]`. An endpoint counts the
 * bookings of a room and makes one more. In one program the count is a rule, so it runs at SERIALIZABLE; in the other it
 * is only shown, so the same statements run at READ COMMITTED. The same for a plain create, which in the first program
 * writes what the rule reads.
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
import { type StartedServer, startServer } from '../../runtime/serve.ts';
import { type Cluster, startCluster } from '../api/cluster.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    clients: { type: 'string', default: '16' },
    only: { type: 'string', default: '' },
  },
});
const seconds = Number(options.seconds);
const clients = Number(options.clients);

const ROOMS = 10_000;

const program = (ends: string) => `
model Room { field name { type string }, relation bookings { from Booking, through room } }
model Booking { reference room { to Room } }
api {
  entrypoint Room as room {
    POST one "book" { action { query as taken { from room.bookings, count } ${ends} } }
    entrypoint bookings { create endpoint { response { id } } }
  }
}`;

const RULE = 'validate with key "room" { max(taken, 1000000000) } create Booking { set room room }';
const SHOWN = 'create Booking { set room room } respond { body taken }';

const SCENES = [
  ['count and create, 10,000 rooms', 'book', ROOMS],
  ['count and create, 100 rooms', 'book', 100],
  ['count and create, one room', 'book', 1],
  ['create, 10,000 rooms', 'bookings', ROOMS],
  ['create, one room', 'bookings', 1],
] as const;

interface Measured {
  readonly perSecond: number;
  readonly median: number;
  readonly worst: number;
  readonly failed: number;
}

await loadGrammar();
const cluster = await startCluster(undefined);
try {
  const serializable = await serving(cluster, 'serializable', RULE);
  const committed = await serving(cluster, 'committed', SHOWN);
  console.log(
    '| | READ COMMITTED, per second | ms, median / 99th | SERIALIZABLE, per second | ms, median / 99th | ratio |',
  );
  console.log('|---|--:|--:|--:|--:|--:|');
  for (const [what, path, rooms] of SCENES.filter(([name]) => name.includes(options.only))) {
    const [before, after] = await inTurns(committed, serializable, path, rooms);
    const ratio = (after.perSecond / before.perSecond).toFixed(2);
    console.log(`| ${what} | ${cells(before)} | ${cells(after)} | ${ratio} |`);
  }
  await Promise.all([serializable, committed].map(({ server }) => server.stop()));
} finally {
  await cluster.stop();
}

function cells({ perSecond, median, worst, failed }: Measured): string {
  const times = `${perSecond.toFixed(0)} | ${median.toFixed(1)} / ${worst.toFixed(1)}`;
  return failed === 0 ? times : `${times}, failed ${failed}`;
}

interface Serving {
  readonly server: StartedServer;
  readonly url: string;
}

async function serving({ url }: Cluster, name: string, ends: string): Promise<Serving> {
  const { definition } = compile([{ path: 'main.kiln', text: program(ends) }], () => undefined);
  if (!definition) throw new Error('the program has errors');
  await withClient(url('postgres'), (client) => client.query(`CREATE DATABASE ${name}`));
  await withClient(url(name), async (client) => {
    await client.query(schemaSql(schemaFromDefinition(definition)));
    await client.query(`INSERT INTO room (name) SELECT 'r' || n FROM generate_series(1, ${ROOMS}) n`);
  });
  const result = configFromEnvironment({ DATABASE_URL: url(name), PORT: '0', HOST: '127.0.0.1', SHUTDOWN_GRACE: '0' });
  if (!result.ok) throw new Error('the configuration is not complete');
  const log = pino({ level: 'silent' });
  const server = await startServer({ definition, hooks: {}, config: result.config, log });
  return { server, url: url(name) };
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await work(client);
  await client.end();
}

/** A second each, so that what else runs on the machine slows both of them. */
async function inTurns(one: Serving, two: Serving, path: string, rooms: number): Promise<[Measured, Measured]> {
  for (const { url } of [one, two]) await refill(url);
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const round = (serving: Serving) => load(agent, serving.server.port, path, rooms);
  await round(one);
  await round(two);
  const asked: [Asked[], Asked[]] = [[], []];
  for (let second = 0; second < seconds; second++) {
    asked[0].push(...(await round(one)).flat());
    asked[1].push(...(await round(two)).flat());
  }
  agent.destroy();
  return [measuredFrom(asked[0]), measuredFrom(asked[1])];
}

function refill(url: string): Promise<void> {
  const fill = `INSERT INTO booking (room_id) SELECT 1 + n % ${ROOMS} FROM generate_series(1, ${ROOMS * 5}) n`;
  return withClient(url, (client) => client.query(`TRUNCATE booking; ${fill}; ANALYZE`));
}

function measuredFrom(asked: readonly Asked[]): Measured {
  const sorted = asked.map(({ time }) => time).sort((one, two) => one - two);
  const failed = asked.filter(({ status }) => status >= 400).length;
  return {
    perSecond: (asked.length - failed) / seconds,
    median: sorted[Math.floor(sorted.length / 2)] ?? 0,
    worst: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    failed,
  };
}

interface Asked {
  readonly status: number;
  readonly time: number;
}

function load(agent: Agent, port: number, path: string, rooms: number): Promise<readonly Asked[][]> {
  const end = performance.now() + 1000;
  return Promise.all(Array.from({ length: clients }, () => client(agent, port, path, rooms, end)));
}

async function client(agent: Agent, port: number, path: string, rooms: number, end: number): Promise<Asked[]> {
  const asked: Asked[] = [];
  while (performance.now() < end) {
    const start = performance.now();
    const room = 1 + Math.floor(Math.random() * rooms);
    const status = await post(agent, port, `/api/room/${room}/${path}`);
    asked.push({ status, time: performance.now() - start });
  }
  return asked;
}

function post(agent: Agent, port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ agent, host: '127.0.0.1', port, path, method: 'POST' }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });
}
