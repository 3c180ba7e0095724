/** Lists whose clients choose filters, an order and words: what Postgres does for them, and what is kept. */
import { expect } from 'chai';
import { matchesSearch } from '../../../compiler/definition/sql/call-sql.ts';
import { sql } from '../../../compiler/definition/sql/sql.ts';
import { schemaSql } from '../../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { schemaInCatalog } from '../../../runtime/migrate/catalog.ts';
import { driftBetween, oddities } from '../../../runtime/migrate/drift.ts';
import { RecentlyUsed } from '../../../runtime/query/recently-used.ts';
import { definitionOf } from '../../compiler/openapi/documents.ts';
import { createDatabase, type TestDatabase } from '../../support/postgres.ts';

const SOURCE = `
  model Post {
    field title { type string }
    field body { type string, nullable }
  }
  api {
    entrypoint Post {
      list endpoint { searchable { title, body } }
      GET many "titles" { searchable { title } }
      GET many "again" { searchable { body, title } }
      GET many "stems" { searchable { title, language "english", prefix } }
    }
  }
`;

describe('what clients choose in a list', () => {
  let database: TestDatabase;

  before(async () => {
    await loadGrammar();
    database = await createDatabase();
  });

  it('has an index for each set of fields that is searched', async () => {
    const schema = schemaFromDefinition(definitionOf([{ path: 'main.kiln', text: SOURCE }]));
    const indexes = schema.tables.flatMap((table) => table.indexes.map(({ name }) => name));
    expect(indexes).to.deep.equal([
      'post_body_title_search_idx',
      'post_title_english_search_idx',
      'post_title_search_idx',
    ]);
    await database.client.query(schemaSql(schema));
    const drift = driftBetween(schema, await schemaInCatalog(database.client), await oddities(database.client));
    expect(drift).to.deep.equal({ wrong: [], besides: [] });
  });

  it('is searched by that index', async () => {
    const condition = matchesSearch([sql`p."body"`, sql`p."title"`], sql`$1::text`).text;
    await database.client.query('SET enable_seqscan = off');
    const { rows } = await database.client.query(`EXPLAIN SELECT p.id FROM post AS p WHERE ${condition}`, ['word']);
    expect(rows.map((row) => Object.values(row)[0]).join('\n')).to.include('Index Scan on post_body_title_search_idx');
  });

  it('is found wanting where somebody has built another index by hand', async () => {
    const schema = schemaFromDefinition(definitionOf([{ path: 'main.kiln', text: SOURCE }]));
    await database.client.query(
      'BEGIN; DROP INDEX post_title_search_idx; CREATE INDEX post_title_search_idx ON post (title)',
    );
    const { wrong } = driftBetween(schema, await schemaInCatalog(database.client), await oddities(database.client));
    await database.client.query('ROLLBACK');
    expect(wrong).to.deep.equal([
      'The index "post_title_search_idx" of "post" is "title", but should be the words of "title".',
    ]);
  });

  it('keeps those that were used last', () => {
    const removed: string[] = [];
    const kept = new RecentlyUsed<number>(2, (key) => removed.push(key));
    kept.set('a', 1);
    kept.set('b', 2);
    const get = (key: string) => kept.getOrMake(key, () => 0);
    expect(get('a')).to.equal(1);
    kept.set('c', 3);
    expect([[...removed], get('a'), get('c'), get('b')]).to.deep.equal([['b'], 1, 3, 0]);
  });
});
