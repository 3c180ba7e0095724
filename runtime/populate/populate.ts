/**
 * Runs a populator: its blocks in order, each record followed by those inside it, all in one transaction. Afterwards
 * every row is there, or none is. The same seed and clock give the same rows on every machine, as long as the database
 * begins with the same ones.
 */
import type pg from 'pg';
import type { Definition, Model, Populator } from '../../compiler/definition/definition.ts';
import { WITHOUT_REACTIONS } from '../../compiler/definition/work.ts';
import type { FilesConfig } from '../config/config.ts';
import { openStore } from '../files/open-store.ts';
import type { HookModules } from '../hooks/hook-code.ts';
import { configsFor } from '../query/connections/driver.ts';
import { connectPrimary } from '../query/connections/primary.ts';
import { settleClient } from '../query/database-release.ts';
import { dayOf } from '../values/moment.ts';
import { type Block, blocksOf, modelsOf, tableOrder, withInner } from './blocks.ts';
import { PopulateError } from './populate-error.ts';
import { progressOf, type Report } from './progress.ts';
import { beginningOf } from './random.ts';
import { type Run, runOf } from './run.ts';
import { Sink } from './sink.ts';
import { startingState } from './starting-state.ts';

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
  const blocks = blocksOf(populatorOf(definition, populatorName), definition, scale);
  const models = modelsOf(blocks);
  await withTransaction(options.databaseUrl, async (client) => {
    const state = startingState(client, seed);
    await state.lock(models);
    const store = files && (await openStore(files));
    const run = await runOf(definition, blocks, { state, seed, clock, hooks, store });
    const total = withInner(blocks).reduce((sum, block) => sum + block.total, 0);
    await sendRows(client, run, definition, progressOf(total, report));
    await state.advanceSequences(models);
  });
  const tables = tablesOf(definition, blocks);
  return {
    rows: tables.reduce((sum, table) => sum + table.rows, 0),
    tables,
    seconds: (performance.now() - start) / 1000,
  };
}

function populatorOf({ populators }: Definition, name: string): Populator {
  const found = populators.find((populator) => populator.name === name);
  if (found) return found;
  const known = populators.map((populator) => `\`${populator.name}\``).join(', ');
  throw new PopulateError(`there is no populator \`${name}\`${known === '' ? '' : `; there is ${known}`}`);
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

/** In milliseconds. */
const CONNECT_TIMEOUT = 10_000;

async function withTransaction(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const config = { application_name: 'kiln populate', connectionTimeoutMillis: CONNECT_TIMEOUT };
  const client = await connectPrimary(configsFor(url, config));
  try {
    await settleClient(client);
    await client.query(`BEGIN; ${WITHOUT_REACTIONS}`);
    await work(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}
