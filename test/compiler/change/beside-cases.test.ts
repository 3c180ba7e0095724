import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { problemsBetween } from '../../../compiler/change/problems.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { compatibilitySchema } from '../../../compiler/definition/migration.ts';
import type { ColumnType } from '../../../compiler/definition/schema.ts';
import { releaseBetween } from '../../../compiler/emit/migration/release-between.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { type CaseFile, caseFiles } from '../../support/case-file.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { runSteps } from '../../support/run-steps.ts';
import { definitionOf } from '../emit-sql-database.ts';
import { expectSchemaOf } from './schema-after.ts';

/** Every case of a migration, once more: now the previous release is served all the time, and is gone at the end. */
describe('migrations beside the previous release', () => {
  before(() => loadGrammar());

  for (const testCase of caseFiles(join(import.meta.dirname, '../migrations'))) {
    it(testCase.name, async function () {
      const [previous, next] = ['before', 'after'].map((name) => definitionIn(testCase, name)) as [
        Definition,
        Definition,
      ];
      if (problemsBetween(previous, next).length > 0) return this.skip();
      const { client, url } = await databaseWithSchema(schemaSql(schemaFromDefinition(previous)));
      await client.query(testCase.files.get('rows.sql') ?? '');
      const { steps, contract, beside } = releaseBetween(previous, next);
      const old = new pg.Client({
        connectionString: url,
        options: `-c search_path=${compatibilitySchema(beside)},public`,
      });
      await old.connect();
      try {
        await runSteps(client, steps, () => expectServed(old, previous));
        await expectServed(old, previous);
        await runSteps(client, contract);
      } finally {
        await old.end();
      }
      await expectSchemaOf(client, next);
      expect(await rowsOf(client, next)).to.equal(
        testCase.expectations.find(({ title }) => title === 'rows')?.text ?? '',
      );
    });
  }
});

function definitionIn({ sources }: CaseFile, name: string): Definition {
  return definitionOf(sources.filter(({ path }) => path === `${name}.kiln`));
}

/** Reads, writes and locks every row by the names and types of the release, and leaves all as it was. */
async function expectServed(old: pg.Client, definition: Definition): Promise<void> {
  for (const { name, columns } of schemaFromDefinition(definition).tables) {
    const all = columns.map((column) => `"${column.name}"`);
    const typed = columns.filter(({ type }) => typeof type !== 'string');
    await old.query('BEGIN');
    await old.query(`SELECT ${all} FROM "${name}" FOR UPDATE`);
    for (const { name: column, type } of typed) {
      const { enum: ofEnum, many } = type as Exclude<ColumnType, string>;
      const isItself = many ? `= "${column}"::"${ofEnum}"[]` : `= ANY (ARRAY["${column}"]::"${ofEnum}"[])`;
      await old.query(`SELECT FROM "${name}" WHERE "${column}" ${isItself}`);
    }
    const { rows } = await old.query(
      `UPDATE "${name}" SET ${all.slice(1).map((column) => `${column} = ${column}`)} RETURNING ${all}`.replace(
        /SET +RETURNING/,
        `SET ${all[0]} = ${all[0]} RETURNING`,
      ),
    );
    if (rows.length > 0) {
      await old
        .query(
          `WITH gone AS (DELETE FROM "${name}" RETURNING ${all}) INSERT INTO "${name}" (${all}) SELECT ${all} FROM gone WHERE false`,
        )
        .catch((error: pg.DatabaseError) => {
          if (error.code !== '23503' && error.code !== '23001') throw error;
        });
    }
    await old.query('ROLLBACK');
  }
}

async function rowsOf(client: pg.Client, definition: Definition): Promise<string> {
  const lines: string[] = [];
  for (const { name, primaryKey } of schemaFromDefinition(definition).tables) {
    const { rows } = await client.query(
      `SELECT row_to_json(r)::text AS row FROM "${name}" r ORDER BY ${primaryKey.columns}`,
    );
    lines.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return lines.join('\n');
}
