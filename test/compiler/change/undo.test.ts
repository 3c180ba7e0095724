import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { problemsBetween } from '../../../compiler/change/problems.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { type MigrationStep, statementsOf, type UndoneStep } from '../../../compiler/definition/migration.ts';
import { releaseBetween, undoBetween } from '../../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { type CaseFile, caseFiles } from '../../support/case-file.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { runSteps } from '../../support/run-steps.ts';
import { isSlow, itInBoth, seedsOf } from '../../support/slow.ts';
import { definitionOf } from '../emit-sql-database.ts';
import { evolve, firstWorld } from './evolve.ts';
import { OldSession } from './old-session.ts';
import { Random } from './random.ts';
import { RowsInUse } from './rows-in-use.ts';
import { expectSchemaOf } from './schema-after.ts';
import { sourceOf } from './world.ts';
import { addRows, expectRows } from './world-rows.ts';

/** KILN_CHAINS=1000 for more of them, KILN_FIRST_SEED=5000 for others, KILN_SEED=17 for the one that failed. */
const [CHAINS, FIRST_SEED] = seedsOf('KILN_CHAINS', { quick: 12, all: 40 });
const SEED = process.env.KILN_SEED;

describe('what takes a release back', () => {
  before(() => loadGrammar());

  describe('leaves the database and the rows of the previous release, after each of the steps', () => {
    for (const testCase of caseFiles(join(import.meta.dirname, '../migrations'))) {
      itInBoth(testCase.name, async function () {
        const [previous, next] = [definitionIn(testCase, 'before'), definitionIn(testCase, 'after')];
        if (problemsBetween(previous, next).length > 0) return this.skip();
        const { client } = await databaseWithSchema(schemaSql(schemaFromDefinition(previous)));
        await client.query(testCase.files.get('rows.sql') ?? '');
        const { steps, contract } = releaseBetween(previous, next);
        const undo = undoBetween(previous, next);
        expect(undo).to.have.length(steps.length);
        for (const done of steps.keys()) {
          // Some of the steps and the last one, unless there is time for each.
          if (!isSlow && (steps.length - 1 - done) % 5 > 0) continue;
          const before = await rowsOf(client, previous);
          await runSteps(client, steps.slice(0, done + 1));
          await runSteps(client, undoOf(undo, done + 1));
          await expectSchemaOf(client, previous, `after ${done + 1} steps`);
          await expectNothingKept(client);
          const isInPlace = undo.slice(0, done + 1).some(({ remains }) => remains !== undefined);
          if (!isInPlace) expect(await rowsOf(client, previous)).to.deep.equal(before);
        }
        await runSteps(client, [...steps, ...contract]);
        await expectSchemaOf(client, next);
      });
    }
  });

  itInBoth('lets servers of the previous release work on, and the release can be brought again', async function () {
    this.timeout(0);
    const seeds = SEED === undefined ? [...Array(CHAINS).keys()].map((at) => FIRST_SEED + at) : [Number(SEED)];
    for (const seed of seeds) await takeBack(seed);
  });

  it('says which values it leaves as they are', () => {
    const remains = (before: string, after: string) => [
      ...new Set(undoBetween(programOf(before), programOf(after)).flatMap((step) => step.remains ?? [])),
    ];
    const before = 'model User { field email { type string }  field note { type string, nullable } }';
    expect(
      remains(before, before.replace('email { type string', 'email { type string, normalise { lower }')),
    ).to.deep.equal(['values of "email" in "user" stay normalised']);
    expect(remains(before, before.replace('nullable', 'backfill "none"'))).to.deep.equal([
      'rows of "user" that had no value in "note" keep the one that the `backfill` gave them',
    ]);
    expect(
      remains(before, before.replace(' } }', ' }  field size { type integer, backfill length(email) } }')),
    ).to.deep.equal([]);
  });

  it('stops where somebody has written to a new table', async () => {
    const [previous, next] = ['model Post {}', 'model Post {}  model Note { field text { type string } }'].map(
      programOf,
    ) as [Definition, Definition];
    const { client } = await databaseWithSchema(schemaSql(schemaFromDefinition(previous)));
    await runSteps(client, releaseBetween(previous, next).steps);
    await client.query(`INSERT INTO note (text) VALUES ('kept')`);
    const undo = undoOf(undoBetween(previous, next), releaseBetween(previous, next).steps.length);
    expect(await failureOf(runSteps(client, undo))).to.include(
      '"note", which is to be dropped again, has records: 1 record',
    );
    await client.query('DELETE FROM note');
    await runSteps(client, undo);
    await expectSchemaOf(client, previous);
  });

  it('stops where records have a value of an enum that it takes out of use, and adds the value again later', async () => {
    const model = 'model Post { field state { type State, default "on" }  field states { type [State], default [] } }';
    const [previous, next] = [`enum State { on  off }  ${model}`, `enum State { on  broken  off }  ${model}`].map(
      programOf,
    ) as [Definition, Definition];
    const { client } = await databaseWithSchema(schemaSql(schemaFromDefinition(previous)));
    const { steps } = releaseBetween(previous, next);
    const undo = undoOf(undoBetween(previous, next), steps.length);
    // Every row is read before anything is locked.
    const [check, ...others] = undo.map((step) => statementsOf(step).map(({ says, hazards }) => ({ says, hazards })));
    expect(check).to.deep.equal([
      {
        says: 'make sure that no record has the value "broken" of "state"',
        hazards: [
          { kind: 'scan', table: 'post', blocks: 'nothing' },
          { kind: 'may-fail', why: 'records may have the value "broken" of "state"' },
        ],
      },
    ]);
    expect(others.flat().filter(({ hazards }) => hazards.some(({ kind }) => kind === 'scan'))).to.deep.equal([]);
    for (const [column, value, none] of [
      ['state', 'broken', 'on'],
      ['states', '{broken}', '{}'],
    ]) {
      await runSteps(client, steps);
      await client.query(`INSERT INTO post (${column}) VALUES ('${value}')`);
      expect(await failureOf(runSteps(client, undo))).to.include(
        `records still have the value "broken" of "state", which is to be removed again, in "${column}" of "post": 1 record`,
      );
      await client.query(`UPDATE post SET ${column} = '${none}'`);
      await runSteps(client, undo);
      await expectSchemaOf(client, previous);
    }
    await runSteps(client, steps);
    await expectSchemaOf(client, next);
  });
});

