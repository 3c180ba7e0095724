/** What the tests of schemas have in common: sources become schemas, and schemas databases. */
import { expect } from 'chai';
import type pg from 'pg';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { Schema, Table } from '../../compiler/definition/schema.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import type { FileText, SourceFile } from '../../compiler/source/source-file.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { createDatabase } from '../support/postgres.ts';
import { oddities, schemaInCatalog } from './emit-sql-catalog.ts';

export function definitionOf(sources: readonly SourceFile[], fileText: FileText = () => undefined): Definition {
  const { definition, diagnostics } = compile(sources, fileText);
  expect(definition, renderText(diagnostics, new SourceMap(sources), { colour: false })).to.not.equal(undefined);
  return definition as Definition;
}

export function schemaOf(text: string): Schema {
  return schemaFromDefinition(definitionOf([{ path: 'main.kiln', text }]));
}

export function tableIn(schema: Schema, name: string): Table {
  return schema.tables.find((table) => table.name === name) as Table;
}

/** Schemas are made in it one at a time: each in a transaction that is taken back before the next. */
export class SchemaDatabase {
  readonly client: pg.Client;
  readonly #notices: string[] = [];

  private constructor(client: pg.Client) {
    this.client = client;
    client.on('notice', ({ message }) => this.#notices.push(String(message)));
  }

  static async open(): Promise<SchemaDatabase> {
    await loadGrammar();
    const { client } = await createDatabase();
    return new SchemaDatabase(client);
  }

  /** Runs the whole text where there is nothing, and holds what Postgres then has against the description. */
  async expectMade(schema: Schema, setting = ''): Promise<void> {
    await this.client.query('ROLLBACK');
    await this.client.query(`BEGIN; ${setting}`);
    this.#notices.length = 0;
    await this.client.query(schemaSql(schema));
    // Postgres cuts off a name that is too long with no more than a notice.
    expect(this.#notices).to.deep.equal([]);
    expect(await schemaInCatalog(this.client)).to.deep.equal(inCatalog(schema));
    expect(await oddities(this.client)).to.deep.equal([]);
  }

  async row(sql: string): Promise<Record<string, unknown>> {
    const { rows } = await this.client.query(sql);
    return rows[0];
  }

  /** What the columns of a new row are when nothing is said about them. */
  async defaultRow(table: string, columns = '*'): Promise<Record<string, unknown>> {
    return this.row(`INSERT INTO ${table} DEFAULT VALUES RETURNING ${columns}`);
  }
}

/** The name of a trigger is a hash of what its reaction says. */
function inCatalog({ reactions, ...schema }: Schema): object {
  return { ...schema, ...(reactions && { reactions: reactions.map(({ name, table }) => ({ name, table })) }) };
}
