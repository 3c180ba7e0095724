/** The mails that `kiln dev` keeps, in a browser. */
import { expect } from 'chai';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { Mailbox } from '../../runtime/deliver/mailbox.ts';
import { definitionOf } from '../runtime/operations/running.ts';
import { createDatabase } from '../support/postgres.ts';
import { accessibilityViolations } from './accessibility.ts';
import { skipWithoutChromium, visit } from './chromium.ts';
import { type DataServer, startDataServer } from './data-server.ts';

const SOURCE = `mail Hello { to "ada@example.com" subject "Hello" body "hello.html" }
job Greet { action { send Hello {} } }
schedule Daily every day at "07:30" { run Greet {} }`;

describe('the mail of the console in a browser', () => {
  const mailbox = new Mailbox();
  let server: DataServer;

  before(async function () {
    skipWithoutChromium(this);
    const definition = await definitionOf(SOURCE, {}, { 'mails/hello.html': '<p>Hello</p>' });
    const { url, client } = await createDatabase();
    await client.query(schemaSql(schemaFromDefinition(definition)));
    const openApi = openApiText(openApiFromDefinition(definition, { title: 'shop', version: '1' }));
    server = await startDataServer(definition, url, { openApi, mailbox });
  });

  after(() => server?.stop());

  it('shows the newest one first, as HTML without scripts and as plain text', async () => {
    await visit(`${server.url}/#/mail`, async ({ page }) => {
      await page.getByText('No mail was sent yet').waitFor();
      const mail = { to: 'ada@example.com', text: 'Plain hello\n' };
      const html = '<p id="p" style="color: rgb(1, 2, 3)">Hello</p><script>document.body.textContent = "ran"</script>';
      const send = (id: string, subject: string) =>
        mailbox.take({ id, subject, html, ...mail }, new AbortController().signal);
      await send('1', 'First');
      await send('2', 'Second');
      await page.click('button:has-text("Refresh")');
      await page.locator('.mail-item').first().waitFor();
      expect(await page.locator('.mail-item span:first-child').allTextContents()).to.deep.equal(['Second', 'First']);
      const shown = page.frameLocator('iframe').locator('#p');
      expect(await shown.textContent()).to.equal('Hello');
      expect(await shown.evaluate(colourOf)).to.equal('rgb(1, 2, 3)');
      await page.click('.mail-item:has-text("First")');
      await page.locator('h3:has-text("First")').waitFor();
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      await page.click('button[role="tab"]:has-text("Plain text")');
      expect(await page.locator('.mail-content pre').textContent()).to.equal('Plain hello\n');
    });
  });
});

interface Styled {
  readonly ownerDocument: { readonly defaultView: { getComputedStyle(of: unknown): { readonly color: string } } };
}

function colourOf(element: unknown): string {
  return (element as Styled).ownerDocument.defaultView.getComputedStyle(element).color;
}
