/** The view of the jobs in a browser. */
import { expect } from 'chai';
import type pg from 'pg';
import type { Page } from 'playwright-core';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { until } from '../support/until.ts';
import { accessibilityViolations } from './accessibility.ts';
import { skipWithoutChromium, visit } from './chromium.ts';
import { type DataServer, startDataServer } from './data-server.ts';
import { STORED, workApplication } from './work-application.ts';

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;
const JOBS = 'section[aria-label="Jobs"]';
const BY_STATE = 'section[aria-label="Jobs by state"]';

describe('the work of the console in a browser', () => {
  let server: DataServer;
  let client: pg.Client;

  before(async function () {
    skipWithoutChromium(this);
    const { definition, url, client: connected } = await workApplication();
    client = connected;
    const openApi = openApiText(openApiFromDefinition(definition, { title: 'shop', version: '1' }));
    server = await startDataServer(definition, url, { openApi, statementTimeout: '5s' });
  });

  beforeEach(() => client.query(STORED));

  after(() => server?.stop());

  it('counts jobs by state, and lists those of a count', async () => {
    await visit(`${server.url}/`, async ({ page, complaints }) => {
      await page.click('nav[aria-label="Views"] a:has-text("Work")');
      await shows(page, ['5', '4', '3', '2', '1']);
      const row = page.locator(`${BY_STATE} tr`, { hasText: 'exactly once' });
      expect((await row.locator('td').allTextContents()).slice(2, 6).join()).to.equal('1,1,1,1');
      expect(await page.locator(`${BY_STATE} tbody`).textContent()).to.include('runs in another release');
      await row.locator('a[href$="state=failed"]').click();
      await shows(page, ['4']);
      expect(await page.locator(`${JOBS} tbody tr`).textContent()).to.include('9 of 9no such address{"order_id": 4}');
      await page.selectOption('select[aria-label="State"]', 'later');
      await shows(page, ['2']);
      await page.selectOption('select[aria-label="State"]', '');
      await page.selectOption('select[aria-label="Job"]', '');
      await shows(page, ['5', '4', '3', '2', '1']);
      expect(page.url()).to.match(/#\/work$/);
      expect(complaints).to.deep.equal([]);
    });
  });

  it('pages through jobs', async () => {
    await client.query(`INSERT INTO kiln_jobs (kind, input) SELECT 'Sweep()', '{}' FROM generate_series(6, 52)`);
    await visit(`${server.url}/#/work`, async ({ page }) => {
      await page.click('nav[aria-label="Pages"] button:has-text("Older")');
      await shows(page, ['2', '1']);
      await page.click('nav[aria-label="Pages"] button:has-text("Newest")');
      await page.locator(`${JOBS} .cell-id`, { hasText: '52' }).waitFor();
    });
  });

  it('runs a failed job again, after a question', async () => {
    await visit(`${server.url}/#/work?state=failed`, async ({ page }) => {
      await page.click(`${JOBS} button:has-text("Run again …")`);
      await page.locator('dialog h2', { hasText: 'Run SendReceipt 4?' }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('dialog h2').waitFor({ state: 'detached' });
      expect(await stateOf('4')).to.equal('Infinity 9');
      await page.click(`${JOBS} button:has-text("Run again …")`);
      await page.click('dialog button:has-text("Run")');
      await page.locator('.notice', { hasText: 'There are no such jobs' }).waitFor();
      expect(await stateOf('4')).to.match(/ 0$/);
    });
  });

  it('discards one job, and all failed ones of a job', async () => {
    await visit(`${server.url}/#/work`, async ({ page }) => {
      await shows(page, ['5', '4', '3', '2', '1']);
      const running = page.locator(`${JOBS} tr`, { hasText: 'running' });
      expect(await running.locator('button').count()).to.equal(0);
      await page.locator(`${JOBS} tr`, { hasText: 'later' }).locator('button:has-text("Discard …")').click();
      await page.click('dialog button:has-text("Discard")');
      await shows(page, ['5', '4', '3', '1']);
      await page.click(`${BY_STATE} button:has-text("Discard …")`);
      await page.locator('dialog h2', { hasText: 'Discard all failed jobs of SendReceipt?' }).waitFor();
      await page.click('dialog button:has-text("Discard")');
      await shows(page, ['5', '3', '1']);
      expect(await page.locator(`${BY_STATE} button`).count()).to.equal(0);
    });
  });

  it('says when a job is done in the meantime', async () => {
    await visit(`${server.url}/#/work`, async ({ page }) => {
      await page.locator(`${JOBS} tr`, { hasText: 'later' }).locator('button:has-text("Discard …")').click();
      await client.query('DELETE FROM kiln_jobs WHERE id = 2');
      await page.click('dialog button:has-text("Discard")');
      await page.locator('dialog [role=alert]', { hasText: 'The job 2 is done' }).waitFor();
    });
  });

  for (const [name, options] of [
    ['on a phone', PHONE],
    ['in the dark', { colorScheme: 'dark' }],
  ] as const)
    it(`can be used with a keyboard and a screen reader ${name}`, async () => {
      const look = async ({ page }: { readonly page: Page }): Promise<void> => {
        await shows(page, ['5', '4', '3', '2', '1']);
        expect(await accessibilityViolations(page)).to.deep.equal([]);
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(overflow).to.be.at.most(0);
      };
      await visit(`${server.url}/#/work`, look, options);
    });

  /** Waits until these jobs are in the table. */
  async function shows(page: Page, ids: readonly string[]): Promise<void> {
    const shown = async () => (await page.locator(`${JOBS} .cell-id`).allTextContents()).join();
    await until(async () => (await shown()) === ids.join(), { otherwise: () => `never shows ${ids.join()}` });
  }

  async function stateOf(id: string): Promise<string> {
    const { rows } = await client.query('SELECT due_at, attempt FROM kiln_jobs WHERE id = $1', [id]);
    return `${rows[0].due_at} ${rows[0].attempt}`;
  }
});
