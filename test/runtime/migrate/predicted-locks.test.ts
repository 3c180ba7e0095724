import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { ChangeKind } from '../../../compiler/change/change.ts';
import { changesBetween } from '../../../compiler/change/changes-between.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import type { Hazard, MigrationStatement, MigrationStep } from '../../../compiler/definition/migration.ts';
import { quotedName } from '../../../compiler/definition/sql/sql.ts';
import { migrationFrom, releaseBetween, undoBetween } from '../../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { evolve, firstWorld } from '../../compiler/change/evolve.ts';
import { Random } from '../../compiler/change/random.ts';
import { sourceOf } from '../../compiler/change/world.ts';
import { addRows } from '../../compiler/change/world-rows.ts';
import { definitionOf } from '../../compiler/emit-sql-database.ts';
import { type CaseFile, caseFiles } from '../../support/case-file.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { runSteps } from '../../support/run-steps.ts';
import { itInBoth, seedsOf } from '../../support/slow.ts';
import { type Judgement, KnownRelations, TransactionWatch } from '../../support/transaction-watch.ts';

/** KILN_LOCK_CHAINS=1000 for more of them, KILN_FIRST_SEED=5000 for others. */
const [CHAINS, FIRST_SEED] = seedsOf('KILN_LOCK_CHAINS', { quick: 3, all: 10 });
const RELEASES = 4;

/** A kind that is not here is not known to this test. */
const KINDS: Readonly<Record<ChangeKind, true>> = {
  rename: true,
  'add-enum': true,
  'add-value': true,
  'add-table': true,
  'add-column': true,
  'keep-view': true,
  'check-values': true,
  'check-empty': true,
  'retire-table': true,
  'retire-column': true,
  'retire-enum': true,
  'detach-reference': true,
  'change-nullability': true,
  'change-default': true,
  'normalise-values': true,
  'add-unique': true,
  'drop-unique': true,
  'add-index': true,
  'drop-index': true,
  'add-foreign-key': true,
  'change-foreign-key': true,
  'drop-foreign-key': true,
  'add-reaction': true,
  'retire-reaction': true,
  'rename-jobs': true,
  'drop-jobs': true,
};

const NOTHING = { locks: [], rewrites: [] };

/**
 * What the compiler predicts of a statement is what Postgres does, no more and no less. Every statement is alone in its
 * transaction here, so that none has its locks from one before.
 */
describe('the locks and rewrites of a migration', () => {
  before(() => loadGrammar());
  const cases = caseFiles(join(import.meta.dirname, '../../compiler/migrations'));
  const seen = new Set<ChangeKind>();

  for (const testCase of cases) {
    it(`are those that were predicted: ${testCase.name}`, async () => {
      const [previous, next] = [definitionIn(testCase, 'before'), definitionIn(testCase, 'after')];
      const rows = testCase.files.get('rows.sql') ?? '';
      for (const { kind } of changesBetween(previous, next)) seen.add(kind);
      const { steps, contract } = releaseBetween(previous, next);
      await expectPredicted(await databaseOf(previous, rows), steps, contract);
      await expectPredicted(await databaseOf(previous, rows), migrationFrom(previous, next).steps);
    });
  }

  for (const testCase of cases) {
    it(`are no more than predicted where it is undone: ${testCase.name}`, async () => {
      const [previous, next] = [definitionIn(testCase, 'before'), definitionIn(testCase, 'after')];
      const client = await databaseOf(previous, testCase.files.get('rows.sql') ?? '');
      await runSteps(client, releaseBetween(previous, next).steps);
      const undo = undoBetween(previous, next).toReversed();
      await inTurn(
        client,
        undo.flatMap(({ steps }) => steps),
        expectNoMore,
      );
    });
  }

  it('are looked at for every kind of change', () => {
    expect(Object.keys(KINDS).filter((kind) => !seen.has(kind as ChangeKind))).to.deep.equal([]);
  });

  itInBoth('are those that were predicted, in chains of releases', async function () {
    this.timeout(0);
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CHAINS; seed++) await runChain(seed);
  });
});

function definitionIn({ sources }: CaseFile, name: 'before' | 'after'): Definition {
  return definitionOf(sources.filter(({ path }) => path === `${name}.kiln`));
}

async function databaseOf(definition: Definition, rows = ''): Promise<pg.Client> {
  const { client } = await databaseWithSchema(schemaSql(schemaFromDefinition(definition)));
  await client.query(rows);
  return client;
}

async function runChain(seed: number): Promise<void> {
  const random = new Random(seed);
  const world = firstWorld(random);
  const definitionNow = () => definitionOf([{ path: 'main.kiln', text: sourceOf(world) }]);
  let previous = definitionNow();
  const client = await databaseOf(previous);
  for (let release = 1; release <= RELEASES; release++) {
    await addRows(client, world, previous, random);
    evolve(world, random);
    const next = definitionNow();
    const { steps, contract } = releaseBetween(previous, next);
    await expectPredicted(client, steps, contract).catch((cause: Error) => {
      throw new Error(`KILN_FIRST_SEED=${seed}, release ${release}: ${cause.message}`, { cause });
    });
    previous = next;
  }
}

