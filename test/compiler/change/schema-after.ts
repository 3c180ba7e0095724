/** What the tests of migrations hold against each other. */
import { expect } from 'chai';
import type pg from 'pg';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { oddities, schemaInCatalog } from '../emit-sql-catalog.ts';

/** The database is what a fresh one would be. Only the order of columns may be another, because nothing depends on it. */
export async function expectSchemaOf(client: pg.Client, definition: Definition, hint = ''): Promise<void> {
  const inCatalog = await schemaInCatalog(client);
  expect(withSortedColumns(inCatalog), hint).to.deep.equal(withSortedColumns(schemaFromDefinition(definition)));
  expect(await oddities(client), hint).to.deep.equal([]);
}

interface WithColumns {
  readonly columns: readonly { readonly name: string }[];
}

interface WithReactions {
  readonly enums: unknown;
  readonly tables: readonly WithColumns[];
  readonly reactions?: readonly { readonly name: string; readonly table: string }[];
}

function withSortedColumns({ enums, tables, reactions = [] }: WithReactions) {
  const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1);
  const triggers = reactions.map(({ name, table }) => `${name} of ${table}`).sort();
  return { enums, triggers, tables: tables.map((table) => ({ ...table, columns: table.columns.toSorted(byName) })) };
}
