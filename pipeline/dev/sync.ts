/**
 * Brings a development database to what the sources say now. Data is kept where the change allows it; where it does
 * not, nothing is touched before somebody has agreed.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type ChangeProblem, problemsBetween } from '../../compiler/change/problems.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Endpoint } from '../../compiler/definition/endpoint.ts';
import { isLive } from '../../compiler/definition/live.ts';
import {
  COMPATIBILITY_SCHEMAS,
  compatibilitySuffix,
  type MigrationStatement,
  type MigrationStep,
  type ReleaseChain,
  statementsOf,
} from '../../compiler/definition/migration.ts';
import { WITHDRAWN_VALUE } from '../../compiler/definition/schema.ts';
import { quotedName } from '../../compiler/definition/sql/sql.ts';
import { migrationFrom } from '../../compiler/emit/migration/release-between.ts';
import { schemaInParts } from '../../compiler/emit/sql/schema-sql.ts';
import { storageFingerprint } from '../../compiler/schema/fingerprint.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { migrate } from '../../runtime/migrate/migrate.ts';
import { settleClient } from '../../runtime/query/database-release.ts';
import { DatabaseRefusal, withClient } from '../database/connect.ts';
import { isEmptyDatabase, refuseMisfits } from '../database/tables.ts';
import { DuplicatesRefusal, duplicatesAgainst } from './duplicates.ts';

export type SyncResult =
  | { readonly kind: 'created' }
  | { readonly kind: 'unchanged' }
  /** The changes that were made, in a few words each. */
  | { readonly kind: 'changed'; readonly says: readonly string[] };

/** The facts to know before data may be lost. */
export interface Loss {
  readonly problems: readonly ChangeProblem[];
  /** Whether everything has to go, because the rows that exist cannot be kept. */
  readonly isEverything: boolean;
}

/** `sources-changed`: they have to be compiled again. `unanswered`: there was nobody to ask. */
export type Decision = 'delete' | 'sources-changed' | 'cancelled' | 'unanswered';

type Decide = (loss: Loss) => Promise<Decision>;

/** Data would be lost, and nobody has agreed to that. Nothing was changed. */
export class SyncRefusal extends DatabaseRefusal {
  readonly decision: Exclude<Decision, 'delete'>;

  constructor(decision: Exclude<Decision, 'delete'>) {
    super('the change would lose data');
    this.decision = decision;
  }
}

export async function syncDatabase(url: string, definition: Definition, decide: Decide): Promise<SyncResult> {
  return withClient(url, async (client) => {
    // Two that start at once: the second one waits, and finds what the first has done.
    await takeLock(client);
    const result = await synced(client, url, definition, decide);
    if (result.kind !== 'unchanged') await tellOfChange(client);
    return result;
  });
}

async function synced(client: pg.Client, url: string, definition: Definition, decide: Decide): Promise<SyncResult> {
  const history = await readDevHistory(client);
  if (history === undefined) return create(client, url, definition);
  await carryOutOrWithdraw(client, url, history);
  if (isStoredAlike(history, definition)) return { kind: 'unchanged' };
  return change(client, url, history, definition, decide);
}

/** Any number that nothing else uses. */
const LOCK = 7_515_361_202;
const PAUSE_MS = 50;

/** Takes the lock by repeated attempts: a waiting statement would block the other process's index builds. */
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [LOCK]);
    if (rows[0]?.taken) return;
    await pause(PAUSE_MS);
  }
}

/** Whether the rows that exist, and the jobs that wait, are those of the definition as they are. */
function isStoredAlike({ releases, definition: before }: DevHistory, definition: Definition): boolean {
  const jobsOf = ({ jobs = [] }: Definition) => jobs.map(({ name }) => name).sort();
  const isSame = jobsOf(before).join() === jobsOf(definition).join();
  return isSame && releases.at(-1)?.fingerprint === storageFingerprint(definition);
}

/** Lists the changes that `syncDatabase` would make, in a few words each; empty where the database fits. */
export function pendingChanges(url: string, definition: Definition): Promise<readonly string[]> {
  return withClient(url, async (client) => {
    const history = await readDevHistory(client);
    if (!history || isStoredAlike(history, definition)) return [];
    return migrationFrom(history.definition, definition).says;
  });
}

async function create(client: pg.Client, url: string, definition: Definition): Promise<SyncResult> {
  await refuseOthers(client);
  const history = grownHistory([], definition, []);
  await addDevRelease(client, history);
  try {
    await carryOut(client, url, history);
  } catch (error) {
    // The tables of many models are made in several transactions. The next turn goes on with them.
    if (!(await hasTables(client))) await forget(client);
    throw error;
  }
  return { kind: 'created' };
}

