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

const TABLE = 'document.querySelector(".data-table")';

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

  it('empties the search for models when one is opened', async () => {
    await opened('data', async (page) => {
      await page.fill('.sidebar input', 'boo');
      await page.click('.sidebar a:has-text("Book")');
      await page.waitForSelector('.data-table');
      expect(await page.inputValue('.sidebar input')).to.equal('');
    });
  });

  it('marks what a new record needs, and says all that is missing at once', async () => {
    await opened('data/Loan/new', async (page) => {
      await page.waitForSelector('.data-form');
      expect(await page.locator('.data-form .is-required').count()).to.equal(3);
      await page.click('button:has-text("Create")');
      await page.waitForSelector('.field-error');
      expect(await page.locator('.field-error').allTextContents()).to.deep.equal(Array(3).fill('must not be null'));
    });
  });

  it('calls a record without a name once, and shows the digits of decimals', async () => {
    await opened('data/Loan/5', async (page) => {
      expect((await page.locator('.data-head').innerText()).match(/Loan 5/g)).to.have.length(1);
    });
    await opened('data/Book', async (page) => {
      await page.locator('th', { hasText: 'decimal(8, 2)' }).waitFor();
    });
    await opened('models/Book', async (page) => {
      await page.locator('.diagram', { hasText: 'decimal(8, 2)' }).waitFor();
    });
  });

  it('shows whole rows of a table, and at a shadow that there are more columns', async () => {
    await opened(
      'data/Loan',
      async (page) => {
        await page.waitForSelector('tbody tr');
        const shadow = `/[1-9]/.test(getComputedStyle(document.querySelector("td.data-choice")).boxShadow)`;
        const [height, isShaded] = [await page.evaluate(`${TABLE}.clientHeight`), await page.evaluate(shadow)];
        expect([(Number(height) - 44) % 36, isShaded]).to.deep.equal([0, true]);
        await page.evaluate(`${TABLE}.scrollLeft = 9999`);
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
        expect(await page.evaluate(shadow)).to.equal(false);
      },
      1000,
    );
  });

  it('draws the selected model so that it can be read, also where its neighbours do not fit', async () => {
    await opened(
      'models/Copy',
      async (page) => {
        await page.waitForSelector('.model.is-selected');
        const scale = /scale\(([\d.]+)\)/.exec((await page.getAttribute('.diagram g', 'transform')) ?? '')?.[1];
        expect(scale).to.equal('0.85');
      },
      1180,
    );
  });

  it('fades the views that a phone has no space for', async () => {
    await opened(
      'live',
      async (page) => {
        const [view, views] = [page.locator('.views [aria-current]'), page.locator('.views')];
        await view.waitFor();
        const [one, all] = [await view.boundingBox(), await views.boundingBox()];
        expect((one?.x ?? 0) + (one?.width ?? 0)).to.be.at.most((all?.x ?? 0) + (all?.width ?? 0) - 24);
      },
      390,
    );
  });
});
