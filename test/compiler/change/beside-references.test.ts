import { expect } from 'chai';
import pg from 'pg';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { compatibilitySchema } from '../../../compiler/definition/migration.ts';
import { releaseBetween } from '../../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { runSteps } from '../../support/run-steps.ts';
import { definitionOf } from '../emit-sql-database.ts';
import { expectSchemaOf } from './schema-after.ts';

const USER = 'model User { field name { type string } relation posts { from Post, through owner } }';
const BEFORE = `${USER}
  model Post {
    field number { type integer }
    reference owner { to User }
    reference editor { to User, nullable }
  }`;

const INSERT = 'INSERT INTO post (number, owner_id) VALUES (7, 2)';

/** An owner need not have such a post. */
const SECOND = 'query second { from owner.posts as post, filter { post.number is 2 }, one }';

/** The previous release knows nothing of what a reference is filled with, and goes on writing rows without it. */
describe('references with a backfill, beside the previous release', () => {
  before(() => loadGrammar());

  it('are there in every row that it writes', async () => {
    const source = `${USER}
      model Post {
        field number { type integer }
        field owner_name { type string, backfill keeper.name }
        reference owner { to User }
        reference editor { to User, backfill owner }
        query root { from User, filter { name is "root" }, one }
        reference keeper { to User, backfill coalesce(editor, root) }
        reference approver { to User, backfill root }
        reference first { to User, backfill 1 }
      }`;
    const { client, next, contract, refusal } = await released(source, async (old) => {
      await old.query(INSERT);
      await old.query('UPDATE post SET editor_id = NULL, number = number + 1');
    });
    expect(refusal).to.equal(null);
    await runSteps(client, contract);
    await expectSchemaOf(client, next);
    const { rows } = await client.query(
      `SELECT owner_id::int AS owner, editor_id::int AS editor, keeper_id::int AS keeper, approver_id::int AS approver,
         first_id::int AS first, owner_name AS name, count(*)::int FROM post GROUP BY 1, 2, 3, 4, 5, 6`,
    );
    expect(rows).to.have.lengthOf(1);
    expect(rows[0]).to.include({ owner: 2, editor: 2, keeper: 2, approver: 1, first: 1, name: 'Anna' });
    expect(rows[0].count).to.be.greaterThan(5);
  });

  for (const [what, editor, query, backfill] of [
    ['a reference that it may leave out until it is gone', 'editor { to User }', '', 'editor'],
    ['a value of such a reference', 'editor { to User }', '', 'editor.id'],
    ['a record that need not be there', 'editor { to User, nullable }', SECOND, 'second.owner'],
  ] as const) {
    it(`are required only when it is gone, if they are filled from ${what}`, async () => {
      const source = `${USER}
        model Post {
          field number { type integer }
          reference owner { to User }
          reference ${editor}
          ${query}
          reference reviewer { to User, backfill ${backfill} }
        }`;
      const { client, next, contract, refusal } = await released(source, async (old) => {
        await old.query(`${INSERT}; DELETE FROM post; INSERT INTO post (number, owner_id, editor_id) VALUES (2, 2, 2)`);
      });
      expect(refusal).to.equal(null);
      await client.query('INSERT INTO post (number, owner_id, editor_id) VALUES (2, 2, 2)');
      await runSteps(client, contract);
      await expectSchemaOf(client, next);
      const { rows } = await client.query('SELECT reviewer_id::int AS reviewer FROM post');
      expect(rows).to.deep.equal([{ reviewer: 2 }, { reviewer: 2 }]);
    });
  }

  for (const [what, backfill] of [
    ['ids that do not exist', 'number'],
    ['no record', 'nobody'],
  ] as const) {
    it(`do not get in its way when the backfill gives ${what}`, async () => {
      const source = `${USER}
        model Post {
          field number { type integer }
          reference owner { to User }
          reference editor { to User, nullable }
          query nobody { from User, filter { name is "nobody" }, one }
          reference author { to User, backfill ${backfill} }
        }`;
      const { refusal } = await released(source, (old) => old.query(INSERT));
      expect(refusal).to.match(/^the `backfill` of "author_id" (gives some rows|finds no record)/);
    });
  }
});

/** The previous release does what `act` says after each step, and once more when all have run or one was refused. */
async function released(after: string, act: (old: pg.Client) => Promise<unknown>) {
  const [previous, next] = [BEFORE, after].map((text) => definitionOf([{ path: 'main.kiln', text }])) as [
    Definition,
    Definition,
  ];
  const { client, url } = await databaseWithSchema(schemaSql(schemaFromDefinition(previous)));
  await client.query(`INSERT INTO "user" (name) VALUES ('root'), ('Anna'); ${INSERT}`);
  const { steps, contract, beside } = releaseBetween(previous, next);
  const old = new pg.Client({ connectionString: url, options: `-c search_path=${compatibilitySchema(beside)},public` });
  await old.connect();
  try {
    const refusal = await runSteps(client, steps, async () => void (await act(old))).then(
      () => null,
      (error: Error) => (error.cause ? (error.cause as Error).message : Promise.reject(error)),
    );
    await act(old);
    return { client, next, contract, refusal };
  } finally {
    await old.end();
  }
}
