/**
 * Runs a populator: its blocks in order, each record followed by those inside it, all in one transaction. Afterwards
 * every row is there, or none is. The same seed and clock give the same rows on every machine, as long as the database
 * begins with the same ones.
 */
import pg from 'pg';
import type { Definition, Model, Populator } from '../../compiler/definition/definition.ts';
import { quotedName } from '../../compiler/definition/sql/names.ts';
import { WITHOUT_REACTIONS } from '../../compiler/definition/work.ts';
import type { FilesConfig } from '../config/config.ts';
import { openStore } from '../files/open-store.ts';
import type { HookModules } from '../hooks/hook-code.ts';
import { settleClient } from '../query/database-release.ts';
import { dayOf } from '../values/moment.ts';
import { type Block, blocksOf, tableOrder, withInner } from './blocks.ts';
import { PopulateError } from './populate-error.ts';
import { progressOf, type Report } from './progress.ts';
import { beginningOf } from './random.ts';
import { type Run, runOf } from './run.ts';
import { Sink } from './sink.ts';
import { StartingState } from './starting-state.ts';

export interface PopulateOptions {
  readonly databaseUrl: string;
  /** 1 unless said otherwise. */
  readonly seed?: number;
  /** The day that `now()` is the beginning of, in UTC: today unless said otherwise. */
  readonly clock?: string;
  /** The factor for the repeats of the outermost blocks. A single record stays the only one. */
  readonly scale?: number;
  readonly report?: Report;
  /** The code of validators and values that are hooks. */
  readonly hooks?: HookModules;
  /** Where the bytes of files are kept. */
  readonly files?: FilesConfig | null;
}

export interface PopulateResult {
  readonly rows: number;
  /** The tables, in the order in which they were filled. */
  readonly tables: readonly { readonly model: string; readonly table: string; readonly rows: number }[];
  readonly seconds: number;
}

export async function populate(
  definition: Definition,
  populatorName: string,
  options: PopulateOptions,
): Promise<PopulateResult> {
  const {
    seed = 1,
    clock: day = dayOf(new Date()),
    scale = 1,
    report = () => undefined,
    hooks = {},
    files = null,
  } = options;
  if (!(scale > 0 && Number.isFinite(scale))) throw new PopulateError(`the scale is a number above 0, not ${scale}`);
  if (!Number.isSafeInteger(seed)) throw new PopulateError(`the seed is a whole number, not ${seed}`);
  const clock = beginningOf(day);
  if (clock === undefined) throw new PopulateError(`the clock is a day such as 2026-01-01, not ${day}`);
  const start = performance.now();
  const plan = {
    definition,
    populator: populatorOf(definition, populatorName),
    seed,
    clock,
    scale,
    hooks,
    files,
    report,
  };
  const blocks = await filled(options.databaseUrl, plan);
  const tables = tablesOf(definition, blocks);
  return {
    rows: tables.reduce((sum, table) => sum + table.rows, 0),
    tables,
    seconds: (performance.now() - start) / 1000,
  };
}

interface Plan extends Required<Omit<PopulateOptions, 'databaseUrl' | 'clock'>> {
  readonly clock: number;
  readonly definition: Definition;
  readonly populator: Populator;
}

/** Fills the tables. If Postgres finds an error among all rows, the same rows are made again with a check of each. */
async function filled(url: string, plan: Plan): Promise<readonly Block[]> {
  try {
    return await withTransaction(url, (client) => fill(client, plan, true));
  } catch (error) {
    if (!(error instanceof BuildFailure)) throw error;
    return withTransaction(url, (client) => fill(client, plan, false));
  }
}

async function fill(client: pg.Client, plan: Plan, mayStrip: boolean): Promise<readonly Block[]> {
  const { definition, populator, seed, clock, scale, hooks, files, report } = plan;
  const blocks = blocksOf(populator, definition, scale);
  const models = modelsOf(blocks);
  const state = new StartingState(client, seed);
  await state.lock(models);
  const run = await runOf(definition, blocks, { state, seed, clock, hooks, store: files && (await openStore(files)) });
  const rebuild = mayStrip ? await stripLarge(client, blocks, state) : async () => undefined;
  const total = withInner(blocks).reduce((sum, block) => sum + block.total, 0);
  await sendRows(client, run, definition, progressOf(total, report));
  await rebuild();
  await state.advanceSequences(models);
  return blocks;
}

async function stripLarge(
  client: pg.Client,
  blocks: readonly Block[],
  state: StartingState,
): Promise<() => Promise<void>> {
  const empty: Model[] = [];
  for (const model of modelsOf(blocks)) if (await state.isEmpty(model)) empty.push(model);
  const all = withInner(blocks);
  const rowsOf = (model: Model) => all.reduce((sum, block) => sum + (block.model === model ? block.total : 0), 0);
  const large = empty.filter((model) => rowsOf(model) >= MANY_ROWS);
  return strip(
    client,
    large,
    empty.map(({ table }) => table),
  );
}

