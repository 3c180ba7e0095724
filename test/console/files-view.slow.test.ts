/** Files and live lists in a browser, in Data and in Try it. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type pg from 'pg';
import type { Page } from 'playwright-core';
import type { Definition } from '../../compiler/definition/definition.ts';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { definitionOf } from '../compiler/openapi/documents.ts';
import { startBucket } from '../runtime/files/bucket.ts';
import { createDatabase } from '../support/postgres.ts';
import { accessibilityViolations } from './accessibility.ts';
import { skipWithoutChromium, visit } from './chromium.ts';
import { type DataServer, startDataServer } from './data-server.ts';

const APPLICATION = `
model Post {
  field title { type string }
  field cover { type file, nullable, accept { "image/png" } }
  field marks { type [integer], default [] }
}
api {
  entrypoint Post as post {
    get endpoint {}
    list endpoint { order by { id asc }, live }
    create endpoint {}
    update endpoint {}
  }
}`;

/** A red dot. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/q842iQAAAABJRU5ErkJggg==',
  'base64',
);
const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: PNG });

describe('files and live lists of the console in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-console-files-'));
  let server: DataServer;
  let client: pg.Client;
  let start: (files: Readonly<Record<string, string>>) => Promise<DataServer>;

  before(async function () {
    skipWithoutChromium(this);
    await loadGrammar();
    const definition: Definition = definitionOf([{ path: 'main.kiln', text: APPLICATION }]);
    const database = await createDatabase();
    client = database.client;
    await client.query(schemaSql(schemaFromDefinition(definition)));
    const openApi = openApiText(openApiFromDefinition(definition, { title: 'posts', version: '1' }));
    start = (files) => startDataServer(definition, database.url, { openApi, statementTimeout: '5s', files });
    server = await start({ FILES_URL: pathToFileURL(folder).href });
  });
  after(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  const stored = async () =>
    (
      await client.query<{ title: string; name: string }>(
        `SELECT title, cover ->> 'name' AS name FROM post ORDER BY id`,
      )
    ).rows;

  it('uploads in Try it, shows the picture of the response, and saves it', async () => {
    await visit(`${server.url}/#/postCreate?try=1`, async ({ page, complaints }) => {
      const cover = page.getByLabel('cover', { exact: true });
      await cover.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('text') });
      await page.locator('.field-error', { hasText: 'type must be one of image/png' }).waitFor();
      await cover.setInputFiles(picture('a.png'));
      await page.locator('.try .code.is-shell', { hasText: '"cover": "' }).waitFor();
      await page.getByLabel('title', { exact: true }).fill('One');
      await page.click('.send');
      await page.locator('.response .status', { hasText: '201' }).waitFor();
      await shown(page, '.response .file img');
      expect(await saved(page, '.response .file button')).to.deep.equal(PNG);
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      expect(complaints.filter((text) => !text.includes('status of 422'))).to.deep.equal([]);
    });
    expect(await stored()).to.deep.equal([{ title: 'One', name: 'a.png' }]);
  });

  it('shows pictures in Data, and takes others in a form and in the table', async () => {
    await visit(`${server.url}/#/data/Post`, async ({ page, complaints }) => {
      await shown(page, 'td .file img');
      expect(await saved(page, 'td .file button')).to.deep.equal(PNG);
      await page.locator('td:has(.file)').dblclick();
      await page.locator('.cell-editor input[type=file]').setInputFiles(picture('b.png'));
      await page.locator('.cell-editor input[type=file]:not([disabled])').waitFor();
      await page.click('.cell-editor button:has-text("Save")');
      await page.locator('td .file', { hasText: 'b.png' }).waitFor();
      await page.goto(`${server.url}/#/data/Post/new`);
      await page.getByLabel('title', { exact: true }).fill('Two');
      await page.getByLabel('cover is null').uncheck();
      await page.getByLabel('cover', { exact: true }).setInputFiles(picture('c.png'));
      await page.locator('input[type=file]:not([disabled])').waitFor();
      await page.click('button:has-text("Create")');
      await shown(page, '.data-record .file img');
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      await page.click('button:has-text("Edit")');
      await page.click('button:has-text("Save")');
      await page.locator('.data-record .file', { hasText: 'c.png' }).waitFor();
      expect(complaints).to.deep.equal([]);
    });
    expect(await stored()).to.deep.equal([
      { title: 'One', name: 'b.png' },
      { title: 'Two', name: 'c.png' },
    ]);
  });

  it('stores no file that was not uploaded, or that another record has', async () => {
    const form = { name: 'd.png', type: 'image/png', size: PNG.length };
    const { body } = await server.send('POST', 'files/Post/cover', form);
    const { file, url, headers } = body as object as { file: string; url: string; headers: Record<string, string> };
    const take = async (id: number) => {
      const { status, body: problem } = await server.send('PATCH', `data/Post/${id}`, { values: { cover: file } });
      return [status, problem?.errors[0]?.message];
    };
    expect(await take(1)).to.deep.equal([422, 'must be uploaded again']);
    expect((await fetch(`${server.url}${url}`, { method: 'PUT', headers, body: PNG })).status).to.equal(204);
    expect(await take(1)).to.deep.equal([204, undefined]);
    expect(await take(2)).to.deep.equal([422, 'must be uploaded again']);
    expect((await stored()).map(({ name }) => name)).to.deep.equal(['d.png', 'c.png']);
  });

  it('shows a list live, in Try it and in Data', async () => {
    await visit(`${server.url}/#/postList?try=1`, async ({ page, complaints }) => {
      await page.getByLabel('Live').check();
      await page.locator('.response pre', { hasText: '"Two"' }).waitFor();
      await client.query(`INSERT INTO post (title) VALUES ('Three')`);
      await page.locator('.response pre', { hasText: '"Three"' }).waitFor();
      await page.getByLabel('Live').uncheck();
      await page.goto(`${server.url}/#/data/Post`);
      await page.getByLabel('Live').check();
      await page.locator('td', { hasText: 'Three' }).waitFor();
      await client.query(`UPDATE post SET title = 'Four' WHERE title = 'Three'`);
      await page.locator('td', { hasText: 'Four' }).waitFor();
      expect(complaints).to.deep.equal([]);
    });
  });

  it('shows the error of an item of a list at the item', async () => {
    await visit(`${server.url}/#/postCreate?try=1`, async ({ page }) => {
      await page.click('button:has-text("Add to marks")');
      await page.locator('.form-item input').fill('x');
      await page.click('.send');
      await page.locator('.form-item .field-error').waitFor();
    });
  });

  it('exports a table, hides columns, and deletes several records', async () => {
    await visit(`${server.url}/#/data/Post`, async ({ page }) => {
      await page.locator('td', { hasText: 'Four' }).waitFor();
      expect(String(await saved(page, 'button:text-is("CSV")'))).to.equal(
        'id,title,cover,marks\r\n1,One,d.png,[]\r\n2,Two,c.png,[]\r\n3,Four,,[]\r\n',
      );
      await page.click('.data-columns summary');
      await page.getByLabel('cover', { exact: true }).uncheck();
      await page.locator('th', { hasText: 'cover' }).waitFor({ state: 'detached' });
      expect(JSON.parse(String(await saved(page, 'button:text-is("JSON")')))).to.deep.equal([
        { id: 1, title: 'One', marks: [] },
        { id: 2, title: 'Two', marks: [] },
        { id: 3, title: 'Four', marks: [] },
      ]);
      await page.reload();
      await page.locator('th', { hasText: 'title' }).waitFor();
      expect(await page.locator('th', { hasText: 'cover' }).count()).to.equal(0);
      await page.getByLabel('Select Post 1').check();
      await page.getByLabel('Select Post 3').check();
      await page.click('button:has-text("Delete 2 records")');
      await page.click('.dialog button:text-is("Delete")');
      await page.locator('td', { hasText: 'One' }).waitFor({ state: 'detached' });
    });
    expect(await stored()).to.deep.equal([{ title: 'Two', name: 'c.png' }]);
  });

  for (const [place, button] of [
    ['postUpdate?try=1&post_id=2', 'Send'],
    ['data/Post/2', 'Save'],
  ] as const) {
    it(`lets ${button} wait for a file that is being uploaded`, async () => {
      await visit(`${server.url}/#/${place}`, async ({ page, complaints }) => {
        let arrive = (): void => undefined;
        const arrived = new Promise<void>((resolve) => {
          arrive = resolve;
        });
        await page.route('**/api/_uploads/*', async (route) => {
          await arrived;
          await route.continue();
        });
        const writes: string[] = [];
        page.on('request', (request) => request.method() === 'PATCH' && writes.push(request.url()));
        if (button === 'Save') await page.click('button:has-text("Edit")');
        await page.getByLabel('cover', { exact: true }).setInputFiles(picture('later.png'));
        await page.locator('[role=status]', { hasText: 'Uploading … The form can be sent after it.' }).waitFor();
        expect(await page.getByRole('button', { name: button, exact: true }).isDisabled()).to.equal(true);
        await page.evaluate(`document.querySelector('input[type=file]').form.requestSubmit()`);
        arrive();
        await page.locator('input[type=file]:not([disabled])').waitFor();
        expect(writes).to.deep.equal([]);
        await page.getByRole('button', { name: button, exact: true }).click();
        await page.locator('.file', { hasText: 'later.png' }).waitFor();
        expect(writes).to.have.length(1);
        expect(complaints).to.deep.equal([]);
      });
      expect(await stored()).to.deep.equal([{ title: 'Two', name: 'later.png' }]);
      await client.query('UPDATE post SET cover = NULL');
    });
  }

  it('uploads to a bucket and reads from it, and from nothing else beside it', async () => {
    const bucket = await startBucket();
    const other = await start(bucket.environment);
    try {
      await visit(`${other.url}/#/postUpdate?try=1&post_id=2`, async ({ page, complaints }) => {
        await page.getByLabel('cover', { exact: true }).setInputFiles(picture('far.png'));
        await page.locator('.try .code.is-shell', { hasText: '"cover": "' }).waitFor();
        await page.click('.send');
        await shown(page, '.response .file img');
        expect(bucket.requests.filter((each) => each.startsWith('OPTIONS'))).to.have.length.greaterThan(0);
        expect(complaints).to.deep.equal([]);
        const [origin] = /http:[^&]+/.exec(bucket.url) ?? [];
        const asked = (path: string) => page.evaluate(`fetch('${origin}/${path}').then(() => true, () => false)`);
        expect([await asked('uploads-of-tests/none'), await asked('uploads-of-others/none')]).to.deep.equal([
          true,
          false,
        ]);
        expect(complaints.join('\n')).to.include('Content Security Policy');
      });
    } finally {
      await other.stop();
      await bucket.close();
    }
  });
});

/** Waits until the picture is drawn. */
async function shown(page: Page, image: string): Promise<void> {
  await page.locator(image).waitFor();
  expect(await page.evaluate(`document.querySelector(${JSON.stringify(image)}).naturalWidth`)).to.equal(1);
}

async function saved(page: Page, button: string): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  return readFileSync(await download.path());
}
