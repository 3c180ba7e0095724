/** Carries out the steps of a migration plainly: one after the other, without retries, and a few rows at a time. */
import type pg from 'pg';
import type { MigrationStep } from '../../compiler/definition/migration.ts';

/** Small, so that a test with a few rows has several turns. */
const ROWS_AT_A_TIME = 2;
const MOST_TURNS = 1000;

/** Runs the statements of a transaction, and may look at what they do. */
type Within = (run: () => Promise<void>, statements: readonly string[]) => Promise<void>;

/** `meanwhile` is what others do after each step. */
export async function runSteps(
  client: pg.Client,
  steps: readonly MigrationStep[],
  meanwhile: () => Promise<void> = async () => undefined,
  within: Within = (run) => run(),
): Promise<void> {
  for (const step of steps) {
    await runStep(client, step, within);
    await meanwhile();
  }
}

async function runStep(client: pg.Client, step: MigrationStep, within: Within): Promise<void> {
  switch (step.kind) {
    case 'transaction':
      return runTransaction(
        client,
        step.statements.map(({ sql }) => sql),
        within,
      );
    case 'index':
      await run(client, step.statement.sql);
      return;
    case 'backfill':
      return runBackfill(client, step);
  }
}

async function runTransaction(client: pg.Client, statements: readonly string[], within: Within): Promise<void> {
  await client.query('BEGIN');
  try {
    await within(async () => {
      for (const sql of statements) await run(client, sql);
    }, statements);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

type Backfill = Extract<MigrationStep, { kind: 'backfill' }>;

async function runBackfill(client: pg.Client, { pending, statement, idType }: Backfill): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const rows = await run(client, pending, [
      ROWS_AT_A_TIME,
      idType === 'uuid' ? '00000000-0000-0000-0000-000000000000' : '-1',
    ]);
    if (rows.length === 0) return;
    await run(client, statement.sql, [rows.map(({ id }) => id)]);
  }
  throw new Error(`there is no end to ${statement.sql}`);
}

async function run(client: pg.Client, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql, values);
    return rows;
  } catch (cause) {
    throw new Error(`${(cause as Error).message}\n${sql}`, { cause });
  }
}