function populatorOf({ populators }: Definition, name: string): Populator {
  const found = populators.find((populator) => populator.name === name);
  if (found) return found;
  const known = populators.map((populator) => `\`${populator.name}\``).join(', ');
  throw new PopulateError(`there is no populator \`${name}\`${known === '' ? '' : `; there is ${known}`}`);
}

function modelsOf(blocks: readonly Block[]): readonly Model[] {
  return [...new Set(withInner(blocks).map(({ model }) => model))];
}

function tablesOf(definition: Definition, blocks: readonly Block[]): PopulateResult['tables'] {
  const all = withInner(blocks);
  const rowsOf = (model: Model) => all.reduce((sum, block) => sum + (block.model === model ? block.made : 0), 0);
  const tables = tableOrder(definition).map((model) => ({
    model: model.name,
    table: model.table,
    rows: rowsOf(model),
  }));
  return tables.filter(({ rows }) => rows > 0);
}

async function sendRows(
  client: pg.Client,
  run: Run,
  definition: Definition,
  told: (table: string, rows: number) => void,
): Promise<void> {
  const sink = new Sink(client, tableOrder(definition), {
    frozen: run.settle,
    stored: ({ table }, rows) => told(table, rows),
  });
  try {
    for (const wait of run.rows(sink)) await wait;
    await sink.finish();
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

async function withTransaction<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'kiln populate' });
  // A connection that breaks is seen by what uses it.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await settleClient(client);
    await client.query(`BEGIN; ${WITHOUT_REACTIONS}`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

// ── Bare tables ──────────────────────────────────────────────────────────────────────────────────────────────────────

// Empty tables that get many rows are filled without their uniques, indexes and foreign keys, which are built at the
// end, in the same transaction: a sort of all rows costs a fraction of an insert into an index for each. The ids keep
// their key. Names and definitions are afterwards what they were.

/** Fewer rows are in before the indexes are gone. */
const MANY_ROWS = 10_000;

/** Building failed: a value comes twice, or leads nowhere. Postgres does not say in which row. */
class BuildFailure extends Error {
  override readonly name = 'BuildFailure';
}

/**
 * Removes the parts, and returns the statements that build them again. `emptyTables` are those that nobody can be
 * reading.
 */
async function strip(
  client: pg.Client,
  models: readonly Model[],
  emptyTables: readonly string[],
): Promise<() => Promise<void>> {
  const tables = models.map(({ table }) => table);
  if (tables.length === 0) return async () => undefined;
  const constraints = await partsFrom(client, CONSTRAINTS, [tables, emptyTables]);
  const indexes = await partsFrom(client, INDEXES, [tables]);
  const parts = [...constraints, ...indexes];
  for (const { drop } of parts) await client.query(drop);
  return async () => {
    await client.query(`SET LOCAL maintenance_work_mem = '256MB'`);
    for (const { build } of parts) await built(client, build);
  };
}

async function built(client: pg.Client, sql: string): Promise<void> {
  try {
    await client.query(sql);
  } catch (cause) {
    throw new BuildFailure('building constraints and indexes', { cause });
  }
}

/** The tables that belong to us, in the schema of unqualified names. */
const OWN = `c.oid = any (SELECT to_regclass(quote_ident(t)) FROM unnest($1::text[]) t) AND pg_has_role(c.relowner, 'USAGE')`;

/** Uniques first: they are wanted soonest. A foreign key goes only where nobody reads what it leads to. */
const CONSTRAINTS = `
  SELECT c.relname AS table, k.conname AS name, pg_get_constraintdef(k.oid) AS definition
  FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid LEFT JOIN pg_class f ON f.oid = k.confrelid
  WHERE ${OWN} AND k.convalidated
    AND (k.contype = 'u' OR (k.contype = 'f' AND pg_has_role(f.relowner, 'USAGE')
      AND f.oid = any (SELECT to_regclass(quote_ident(t)) FROM unnest($2::text[]) t)))
  ORDER BY k.contype DESC, c.relname, k.conname`;

const INDEXES = `
  SELECT i.relname AS index, pg_get_indexdef(i.oid) AS definition
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
  WHERE ${OWN} AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.oid AND k.contype <> 'f')
  ORDER BY i.relname`;

interface Found {
  readonly table?: string;
  readonly name?: string;
  readonly index?: string;
  readonly definition: string;
}

async function partsFrom(client: pg.Client, sql: string, values: readonly (readonly string[])[]) {
  const { rows } = await client.query<Found>(sql, [...values]);
  return rows.map(({ table = '', name = '', index, definition }) =>
    index === undefined
      ? {
          drop: `ALTER TABLE ${quotedName(table)} DROP CONSTRAINT ${quotedName(name)}`,
          build: `ALTER TABLE ${quotedName(table)} ADD CONSTRAINT ${quotedName(name)} ${definition}`,
        }
      : { drop: `DROP INDEX ${quotedName(index)}`, build: definition },
  );
}
