/** The view of the data in a browser, on the blog example. */
import { expect } from 'chai';
import type pg from 'pg';
import type { Page } from 'playwright-core';
import type { Definition } from '../../compiler/definition/definition.ts';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { populate } from '../../runtime/populate/populate.ts';
import { definitionOf, exampleDefinition } from '../compiler/openapi/documents.ts';
import { createDatabase } from '../support/postgres.ts';
import { accessibilityViolations } from './accessibility.ts';
import { skipWithoutChromium, type Visit, visit } from './chromium.ts';
import { type DataServer, startDataServer } from './data-server.ts';

describe('the data of the console in a browser', () => {
  let server: DataServer;
  let client: pg.Client;
  let definition: Definition;
  let databaseUrl: string;
  let openApi: string;

  before(async function () {
    skipWithoutChromium(this);
    await loadGrammar();
    definition = exampleDefinition('blog');
    const database = await createDatabase();
    client = database.client;
    databaseUrl = database.url;
    await client.query(schemaSql(schemaFromDefinition(definition)));
    await populate(definition, 'Dev', { databaseUrl: database.url });
    openApi = openApiText(openApiFromDefinition(definition, { title: 'blog', version: '1' }));
    server = await startDataServer(definition, database.url, { openApi, statementTimeout: '5s' });
  });

  after(() => server?.stop());

  it('shows records sorted, filtered and by page, all of which is in the address', async () => {
    await visit(`${server.url}/#/data`, async (visited) => {
      const { page } = visited;
      await page.click('.data-cards a[href="#/data/Post"]');
      await shows(page, '1–50 of 70');
      await page.click('.data-pager button:has-text("Next")');
      await shows(page, '51–70 of 70');
      await page.click('th button:has-text("title")');
      await page.waitForSelector('th[aria-sort="ascending"]:has-text("title")');
      await shows(page, '1–50 of 70');
      await page.selectOption('.data-filters select >> nth=0', 'title');
      await page.fill('.data-filters input', 'STARTER');
      await page.keyboard.press('Enter');
      await shows(page, '1–1 of 1');
      expect(page.url()).to.match(/#\/data\/Post\?sort=title&filter=title%3Acontains%3ASTARTER$/);
      await page.click('.data-chips button');
      await shows(page, '1–50 of 70');
      expectQuiet(visited);
    });
  });

  it('asks for its secret in an image, and keeps a secret cell that is left as it was', async () => {
    const bios = async () => (await client.query('SELECT id, bio FROM author ORDER BY id')).rows;
    const before = await bios();
    const inImage = await startDataServer(withSecretBio(definition), databaseUrl, { place: 'docs', openApi });
    try {
      await visit(`${inImage.url}/docs#/data`, async ({ page, complaints }) => {
        await page.waitForSelector('input[name=secret]');
        expect(complaints).to.deep.equal([]);
        await page.fill('input[name=secret]', 'not the secret');
        await page.click('button:has-text("Open")');
        expect(await page.locator('.field-error').textContent()).to.equal(
          'This secret is wrong. It is the value of CONSOLE_SECRET of the server.',
        );
        await page.fill('input[name=secret]', inImage.key);
        await page.click('button:has-text("Open")');
        await page.click('.data-cards a[href="#/data/Author"]');
        await page.dblclick('tbody tr:first-child td:has-text("•••")');
        await page.press('.cell-editor input', 'Enter');
        await page.waitForSelector('.cell-editor', { state: 'detached' });
      });
    } finally {
      await inImage.stop();
    }
    expect(await bios()).to.deep.equal(before);
  });

  it('follows references to a record and back, and links to the endpoints that work on it', async () => {
    await visit(`${server.url}/#/data/Post?sort=id`, async (visited) => {
      const { page } = visited;
      await page.click('tbody tr:first-child a.link[title^="Author "]');
      await page.waitForSelector('.data-record');
      expect(await page.locator('.data-head h2').textContent()).to.equal('Mara Lindqvist');
      expect(await page.locator('.back').getAttribute('href')).to.equal('#/data/Author');
      await page.goBack();
      await page.click('tbody tr:first-child a.cell-id');
      await page.locator('.data-head h2', { hasText: 'A starter in seven days' }).waitFor();
      const links = await page
        .locator('.data-operations a')
        .evaluateAll((all) => all.map((a) => a.getAttribute('href')));
      expect(links[0]).to.equal('#/postGet?try=1&post_slug=a-starter-in-seven-days');
      expect(links[1]).to.match(/^#\/postUpdate\?try=1&post_slug=a-starter-in-seven-days&body=%7B%22slug%22/);
      await page.click('.data-referrers article:has-text("Comment") a');
      await page.waitForURL(/#\/data\/Comment\/\d+$/);
      expectQuiet(visited);
    });
  });

  it('shows uuids and moments whole on the page of a record, and short in a table', async () => {
    const text =
      'model Team { field id { type uuid }, field name { type string } } model Note { reference team { to Team }, field code { type uuid }, field at { type timestamp } } api { entrypoint Note { list endpoint {} } }';
    const own = definitionOf([{ path: 'main.kiln', text }]);
    const database = await createDatabase();
    await database.client.query(schemaSql(schemaFromDefinition(own)));
    const [team, code] = ['0198d1f4-7a3c-7c11-8d35-2b6cd61a4777', '0198d1f4-7a3c-7c11-8d35-2b6cd61a4778'];
    await database.client.query(`INSERT INTO team VALUES ('${team}', 'Blue');
      INSERT INTO note (team_id, code, at) VALUES ('${team}', '${code}', '2026-01-02T03:04:05.678Z')`);
    const document = openApiText(openApiFromDefinition(own, { title: 'notes', version: '1' }));
    const notes = await startDataServer(own, database.url, { openApi: document });
    const look = async ({ page }: Visit) => {
      expect(await page.locator('tbody tr').innerText())
        .to.include('…d61a4778')
        .and.not.include(code);
      await page.goto(`${notes.url}/#/data/Note/1`);
      const shown = await page.locator('.data-record').innerText();
      expect(shown).to.include(team).and.include(code).and.include('2026-01-02T03:04:05.678Z');
    };
    await visit(`${notes.url}/#/data/Note`, look).finally(() => notes.stop());
  });

  it('changes records raw, in a form and in the table, with errors at their columns', async () => {
    await visit(`${server.url}/#/data/Tag/new`, async ({ page }) => {
      await page.waitForSelector('.data-form');
      expect(await page.getAttribute('.data-operations a', 'href')).to.equal('#/tagCreate?try=1');
      expect(await page.locator('.data-raw').textContent()).to.include('rules of the API');
      await page.click('button:has-text("Create")');
      await page.locator('.field-error', { hasText: 'must not be null' }).waitFor();
      const { rows } = await client.query<{ name: string }>('SELECT name FROM tag ORDER BY id LIMIT 1');
      await page.getByLabel('name', { exact: true }).fill(rows[0]?.name ?? '');
      await page.click('button:has-text("Create")');
      await page.locator('.field-error', { hasText: 'another record has this value already' }).waitFor();
      await page.getByLabel('name', { exact: true }).fill('made here');
      await page.click('button:has-text("Create")');
      await page.locator('.data-head h2', { hasText: 'made here' }).waitFor();
      await page.click('button:text-is("Edit")');
      await page.getByLabel('name', { exact: true }).fill('changed here');
      await page.click('button:has-text("Save")');
      await page.locator('.data-head h2', { hasText: 'changed here' }).waitFor();
      await page.click('.back:has-text("Tag")');
      await page.locator('td', { hasText: 'changed here' }).dblclick();
      await page.locator('.cell-editor input').fill('in the table');
      await page.keyboard.press('Enter');
      await page.locator('td:focus', { hasText: 'in the table' }).waitFor();
      await page.keyboard.press('Enter');
      await page.locator('.cell-editor input:focus').fill('by keys');
      await page.keyboard.press('Escape');
      await page.keyboard.press('ArrowLeft');
      await page.locator('td:focus .cell-id').waitFor();
      await page.click('tr:has-text("in the table") .cell-id');
      await page.click('button:has-text("Delete …")');
      await page.click('.dialog button:text-is("Delete")');
      await page.waitForURL(/#\/data\/Tag$/);
      expect(
        (await client.query(`SELECT 1 FROM tag WHERE name LIKE '%here%' OR name LIKE '%table%'`)).rowCount,
      ).to.equal(0);
    });
  });

  it('populates with progress, and resets after the name was typed', async () => {
    await visit(`${server.url}/#/data`, async ({ page }) => {
      await page.click('button:has-text("Populate with Dev")');
      await page.locator('.data-progress', { hasText: '1 of 3 rows' }).waitFor();
      server.actions.end();
      await page.locator('.data-done', { hasText: 'Populated with Dev.' }).waitFor();
      await page.click('button:has-text("Reset the database")');
      expect(await page.isDisabled('.dialog button:has-text("Delete everything")')).to.equal(true);
      await page.fill('.dialog input', 'blog');
      await page.click('.dialog button:has-text("Delete everything")');
      await page.locator('.notice.is-error', { hasText: 'The database is used by somebody else.' }).waitFor();
    });
  });

  it('has no barrier that axe knows, light and dark, and fits a phone', async () => {
    const views = { light: ['#/data', '#/data/Post', '#/data/Post/new'], dark: ['#/data/Post/1'] };
    for (const colorScheme of ['light', 'dark'] as const) {
      await visit(
        `${server.url}/`,
        async ({ page }) => {
          for (const view of views[colorScheme]) {
            await page.goto(`${server.url}/${view}`);
            await page.waitForSelector('.data-cards, .data-table, .data-record, .data-form');
            expect(await accessibilityViolations(page), `${view} ${colorScheme}`).to.deep.equal([]);
            expect(await page.evaluate('document.documentElement.scrollWidth'), view).to.equal(360);
          }
        },
        { colorScheme, viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
      );
    }
  });
});

function withSecretBio(definition: Definition): Definition {
  const models = definition.models.map((model) => ({
    ...model,
    fields: model.fields.map((field) => (field.name === 'bio' ? { ...field, secret: true } : field)),
  }));
  return { ...definition, models };
}

async function shows(page: Page, range: string): Promise<void> {
  await page.locator('.data-pager p', { hasText: range }).waitFor();
}

function expectQuiet({ complaints }: Visit): void {
  expect(complaints).to.deep.equal([]);
}