async function tablesIn(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

async function hasTables(client: pg.Client): Promise<boolean> {
  return (await tablesIn(client).catch(() => [])).length > 0;
}

async function refuseOthers(client: pg.Client): Promise<void> {
  const tables = await tablesIn(client);
  if (tables.length === 0) return;
  await forget(client);
  if (tables.includes('kiln_releases')) {
    throw new DatabaseRefusal(
      'the database is brought up to date by releases; use `kiln migrate`, or another database for development',
    );
  }
  throw new DatabaseRefusal(
    `the database has tables that were not made here, such as \`${tables[0]}\`; use an empty one, or empty it with \`kiln db reset\``,
  );
}

async function forget(client: pg.Client): Promise<void> {
  await client.query(`DROP SCHEMA IF EXISTS ${HISTORY_SCHEMA} CASCADE`);
}

async function change(
  client: pg.Client,
  url: string,
  history: DevHistory,
  definition: Definition,
  decide: Decide,
): Promise<SyncResult> {
  const problems = lossesBetween(history.definition, definition);
  if (problems.length > 0) {
    const wanted = withDrops(definition, problems);
    const unkept = lossesBetween(history.definition, wanted);
    const known = new Set(problems.map(keyOf));
    const all = [...problems, ...unkept.filter((problem) => !known.has(keyOf(problem)))];
    const loss = { problems: all, isEverything: unkept.length > 0 };
    const decision = await decide(loss);
    if (decision !== 'delete') throw new SyncRefusal(decision);
    if (!loss.isEverything) return apply(client, url, history, definition, wanted);
    await emptyDatabase(client);
    await readDevHistory(client);
    return create(client, url, definition);
  }
  return apply(client, url, history, definition, definition);
}

function keyOf({ code, path }: ChangeProblem): string {
  return `${code} ${path}`;
}

/** The problems without those of jobs: those that wait in a development database are removed without a question. */
function lossesBetween(previous: Definition, next: Definition): readonly ChangeProblem[] {
  return problemsBetween(previous, next).filter(
    ({ path, code }) => !path.startsWith('jobs.') && code !== 'job-disappeared',
  );
}

/** `wanted` says what becomes of everything; `definition` is what is remembered. */
async function apply(
  client: pg.Client,
  url: string,
  history: DevHistory,
  definition: Definition,
  wanted: Definition,
): Promise<SyncResult> {
  const duplicates = await duplicatesAgainst(client, history.definition, definition);
  if (duplicates) throw new DuplicatesRefusal(duplicates);
  const { steps, says } = migrationFrom(history.definition, wanted);
  const grown = grownHistory(history.releases, definition, steps.map(withValuesAhead));
  await addDevRelease(client, grown);
  await carryOutOrWithdraw(client, url, grown);
  return { kind: 'changed', says };
}

/** Deletes all tables, rows and the history. Applications in other schemas of the database are left alone. */
export async function emptyDatabase(client: pg.Client): Promise<void> {
  const schema = (await settleClient(client)) ?? 'public';
  // Releases that work side by side have a separate schema with what the older one needs.
  const kept = (await compatibilitySchemas(client, schema)).map((name) => `DROP SCHEMA ${name} CASCADE`);
  const own = quotedName(schema);
  // The history goes first: the tables that are left without it have no owner, and can be emptied again.
  await client.query([`DROP SCHEMA IF EXISTS ${HISTORY_SCHEMA} CASCADE`, ...kept].join(';'));
  await client.query(`DROP SCHEMA ${own} CASCADE; CREATE SCHEMA ${own}`);
}

async function compatibilitySchemas(client: pg.Client, schema: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT nspname AS name FROM pg_namespace WHERE nspname ~ $1 ORDER BY 1',
    [COMPATIBILITY_SCHEMAS],
  );
  const names = rows.map(({ name }) => name);
  return names.filter((name) => name.replace(/^kiln_[0-9a-f]{12}/, '') === compatibilitySuffix(schema));
}

async function carryOutOrWithdraw(client: pg.Client, url: string, history: DevHistory): Promise<void> {
  try {
    await carryOut(client, url, history);
  } catch (error) {
    await withdrawDevRelease(client, history);
    throw error;
  }
  await forgetOldDefinitions(client, history);
}

/** What fails leaves nothing half done, so that the sources of before fit again. */
async function carryOut(client: pg.Client, url: string, history: DevHistory): Promise<void> {
  const undo = await addValues(client, history.releases.at(-1)?.steps.flatMap(statementsOf) ?? []);
  const options = { databaseUrl: url, isAtOnce: undo !== undefined, report: () => undefined };
  const result = await migrate(devChain(history), options);
  if (result.kind === 'done') return;
  for (const sql of undo ?? []) await client.query(sql);
  const details = result.details.map((detail) => `\n  ${detail}`).join('');
  throw new DatabaseRefusal(
    `the database cannot be updated to match the sources: ${result.message}${details}\n\`kiln db reset\` deletes all rows and creates the tables again.`,
  );
}

