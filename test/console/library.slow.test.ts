/** The console of an application with integer references, in a browser. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { definitionOf } from '../compiler/openapi/documents.ts';
import { createDatabase } from '../support/postgres.ts';
import { skipWithoutChromium, visit } from './chromium.ts';
import { type DataServer, startDataServer } from './data-server.ts';

const ROWS = `
  INSERT INTO member (email, name, hash) SELECT 'm' || n || '@example.com', 'Member ' || n, 'x' FROM generate_series(1, 3) n;
  INSERT INTO book (isbn, title, price) VALUES ('978-00-123-x', 'A rather long title of a book that does not fit', 12.5);
  INSERT INTO copy (book_id, shelf) SELECT 1, n FROM generate_series(1, 3) n;
  INSERT INTO loan (copy_id, member_id, due_at) SELECT 1, 1 + n % 3, now() FROM generate_series(1, 60) n;`;

describe('the console of a library in a browser', () => {
  let server: DataServer;

  before(async function () {
    skipWithoutChromium(this);
    await loadGrammar();
    const text = readFileSync(join(import.meta.dirname, 'library.kiln'), 'utf8');
    const definition = definitionOf([{ path: 'library.kiln', text }]);
    const { client, url } = await createDatabase();
    await client.query(schemaSql(schemaFromDefinition(definition)) + ROWS);
    const openApi = openApiText(openApiFromDefinition(definition, { title: 'library', version: '1' }));
    server = await startDataServer(definition, url, { openApi, statementTimeout: '5s' });
  });

  after(() => server?.stop());

  const opened = (address: string, look: (page: Page) => Promise<void>, width = 1280): Promise<void> =>
    visit(
      `${server.url}/#/${address}`,
      ({ page }) => {
        page.setDefaultTimeout(4000);
        return look(page);
      },
      { viewport: { width, height: 860 } },
    );

  it('sends the values that it fills in for required references', async () => {
    for (const operation of ['loanCreate', 'loanSeveral'])
      await opened(`${operation}?try=1`, async (page) => {
        await page.locator('.try .code', { hasText: /"copy_id": \d/ }).waitFor();
        await page.click('.try .send');
        await page.locator('.response .status', { hasText: '20' }).waitFor();
      });
  });

  it('fills in the other fields where one has no example', async () => {
    await opened('bookCreate?try=1', async (page) => {
      await page.waitForSelector('.try .send');
      expect(await page.inputValue('.try input >> nth=0')).to.equal('');
      expect(await page.getByLabel('title').inputValue()).to.equal('Title');
    });
  });
});
