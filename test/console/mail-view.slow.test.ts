/** The mails that `kiln dev` keeps, in a browser. */
import { expect } from 'chai';
import { openApiText } from '../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../compiler/emit/openapi/openapi-from-definition.ts';
import { schemaSql } from '../../compiler/emit/sql/schema-sql.ts';
import { schemaFromDefinition } from '../../compiler/schema/schema-from-definition.ts';
import { Mailbox } from '../../runtime/deliver/mailbox.ts';
import { definitionOf } from '../runtime/operations/running.ts';
import { createDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { accessibilityViolations } from './accessibility.ts';
import { skipWithoutChromium, visit } from './chromium.ts';
import { type DataServer, startDataServer } from './data-server.ts';

const SOURCE = `mail Hello { to "ada@example.com" subject "Hello" body "hello.html" }
job Greet { action { send Hello {} } }
schedule Daily every day at "07:30" { run Greet {} }`;

const ACCOUNTS = `model User { field email { type string, unique }  field hash { type string, secret } }
mail Confirm { input user { to User }  input token { type string }  to user.email  subject token  body "hello.html" }
mail Again { input user { to User }  input token { type string }  to user.email  subject token  body "hello.html" }
auth { model User, login email, password hash, verify with Confirm, reset with Again }`;

async function served(source: string, mailbox: Mailbox, jobs = '0'): Promise<DataServer> {
  const definition = await definitionOf(source, {}, { 'mails/hello.html': '<p>Hello</p>' });
  const { url, client } = await createDatabase();
  await client.query(schemaSql(schemaFromDefinition(definition)));
  const openApi = openApiText(openApiFromDefinition(definition, { title: 'shop', version: '1' }));
  return startDataServer(definition, url, { openApi, mailbox, jobs });
}

describe('the mail of the console in a browser', () => {
  const mailbox = new Mailbox();
  let server: DataServer;

  before(async function () {
    skipWithoutChromium(this);
    server = await served(SOURCE, mailbox);
  });

  after(() => server?.stop());

  it('has the tokens with which accounts are verified and reset, by forms of the console', async () => {
    const kept = new Mailbox();
    const accounts = await served(ACCOUNTS, kept, '1');
    try {
      await visit(`${accounts.url}/#/`, async ({ page }) => {
        const send = async (operation: string, values: Readonly<Record<string, string>>) => {
          await page.goto(`${accounts.url}/#/${operation}?try=1`);
          const form = page.locator(`#operation-${operation}`);
          for (const [name, value] of Object.entries(values)) await form.getByLabel(name, { exact: true }).fill(value);
          const [response] = await Promise.all([
            page.waitForResponse((each) => each.url().includes('/api/auth/')),
            form.locator('.send').click(),
          ]);
          return response.status();
        };
        const tokenOf = async (count: number) => {
          await until(() => kept.mails.length === count);
          return String(kept.mails.at(-1)?.subject);
        };
        const [email, password] = ['ada@example.com', 'a long password'];
        expect(await send('authRegister', { email, password })).to.equal(202);
        expect(await send('authVerify', { token: await tokenOf(1), password })).to.equal(200);
        expect(await page.getByLabel('password', { exact: true }).getAttribute('type')).to.equal('password');
        expect(await send('authForgot', { email })).to.equal(202);
        expect(await send('authReset', { token: await tokenOf(2), password: 'another password' })).to.equal(200);
        expect(await send('authLogin', { email, password: 'another password' })).to.equal(200);
      });
    } finally {
      await accounts.stop();
    }
  }).timeout(60_000);

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