const ADDS_VALUE = /^ALTER TYPE (.*) ADD VALUE (?:IF NOT EXISTS )?('(?:[^']|'')*')/;

/** They are added ahead of their step, which has to find them then. */
function withValuesAhead(step: MigrationStep): MigrationStep {
  const ahead = ({ sql, ...rest }: MigrationStatement) => ({
    ...rest,
    sql: sql.replace(ADDS_VALUE, 'ALTER TYPE $1 ADD VALUE IF NOT EXISTS $2'),
  });
  return step.kind === 'transaction' ? { ...step, statements: step.statements.map(ahead) } : step;
}

/**
 * Adds the new values of enums: no transaction can use those that it adds itself. Gives the statements that take them out
 * of use again. Nothing where one needs what the change does before, such as a new name of its enum.
 */
async function addValues(client: pg.Client, statements: readonly MigrationStatement[]) {
  const undo: string[] = [];
  try {
    for (const { sql } of statements) {
      const [, type, value] = ADDS_VALUE.exec(sql) ?? [];
      if (type === undefined) continue;
      await client.query(sql);
      undo.push(`ALTER TYPE ${type} RENAME VALUE ${value} TO '${WITHDRAWN_VALUE}${randomUUID()}'`);
    }
    return undo;
  } catch {
    for (const sql of undo) await client.query(sql);
    return undefined;
  }
}

// ── With drops ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The same definition, but with everything that disappeared said to be dropped. */
function withDrops(definition: Definition, problems: readonly ChangeProblem[]): Definition {
  const models = problems.flatMap((problem) => (problem.code === 'model-disappeared' ? [problem.facts.model] : []));
  const membersOf = (model: string) =>
    problems.flatMap((problem) =>
      problem.code === 'member-disappeared' && problem.facts.model === model ? [problem.facts.member] : [],
    );
  const valuesOf = (name: string) =>
    problems.flatMap((problem) =>
      problem.code === 'value-disappeared' && problem.facts.enum === name ? [problem.facts.value] : [],
    );
  return {
    ...definition,
    droppedModels: [...definition.droppedModels, ...models],
    models: definition.models.map((model) => ({ ...model, drops: [...model.drops, ...membersOf(model.name)] })),
    enums: definition.enums.map((type) => ({ ...type, drops: [...type.drops, ...valuesOf(type.name)] })),
  };
}

