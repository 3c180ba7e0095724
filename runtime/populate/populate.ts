/**
 * Runs a populator: its blocks in order, each record followed by those inside it, all in one transaction. Afterwards
 * every row is there, or none is. The same seed and clock give the same rows on every machine, as long as the database
 * begins with the same ones.
 */

import { createHash } from 'node:crypto';
import type { Faker } from '@faker-js/faker';
import type pg from 'pg';
import { LONGEST_PASSWORD } from '../../compiler/definition/contract/validators.ts';
import type { Definition, Field, Model, Populator, Reference } from '../../compiler/definition/definition.ts';
import { modelIn } from '../../compiler/definition/lookup.ts';
import { WITHOUT_REACTIONS } from '../../compiler/definition/work.ts';
import type { FilesConfig } from '../config/config.ts';
import { emptyScope } from '../expressions/scope.ts';
import { openStore } from '../files/open-store.ts';
import type { FileStore } from '../files/store.ts';
import type { HookModules } from '../hooks/hook-code.ts';
import { configsFor } from '../query/connections/driver.ts';
import { connectPrimary } from '../query/connections/primary.ts';
import { settleClient } from '../query/database-release.ts';
import { dayOf } from '../values/moment.ts';
import { hashPasswordWith, isTooLongForPassword, SALT_BYTES } from '../values/password.ts';
import { type Block, blocksOf, isBackward, modelsOf, originOf, tableOrder, withInner } from './blocks.ts';
import type { Choices, Ids } from './candidates.ts';
import { type ColumnTools, columnsOf } from './columns.ts';
import { candidatesOf, type Sources } from './field-candidates.ts';
import { type FieldValues, fieldValues } from './field-values.ts';
import { PopulateError } from './populate-error.ts';
import { type Iteration, type PopulatorTools, populatorEnvironment } from './populator-environment.ts';
import { progressOf, type Report } from './progress.ts';
import { beginningOf, randomFrom } from './random.ts';
import { type NextRow, rowsOf } from './rows.ts';
import { sampleFiles } from './sample-files.ts';
import { Sink } from './sink.ts';
import { remembered, type StartingState, startingState } from './starting-state.ts';
import { shapesFrom } from './texts.ts';
import { uniquesIn, type Walks, walksOver } from './uniqueness.ts';

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

// ── Run ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

// The blocks of a populator, compiled once, and then all their records in order.

interface Run {
  /** Makes all records, and yields where there is something to wait for. */
  rows(sink: Sink): Iterable<Promise<unknown>>;
  /** The records until now will be there before those that follow. */
  settle(): void;
}

interface CompiledBlock {
  readonly block: Block;
  readonly nextRow: NextRow;
  readonly iteration: Iteration;
  readonly children: readonly CompiledBlock[];
  /** Whether it refers to a record whose table is filled after its own. */
  readonly isBackward: boolean;
}

async function runOf(definition: Definition, blocks: readonly Block[], options: RunOptions): Promise<Run> {
  const { state } = options;
  const ids: Ids[] = [];
  const firsts = new Map<string, number>();
  for (const model of modelsOf(blocks)) {
    ids.push(await state.ids(model));
    firsts.set(model.name, await state.first(model));
  }
  const tools = await toolsOf(definition, blocks, options, firsts);
  const compiled: CompiledBlock[] = [];
  for (const block of blocks) compiled.push(await compiledBlock(block, tools, state, definition));
  const settle = (): void => {
    for (const one of ids) one.settle();
  };
  return { rows: (sink) => rowsOfBlocks(compiled, sink), settle };
}

function* rowsOfBlocks(blocks: readonly CompiledBlock[], sink: Sink): Generator<Promise<unknown>> {
  for (const block of blocks) yield* rowsOfBlock(block, sink);
}

function* rowsOfBlock(compiled: CompiledBlock, sink: Sink): Generator<Promise<unknown>> {
  const { block, nextRow, iteration, children } = compiled;
  const { start } = block.populate.repeat;
  iteration.total = block.count;
  for (let index = 0; index < block.count; index++) {
    iteration.current = start + index;
    if (compiled.isBackward) yield sink.flush();
    const row = nextRow();
    const wait = row instanceof Promise ? row.then((line) => add(sink, block, line)) : add(sink, block, row);
    if (wait) yield wait;
    if (children.length > 0) yield* rowsOfBlocks(children, sink);
  }
}

function add(sink: Sink, block: Block, line: string): Promise<void> | undefined {
  return sink.add(block, line) ? sink.turn() : undefined;
}

async function compiledBlock(
  block: Block,
  tools: RunTools,
  state: StartingState,
  definition: Definition,
): Promise<CompiledBlock> {
  const ids = await state.ids(block.model);
  const columns = await columnsOf(block, ids, tools);
  const nextRow = rowsOf(block, columns, await tools.uniques.sharedBy(block), ids, tools.scope);
  const children: CompiledBlock[] = [];
  for (const child of block.children) children.push(await compiledBlock(child, tools, state, definition));
  const { name } = block.populate.repeat;
  const iteration = name === null ? { current: 0, total: 0 } : tools.iteration(name);
  return { block, nextRow, iteration, children, isBackward: refersBackward(block, definition) };
}

/**
 * Whether the block refers backward to a record that the program names; random references choose only among settled
 * ones.
 */
