/**
 * What a page costs that is far behind: `npm run bench:pages [-- --rows 1000000 --requests 200]`. The same records in the
 * same order, by number and by cursor: the first page, and the 40,000th of 25 records. All of them take turns, so that what
 * else runs on the machine slows all of them. The processor time of Postgres does not depend on that. No parallel
 * workers are used: their time would be lost when they end. Linux only.
 */
import { readdirSync, readFileSync } from 'node:fs';
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
  options: { rows: { type: 'string', default: '1000000' }, requests: { type: 'string', default: '200' } },
});
const rows = Number(options.rows);
const requests = Number(options.requests);

const PAGE_SIZE = 25;
/** How many records are read at once on the way to the last page. */
const STRIDE = 1000;
const LAST_PAGE = Math.floor(rows / PAGE_SIZE);
/** How many requests come before those that count. */
const WARM = 10;
/** A page by number far behind takes so long that few will do. */
const FEW = Math.ceil(requests / 20);

/** Each has an index: one direction, two directions, and a value that may be null. */
const ORDERS = {
  'created_at, id': 'created_at',
  'kind, created_at desc, id': 'kind, created_at desc',
  'sent_at, id': 'sent_at',
};

const lists = Object.values(ORDERS).map(
  (order, at) => `
    GET many "cursor-${at}" { order by { ${order} }, paginable { by cursor, pageSize ${PAGE_SIZE}, max ${STRIDE} } }
    GET many "number-${at}" { order by { ${order} }, paginable { total off, pageSize ${PAGE_SIZE} } }
    GET many "estimated-${at}" { order by { ${order} }, paginable { total estimated, pageSize ${PAGE_SIZE} } }
    GET many "counted-${at}" { order by { ${order} }, paginable { pageSize ${PAGE_SIZE} } }`,
);

const PROGRAM = `
model Event {
  field kind { type string }
  field created_at { type timestamp, index }
  field sent_at { type timestamp, nullable, index }
  field text { type string }
  index { kind, created_at desc }
}
api { entrypoint Event { ${lists.join('')} } }`;

/** Ten events a second, a third of them not sent, of four kinds. */
const FILL = `
  INSERT INTO event (kind, created_at, sent_at, text)
  SELECT
    'kind ' || n % 4, '2026-01-01'::timestamptz + n / 10 * interval '1 second',
    CASE WHEN n % 3 > 0 THEN '2026-01-02'::timestamptz + n / 10 * interval '1 second' END, 'Event ' || n
  FROM generate_series(1, ${rows}) AS n`;

await loadGrammar();
const cluster = await startCluster(undefined);
try {
  const { definition } = compile([{ path: 'main.kiln', text: PROGRAM }], () => undefined);
  if (!definition) throw new Error('the program has errors');
  const client = new pg.Client(cluster.url('postgres'));
  await client.connect();
  await client.query(schemaSql(schemaFromDefinition(definition)));
  await client.query(FILL);
  await client.query('VACUUM ANALYZE event');
  await client.query('ALTER DATABASE postgres SET max_parallel_workers_per_gather = 0');
  await client.end();
  const environment = { DATABASE_URL: cluster.url('postgres'), PORT: '0', HOST: '127.0.0.1', SHUTDOWN_GRACE: '0' };
  const read = configFromEnvironment(environment);
  if (!read.ok) throw new Error(read.problems.join(', '));
  const server = await startServer({ definition, hooks: {}, config: read.config, log: pino({ level: 'silent' }) });
  await compareAll(server.url);
  await server.stop();
} finally {
  await cluster.stop();
}

async function compareAll(url: string): Promise<void> {
  console.log(
    `| ${rows} records, ms | first | page ${LAST_PAGE} | ratio | Postgres's CPU: first | page ${LAST_PAGE} |\n|---|--:|--:|--:|--:|--:|`,
  );
  for (const [at, order] of Object.keys(ORDERS).entries()) {
    const base = `${url}/api/event`;
    const last = await lastCursor(`${base}/cursor-${at}`);
    const [first, far] = await inTurns(`${base}/cursor-${at}`, `${base}/cursor-${at}?after=${last}`, requests);
    console.log(line(`${order}: by cursor`, first, far));
    for (const [what, path] of [
      ['by number, total off', 'number'],
      ['by number, total estimated', 'estimated'],
      ['by number', 'counted'],
    ] as const) {
      const list = `${base}/${path}-${at}`;
      const far = `${list}?page=${LAST_PAGE}`;
      console.log(line(`${order}: ${what}`, ...(await inTurns(list, far, path === 'counted' ? FEW : requests, FEW))));
    }
  }
}

function line(what: string, first: Cost, far: Cost): string {
  const ratio = far.ms / first.ms;
  const times = `${first.ms.toFixed(2)} | ${far.ms.toFixed(2)} | x${ratio.toFixed(ratio < 10 ? 2 : 0)}`;
  return `| ${what} | ${times} | ${first.cpu.toFixed(2)} | ${far.cpu.toFixed(2)} |`;
}

/** Of the last page but one, so that the page behind it is full. */
async function lastCursor(list: string): Promise<string> {
  let after = '';
  for (let left = rows - PAGE_SIZE; left > 0; left -= STRIDE) {
    const { next } = await pageOf(`${list}?pageSize=${Math.min(left, STRIDE)}${after}`);
    after = `&after=${next}`;
  }
  return after.slice('&after='.length);
}

async function pageOf(url: string): Promise<{ readonly next: string | null; readonly data: readonly unknown[] }> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Awaited<ReturnType<typeof pageOf>>;
}

/** Both in milliseconds. */
interface Cost {
  readonly ms: number;
  /** Of all processes of Postgres. */
  readonly cpu: number;
}

/** The medians. `timesFar` is how often the second one is asked for, which may take long. */
async function inTurns(one: string, two: string, times: number, timesFar = times): Promise<[Cost, Cost]> {
  // Postgres plans the first few anew.
  for (let turn = 0; turn < WARM && times > FEW; turn++) await costOf(one);
  for (let turn = 0; turn < WARM && timesFar > FEW; turn++) await costOf(two);
  const costs: [Cost[], Cost[]] = [[], []];
  for (let turn = 0; turn < times; turn++) {
    costs[0].push(await costOf(one));
    if (turn < timesFar) costs[1].push(await costOf(two));
  }
  return [medianOf(costs[0]), medianOf(costs[1])];
}

async function costOf(url: string): Promise<Cost> {
  const before = postgresTime();
  const start = performance.now();
  const { data } = await pageOf(url);
  const ms = performance.now() - start;
  if (data.length !== PAGE_SIZE) throw new Error(`${url} has ${data.length} records`);
  return { ms, cpu: postgresTime() - before };
}

/** Milliseconds of processor time of all that the postmaster has started. */
function postgresTime(): number {
  let nanoseconds = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
      if (Number(rest.split(' ')[1]) !== cluster.pid) continue;
      nanoseconds += Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // It has ended meanwhile.
    }
  }
  return nanoseconds / 1e6;
}

function medianOf(costs: readonly Cost[]): Cost {
  const of = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
  return { ms: of(costs.map(({ ms }) => ms)), cpu: of(costs.map(({ cpu }) => cpu)) };
}