// ── Rows ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** How many records there are, by model. */
export function countRows(url: string, { models }: Definition): Promise<ReadonlyMap<string, number>> {
  return withClient(url, async (client) => {
    const counts = new Map<string, number>();
    for (const { name, table } of models) {
      const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${client.escapeIdentifier(table)}`);
      counts.set(name, Number(rows[0]?.count));
    }
    return counts;
  });
}

export async function hasRows(url: string, definition: Definition): Promise<boolean> {
  return [...(await countRows(url, definition)).values()].some((count) => count > 0);
}

// ── Prepare tables ───────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * An empty database becomes a development database, which `kiln dev` can go on with; any other must fit as it is. True
 * where the tables were made now.
 */
export async function prepareTables(url: string, definition: Definition): Promise<boolean> {
  const isEmpty = await isEmptyDatabase(url);
  const isNew = isEmpty && (await syncDatabase(url, definition, async () => 'unanswered')).kind === 'created';
  await refuseMisfits(url, definition);
  return isNew;
}

// ── Database news ────────────────────────────────────────────────────────────────────────────────────────────────────

// The notifications among the processes that work on one development database. `kiln db sync` and `kiln db reset`
// announce a change, and `kiln dev`, which may run beside them, follows it.

const CHANNEL = 'kiln_development';

/** A process does not hear what it has said itself. */
const OWN_NAME = randomUUID();

async function tellOfChange(client: pg.Client): Promise<void> {
  await client.query('SELECT pg_notify($1, $2)', [CHANNEL, OWN_NAME]);
}

const AGAIN_MS = 1000;

/** Calls `onChange` after every change by another process. Gives a function that ends it. */
export function hearOfChanges(url: string, onChange: () => void): () => Promise<void> {
  let isOver = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  const again = (): void => {
    if (!isOver) timer ??= setTimeout(() => void listen(), AGAIN_MS).unref();
  };
  const listen = async (): Promise<void> => {
    timer = undefined;
    const connecting = new pg.Client({ connectionString: url, application_name: 'kiln dev' });
    client = connecting;
    // A connection that breaks is made again; what matters is only that one is there in the end.
    connecting.on('error', () => undefined);
    connecting.on('end', again);
    connecting.on('notification', ({ payload }) => {
      if (payload !== OWN_NAME) onChange();
    });
    await connecting
      .connect()
      .then(() => connecting.query(`LISTEN ${CHANNEL}`))
      .catch(() =>
        connecting
          .end()
          .catch(() => undefined)
          .finally(again),
      );
  };
  void listen();
  return async () => {
    isOver = true;
    clearTimeout(timer);
    await client?.end().catch(() => undefined);
  };
}

// ── History ──────────────────────────────────────────────────────────────────────────────────────────────────────────

// The history of a development database, kept in the database itself: the steps of every release that it was brought to,
// and the definition of the last one. So a change of the sources is a migration like any other, and the same job carries
// it out. Older definitions are not kept: an edit costs the same after a thousand others.

export interface DevRelease {
  readonly revision: string;
  readonly fingerprint: string;
  readonly steps: readonly MigrationStep[];
}

export interface DevHistory {
  /** Oldest first, one at least. */
  readonly releases: readonly DevRelease[];
  /** The definition of the last release: at least the part that is stored. */
  readonly definition: Definition;
}

/** The schema of the history. It is separate, so that the application's schema stays as empty as it is. */
export const HISTORY_SCHEMA = 'kiln_history';

const TABLE = `
  CREATE SCHEMA IF NOT EXISTS ${HISTORY_SCHEMA};
  CREATE TABLE IF NOT EXISTS ${HISTORY_SCHEMA}.releases (
    position integer PRIMARY KEY, revision text NOT NULL, fingerprint text NOT NULL, definition text, steps text NOT NULL)`;

interface Row extends Omit<DevRelease, 'steps'> {
  readonly steps: string;
  readonly definition: string | null;
}

/** Reads the history; undefined where there is none yet. */
export async function readDevHistory(client: pg.Client): Promise<DevHistory | undefined> {
  await client.query(TABLE);
  const { rows } = await client.query<Row>(
    `SELECT revision, fingerprint, steps, definition FROM ${HISTORY_SCHEMA}.releases ORDER BY position`,
  );
  const definition = rows.at(-1)?.definition;
  const releases = rows.map((row) => ({ ...row, steps: JSON.parse(row.steps) as readonly MigrationStep[] }));
  return definition ? { releases, definition: JSON.parse(definition) } : undefined;
}

/** Adds a release. The same definition may come again, so its position is part of the release's name. */
export function grownHistory(
  before: readonly DevRelease[],
  definition: Definition,
  steps: readonly MigrationStep[],
): DevHistory {
  const fingerprint = storageFingerprint(definition);
  const revision = `dev-${before.length + 1}-${fingerprint.slice(0, 12)}`;
  return { releases: [...before, { revision, fingerprint, steps }], definition };
}

/** Leaves out what stores nothing: endpoints are most of a definition, and few of them make indexes, tables or triggers. */
export function storedPart(definition: Definition): Definition {
  const isSearched = ({ response }: Endpoint) => response.kind === 'list' && response.searchable !== undefined;
  const isStored = (endpoint: Endpoint) => isSearched(endpoint) || isLive(endpoint) || endpoint.signed !== undefined;
  const endpoints = definition.endpoints.filter(isStored);
  return { ...definition, entrypoints: [], endpoints, serializable: [], populators: [], generators: [] };
}

/** Records the last release. The definition before it stays until this one is carried out. */
export async function addDevRelease(client: pg.Client, { releases, definition }: DevHistory): Promise<void> {
  const { revision, fingerprint, steps } = releases.at(-1) as DevRelease;
  await client.query(
    `INSERT INTO ${HISTORY_SCHEMA}.releases (position, revision, fingerprint, definition, steps)
     VALUES ($1, $2, $3, $4, $5)`,
    [releases.length, revision, fingerprint, JSON.stringify(storedPart(definition)), JSON.stringify(steps)],
  );
}

/** Forgets the last one, where nothing of it was carried out. The first one is made again. */
async function withdrawDevRelease(client: pg.Client, { releases }: DevHistory): Promise<void> {
  if (releases.length === 1) return;
  await client.query(
    `DELETE FROM ${HISTORY_SCHEMA}.releases WHERE position = $1
       AND NOT EXISTS (SELECT 1 FROM kiln_releases WHERE position = $1)
       AND NOT EXISTS (SELECT 1 FROM kiln_release_progress WHERE position = $1)`,
    [releases.length],
  );
}

/** Deletes the definitions of releases before the last one, once that is applied. */
async function forgetOldDefinitions(client: pg.Client, { releases }: DevHistory): Promise<void> {
  await client.query(`UPDATE ${HISTORY_SCHEMA}.releases SET definition = NULL WHERE position < $1`, [releases.length]);
}

export function devChain({ releases, definition }: DevHistory): ReleaseChain {
  return { version: 1, releases, ...schemaInParts(schemaFromDefinition(definition)) };
}
