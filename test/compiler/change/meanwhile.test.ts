import { expect } from 'chai';
import type pg from 'pg';
import { migrationFrom } from '../../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { runSteps } from '../../support/run-steps.ts';
import { definitionOf } from '../emit-sql-database.ts';
import { expectSchemaOf } from './schema-after.ts';

const BEFORE = 'model Post { field title { type string }  field note { type string, nullable } }';

/** The previous release serves until the next one takes over, and writes rows while it is migrated. */
describe('rows that come while a migration runs', () => {
  before(() => loadGrammar());

  it('are filled like those that were there, until they are refused', async () => {
    const { refused, rows } = await migratedInUse(`
      model Post {
        field title { type string }
        field note { type string, backfill "note on " + slug }
        field slug { type string, backfill lower(title) }
        field first { type string, backfill "first " + slug }
      }`);
    expect(rows.length).to.be.greaterThan(3);
    expect(refused).to.not.equal(0);
    for (const { title, slug, note, first } of rows) {
      expect([slug, note, first]).to.deep.equal([title?.toLowerCase(), `note on ${slug}`, `first ${slug}`]);
    }
  });

  it('are never refused where the column has a default', async () => {
    const { refused, rows } = await migratedInUse(`
      model Post {
        field title { type string }
        field note { type string, nullable }
        field slug { type string, default "none", backfill lower(title) }
        field rank { type integer, default 3 }
      }`);
    expect(refused).to.equal(0);
    expect(rows.slice(0, 2).map(({ slug }) => slug)).to.deep.equal(['a', 'b']);
    expect(rows.slice(2).every(({ slug }) => slug === 'none')).to.equal(true);
  });
});

async function migratedInUse(after: string): Promise<{ refused: number; rows: Record<string, string>[] }> {
  const [previous, next] = [BEFORE, after].map((text) => definitionOf([{ path: 'main.kiln', text }]));
  if (!previous || !next) throw new Error('two programs are two definitions');
  const { client } = await databaseWithSchema(schemaSql(schemaFromDefinition(previous)));
  await client.query(`INSERT INTO post (title) VALUES ('A'), ('B')`);
  let refused = 0;
  await runSteps(client, migrationFrom(previous, next).steps, async () => {
    refused += await refusalsOf(client, `INSERT INTO post (title) VALUES ('C')`);
  });
  await expectSchemaOf(client, next);
  const { rows } = await client.query<Record<string, string>>('SELECT * FROM post ORDER BY id');
  return { refused, rows };
}

/** 0 or 1. Only the lack of a value may be the reason. */
async function refusalsOf(client: pg.Client, sql: string): Promise<number> {
  try {
    await client.query(sql);
    return 0;
  } catch (error) {
    expect((error as pg.DatabaseError).code).to.be.oneOf(['23514', '23502']);
    return 1;
  }
}