function refersBackward(block: Block, definition: Definition): boolean {
  const order = tableOrder(definition);
  return block.model.references.some(({ field, to }) => {
    const origin = originOf(block, block.model.fields.find(({ name }) => name === field) as Field);
    const isNamed = origin.kind === 'parent' || (origin.kind === 'set' && origin.value.kind !== 'literal');
    return isNamed && isBackward(order, block.model.name, to);
  });
}

// ── Tools of a run ───────────────────────────────────────────────────────────────────────────────────────────────────

// The tools that compile the blocks of one run: one Faker, one random source, and what several blocks share.

interface RunOptions {
  readonly state: StartingState;
  readonly seed: number;
  readonly clock: number;
  readonly hooks: HookModules;
  /** Where the bytes of files are kept. */
  readonly store: FileStore | null;
}

type RunTools = ColumnTools & { readonly iteration: (name: string) => Iteration };

async function toolsOf(
  definition: Definition,
  blocks: readonly Block[],
  { state, seed, clock, hooks, store }: RunOptions,
  firsts: ReadonlyMap<string, number>,
): Promise<RunTools> {
  const random = randomFrom(`${seed}`);
  const faker = await seededFaker(seed, clock);
  const iterations = new Map<string, Iteration>();
  const iteration = (name: string) => remembered(iterations, name, () => ({ current: 0, total: 0 }));
  const passwordHash = seededPasswords(seed);
  const populator: PopulatorTools = { definition, faker, random, clock, hooks, passwordHash, iteration };
  const repeating = populatorEnvironment(populator, true);
  const distinct = populatorEnvironment(populator, false);
  const scope = emptyScope();
  const sources = sourcesOf(populator, seed, firsts, distinct.enumValues);
  const all = withInner(blocks);
  const isSet = (model: Model, { name }: Field) =>
    all.some((block) => block.model === model && block.populate.values.some(({ field }) => field === name));
  const values = new Map<string, Promise<FieldValues>>();
  const walks = new Map<string, Walks>();
  return {
    scope,
    random,
    uniques: uniquesIn(all, state),
    iteration,
    environment: (mayRepeat) => (mayRepeat ? repeating : distinct),
    candidates: ({ model }, field) => candidatesOf(model, field, sources),
    values: ({ model }, field, candidates, isNumbered) =>
      remembered(values, `${model.name}.${field.name} ${isNumbered}`, async () => {
        const draw = await fieldValues(candidates, isNumbered, {
          model,
          field,
          environment: distinct,
          state,
          random,
          scope,
          isSetElsewhere: isSet(model, field),
        });
        return field.file && !field.type.nullable ? sampleFiles(field.file, draw, store) : draw;
      }),
    targets: ({ model }, reference) => targetsOf(model, reference, definition, state),
    walks: ({ model }, { fields, walked }, members) =>
      remembered(walks, [model.name, ...fields, ...walked].join(' '), () => walksOver(members, random)),
  };
}

async function targetsOf(
  model: Model,
  { to }: Reference,
  definition: Definition,
  state: StartingState,
): Promise<Choices> {
  const target = modelIn(definition, to) as Model;
  return (await state.ids(target)).choices(isBackward(tableOrder(definition), model.name, to));
}

/** The password of everyone, where the populator sets none. */
const PASSWORD = 'password';

/** `firsts` are the numbers of the first ids of this run, which no other run has had. */
function sourcesOf(
  { definition, faker, random, clock, passwordHash }: PopulatorTools,
  seed: number,
  firsts: ReadonlyMap<string, number>,
  enumValues: Sources['enumValues'],
): Sources {
  const { auth } = definition;
  return {
    shapes: shapesFrom(faker, random),
    random,
    clock,
    enumValues,
    seedOf: (model, field) => `${seed} ${model.table}.${field.column} ${firsts.get(model.name)}`,
    isPasswordHash: (model, field) => auth?.model === model.name && auth.password?.hash === field.name,
    passwordHash: () => passwordHash(PASSWORD),
  };
}

// ── Seeded faker ─────────────────────────────────────────────────────────────────────────────────────────────────────

// Faker, loaded only when a populator runs. Each run has one of its own, so that two of them do not disturb each other.

export async function seededFaker(seed: number, clock: number): Promise<Faker> {
  // The locale alone loads in a tenth of the time of all of them.
  const { faker } = await import('@faker-js/faker/locale/en');
  const Own = faker.constructor as new (options: ConstructorParameters<typeof Faker>[0]) => Faker;
  const own = new Own({ locale: faker.rawDefinitions, seed });
  own.setDefaultRefDate(new Date(clock));
  return own;
}

// ── Seeded password ──────────────────────────────────────────────────────────────────────────────────────────────────

// Hashes of passwords as `values/password.ts` verifies them, with a salt that follows from the seed.

/** The size of the cache: a million users with a handful of passwords cost a handful of hashes. */
const REMEMBERED = 1024;

function seededPasswords(seed: number): (password: string) => string {
  const known = new Map<string, string>();
  return (password) => {
    const found = known.get(password);
    if (found !== undefined) return found;
    const hash = seededHash(password, seed);
    if (known.size < REMEMBERED) known.set(password, hash);
    return hash;
  };
}

function seededHash(password: string, seed: number): string {
  if (isTooLongForPassword(password)) throw new Error(`a password has at most ${LONGEST_PASSWORD} bytes`);
  const text = password.normalize('NFC');
  const salt = createHash('sha256').update(`${seed}\0${text}`).digest().subarray(0, SALT_BYTES);
  return hashPasswordWith(salt, text);
}
