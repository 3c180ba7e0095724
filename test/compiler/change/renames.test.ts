import { expect } from 'chai';
import type { Rename } from '../../../compiler/change/change.ts';
import { renames } from '../../../compiler/emit/migration/renames.ts';
import { databaseWithSchema } from '../../support/database-with-schema.ts';
import { runSteps } from '../../support/run-steps.ts';

describe('renames', () => {
  it('give a name only when it is free', async () => {
    const { client } = await databaseWithSchema('CREATE TABLE a (a_id int); CREATE TABLE b (b_id int)');
    await run(client, [table('a', 'b'), table('b', 'c')]);
    expect(await tables(client)).to.deep.equal({ b: ['a_id'], c: ['b_id'] });
  });

  it('go round in circles', async () => {
    const { client } = await databaseWithSchema(
      'CREATE TABLE a (a_id int); CREATE TABLE b (b_id int); CREATE TABLE c (x int, y int); CREATE TABLE d ()',
    );
    await run(client, [
      table('a', 'b'),
      table('b', 'd'),
      table('d', 'a'),
      column('c', 'x', 'y'),
      column('c', 'y', 'x'),
    ]);
    expect(await tables(client)).to.deep.equal({ a: [], b: ['a_id'], c: ['y', 'x'], d: ['b_id'] });
  });
});

function table(from: string, to: string): Rename {
  return { kind: 'rename', of: 'table', from, to, table: from };
}

function column(within: string, from: string, to: string): Rename {
  return { kind: 'rename', of: 'column', table: within, from, to };
}

type Client = Parameters<typeof runSteps>[0];

function run(client: Client, changes: readonly Rename[]): Promise<void> {
  return runSteps(
    client,
    renames(changes).map(({ step }) => step),
  );
}

/** Columns in the order in which they were made. */
async function tables(client: Client): Promise<Record<string, readonly string[]>> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(`
    SELECT relname AS name, array(
      SELECT attname::text FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0 ORDER BY attnum
    ) AS columns
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`);
  return Object.fromEntries(rows.map(({ name, columns }) => [name, columns]));
}