/** From some step of a release, with a session of the previous release that reads and writes all the time. */
async function takeBack(seed: number): Promise<void> {
  const random = new Random(seed);
  const world = firstWorld(random);
  const previous = programOf(sourceOf(world));
  const { client, url } = await databaseWithSchema(schemaSql(schemaFromDefinition(previous)));
  await addRows(client, world, previous, random);
  const source = sourceOf(world);
  evolve(world, random);
  const next = programOf(sourceOf(world));
  const { steps, contract } = releaseBetween(previous, next);
  const done = 1 + random.below(steps.length);
  const hint = `KILN_SEED=${seed}, after ${done} of ${steps.length} steps\n${source}\n// ── became ──\n${sourceOf(world)}`;
  const inUse = await RowsInUse.of(client, hint);
  const run = (some: readonly MigrationStep[], meanwhile?: () => Promise<void>) =>
    runSteps(client, some, meanwhile, (work, statements) => inUse.expectNotReadUnderLock(work, statements));
  const old = await OldSession.open(url, previous, next, hint);
  try {
    const before = await rowsOf(client, previous);
    await run(steps.slice(0, done), () => old.useNext());
    const undo = undoBetween(previous, next);
    await run(undoOf(undo, done), () => old.useNext());
    await old.useAll();
    await expectSchemaOf(client, previous, hint);
    await expectNothingKept(client);
    const isInPlace = undo.slice(0, done).some(({ remains }) => remains !== undefined);
    if (!isInPlace) expect(await rowsOf(client, previous), hint).to.deep.equal(before);
    await run(steps, () => old.useNext());
    await run(contract);
  } catch (cause) {
    throw new Error(`${(cause as Error).message}\n${hint}`, { cause });
  } finally {
    await old.end();
  }
  await inUse.expectNotRewritten();
  await expectSchemaOf(client, next, hint);
  await expectRows(client, world, next, hint);
}

/** The last step that was done comes first. */
function undoOf(undo: readonly UndoneStep[], done: number): readonly MigrationStep[] {
  return undo
    .slice(0, done)
    .toReversed()
    .flatMap(({ steps }) => steps);
}

function programOf(text: string): Definition {
  return definitionOf([{ path: 'main.kiln', text }]);
}

function definitionIn({ sources }: CaseFile, name: string): Definition {
  return definitionOf(sources.filter(({ path }) => path === `${name}.kiln`));
}

/** By the names of columns, because a column that comes back is behind the others. */
async function rowsOf(client: pg.Client, definition: Definition): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const { name, primaryKey } of schemaFromDefinition(definition).tables) {
    const { rows } = await client.query(`SELECT to_jsonb(r) AS row FROM "${name}" r ORDER BY ${primaryKey.columns}`);
    found.push(name, ...rows.map(({ row }) => row));
  }
  return found;
}

async function expectNothingKept(client: pg.Client): Promise<void> {
  // The schema of the previous release stays, with nothing in it.
  const { rows } = await client.query(`
    SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname LIKE 'kiln%'
    UNION ALL
    SELECT nspname, proname FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace WHERE nspname LIKE 'kiln%'`);
  expect(rows).to.deep.equal([]);
}

function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'nothing has failed',
    (error: Error) => error.message,
  );
}
