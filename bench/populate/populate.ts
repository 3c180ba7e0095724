/**
 * Rows by COPY against rows by knex: `tsx bench/populate/populate.ts [--rows 1000000]`. A populator fills one database;
 * then knex's `batchInsert` puts the same rows into a second one, and only its own time counts, not that of reading
 * them. What the populator makes up is in its time.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { populate } from '../../runtime/populate/populate.ts';
import { type Progress, progressBar, progressLine } from '../../runtime/populate/progress.ts';
import { startCluster } from '../api/cluster.ts';

/** As `people.kiln` has it: so many people, in ten teams, for a scale of 1. */
const PEOPLE = 1000;
const PAGE = 10_000;
const CHUNK = 1000;
const WANTED = 5;

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
const rows = Number(values.rows);
if (!Number.isInteger(rows / PEOPLE) || rows <= 0) throw new Error(`--rows takes thousands, not ${values.rows}`);

const definition = await benchDefinition();
const cluster = await startCluster(undefined);
try {
  await createDatabases(['copied', 'inserted'], schemaSql(schemaFromDefinition(definition)));
  const copied = await copy();
  const peak = process.resourceUsage().maxRSS / 1024;
  const inserted = await insert();
  print(copied, inserted, peak);
} finally {
  await cluster.stop();
}

async function benchDefinition(): Promise<Definition> {
  await loadGrammar();
  const text = readFileSync(new URL('./people.kiln', import.meta.url), 'utf8');
  const { definition: compiled } = compile([{ path: 'people.kiln', text }]);
  if (!compiled) throw new Error('bench/populate/people.kiln has errors');
  return compiled;
}

async function createDatabases(names: readonly string[], schema: string): Promise<void> {
  for (const name of names) {
    await run('postgres', `CREATE DATABASE ${name}`);
    await run(name, schema);
  }
}

async function run(database: string, sql: string): Promise<void> {
  const client = new pg.Client(cluster.url(database));
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

/** Rows a second. */
async function copy(): Promise<number> {
  const before = process.cpuUsage();
  const result = await populate(definition, 'Bench', {
    databaseUrl: cluster.url('copied'),
    scale: rows / PEOPLE,
    report: show,
  });
  if (process.stderr.isTTY) process.stderr.write('\n');
  const { user, system } = process.cpuUsage(before);
  console.log(`populate      ${((user + system) / result.rows).toFixed(1)} µs of this process for a row`);
  return result.rows / result.seconds;
}

function show(progress: Progress): void {
  const { isTTY, columns } = process.stderr;
  if (isTTY) process.stderr.write(`\r${progressBar(progress, columns - 1)}\x1b[K`);
  else if (progress.done === progress.total) process.stderr.write(`${progressLine(progress)}\n`);
}

async function insert(): Promise<number> {
  const from = knex({ client: 'pg', connection: cluster.url('copied') });
  const to = knex({ client: 'pg', connection: cluster.url('inserted') });
  try {
    return await to.transaction((transaction) => insertAll(from, transaction));
  } finally {
    await Promise.all([from.destroy(), to.destroy()]);
  }
}

async function insertAll(from: Knex, to: Knex.Transaction): Promise<number> {
  let [count, spent] = [0, 0];
  for (const table of ['team', 'person']) {
    for await (const page of pages(from, table)) {
      const start = performance.now();
      await to.batchInsert(table, page, CHUNK);
      spent += performance.now() - start;
      count += page.length;
    }
  }
  return count / (spent / 1000);
}

async function* pages(from: Knex, table: string): AsyncGenerator<Record<string, unknown>[]> {
  let last: unknown = 0;
  for (;;) {
    const page: Record<string, unknown>[] = await from(table)
      .where('id', '>', last as number)
      .orderBy('id')
      .limit(PAGE);
    if (page.length === 0) return;
    last = page.at(-1)?.id;
    yield page;
  }
}

function print(copied: number, inserted: number, peak: number): void {
  const ratio = copied / inserted;
  const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')} rows/s`;
  console.log(`populate      ${perSecond(copied)}, peak ${Math.round(peak)} MB`);
  console.log(`batchInsert   ${perSecond(inserted)}`);
  console.log(`ratio         ${ratio.toFixed(2)} (at least ${WANTED} wanted)`);
}