/** Those of a release, and then those of its contraction: tables that the release has made count there. */
async function expectPredicted(client: pg.Client, ...parts: readonly (readonly MigrationStep[])[]): Promise<void> {
  for (const steps of parts) await inTurn(client, steps, expectExactly);
}

async function inTurn(client: pg.Client, steps: readonly MigrationStep[], expectation: Expectation): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pid = rows[0]?.pid ?? 0;
  const known = await KnownRelations.of(client, 'public');
  for (const step of steps) await runStep({ client, pid, known, expectation }, step);
}

type Expectation = (judgement: Judgement, hint: string) => void;

const expectExactly: Expectation = (judgement, hint) =>
  void expect(judgement, hint).to.deep.equal({ unpredicted: NOTHING, missing: NOTHING });

/** What is dropped if it is there need not be there. */
const expectNoMore: Expectation = ({ unpredicted }, hint) => void expect(unpredicted, hint).to.deep.equal(NOTHING);

interface Watched {
  readonly client: pg.Client;
  readonly pid: number;
  readonly known: KnownRelations;
  readonly expectation: Expectation;
}

async function runStep(watched: Watched, step: MigrationStep): Promise<void> {
  switch (step.kind) {
    case 'transaction':
      for (const statement of step.statements) await runStatement(watched, statement);
      return;
    case 'backfill':
      return runBackfill(watched, step);
    case 'index':
      return buildIndex(watched, step.statement);
  }
}

describe('the comparison of a statement with its prediction', () => {
  const lock = (mode: Extract<Hazard, { kind: 'lock' }>['mode']): Hazard => ({ kind: 'lock', table: 'post', mode });
  const NO_PROBLEM = { unpredicted: NOTHING, missing: NOTHING };

  async function judged(sql: string, ...hazards: readonly Hazard[]): Promise<Judgement | undefined> {
    const { client } = await databaseWithSchema('CREATE TABLE post (id bigint, title text)');
    const judgements: Judgement[] = [];
    const statement = { sql, says: sql, hazards };
    await inTurn(client, [{ kind: 'transaction', statements: [statement] }], (judgement) => judgements.push(judgement));
    return judgements[0];
  }

  it('finds a lock and a rewrite that were not predicted, and a lock that is stronger', async () => {
    const column = 'ALTER TABLE post ADD COLUMN code text';
    const locks = [{ table: 'post', mode: 'ACCESS EXCLUSIVE' }];
    expect((await judged(column))?.unpredicted).to.deep.equal({ locks, rewrites: [] });
    expect((await judged(column, lock('SHARE')))?.unpredicted).to.deep.equal({ locks, rewrites: [] });
    expect(await judged(column, lock('ACCESS EXCLUSIVE'))).to.deep.equal(NO_PROBLEM);
    const rewriting = 'ALTER TABLE post ADD COLUMN code uuid DEFAULT gen_random_uuid()';
    const rewritten = await judged(rewriting, lock('ACCESS EXCLUSIVE'));
    expect(rewritten?.unpredicted).to.deep.equal({ locks: [], rewrites: ['post'] });
  });

  it('finds what was predicted and did not happen', async () => {
    const judgement = await judged('SELECT title FROM post', lock('SHARE'), { kind: 'rewrite', table: 'post' });
    const missing = { locks: [{ table: 'post', mode: 'SHARE' }], rewrites: ['post'] };
    expect(judgement).to.deep.equal({ unpredicted: NOTHING, missing });
  });
});

const FIRST_ID = { bigint: String(-(2n ** 63n)), uuid: '00000000-0000-0000-0000-000000000000' };

async function runBackfill(watched: Watched, step: Extract<MigrationStep, { kind: 'backfill' }>): Promise<void> {
  const { rows } = await watched.client.query<{ id: string }>(step.pending, [1000, FIRST_ID[step.idType]]);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await runStatement(watched, step.statement, [ids]);
}

async function runStatement(watched: Watched, statement: MigrationStatement, values: unknown[] = []): Promise<void> {
  const { client, pid, known, expectation } = watched;
  await client.query('BEGIN');
  const watch = new TransactionWatch(known, new Map());
  await client.query(statement.sql, values);
  const judgement = watch.judge(statement, await known.look(client, pid));
  await client.query('COMMIT');
  expectation(judgement, `${statement.says}\n${statement.sql}`);
}

const IS_WAITING = "SELECT FROM pg_locks WHERE pid = $1 AND locktype = 'virtualxid' AND NOT granted";

/** An index is built in transactions of its own. A session that may write to the table keeps it waiting for a look. */
async function buildIndex({ client, pid, known, expectation }: Watched, statement: MigrationStatement): Promise<void> {
  const [table] = statement.hazards.flatMap((hazard) => (hazard.kind === 'lock' ? [hazard.table] : []));
  const { host, port, user, password, database } = client;
  const holder = new pg.Client({ host, port, user, password, database });
  await holder.connect();
  await holder.query(`BEGIN; LOCK TABLE ${quotedName(table ?? '')} IN ROW EXCLUSIVE MODE`);
  const building = client.query(statement.sql);
  while (!(await holder.query(IS_WAITING, [pid])).rowCount) await sleep(2);
  const judgement = new TransactionWatch(known, new Map()).judge(statement, await known.look(holder, pid));
  await holder.end();
  await building;
  expectation(judgement, `${statement.says}\n${statement.sql}`);
}
