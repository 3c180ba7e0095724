import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { modelGraphFrom } from '../../runtime/console/model-graph.ts';
import { definitionOf, EXAMPLES, routesOf } from '../compiler/openapi/documents.ts';
import { skipWithoutChromium, type Visit, visit } from './chromium.ts';
import { type DocumentedApplication, documentedApplication, documentedExample } from './documented-application.ts';
import { startPrefixProxy } from './prefix-proxy.ts';

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

describe('the documentation page in a browser', () => {
  const applications = new Map<string, DocumentedApplication>();

  before(async function () {
    skipWithoutChromium(this);
    await loadGrammar();
    for (const example of EXAMPLES) applications.set(example, await documentedExample(example));
  });

  after(() => Promise.all([...applications.values()].map(({ server }) => server.stop())));

  const application = (name: string): DocumentedApplication => applications.get(name) as DocumentedApplication;
  const addressOf = (name: string): string => `${application(name).server.url}/docs`;

  for (const example of EXAMPLES) {
    it(`shows every operation of ${example}, grouped by entrypoint`, async () => {
      await visit(addressOf(example), async (visited) => {
        const { page } = visited;
        await operations(page);
        const { document } = application(example);
        const expected = routesOf(document).map(
          ({ path, method, operation }) => `${operation.tags[0]} ${method} ${path}`,
        );
        expect((await shownOperations(page)).toSorted()).to.deep.equal(expected.toSorted());
        expect(await page.locator('.outline [data-tag]').count()).to.equal(document.tags.length);
        expect(await page.title()).to.equal(`${example} API`);
        expectQuiet(visited);
      });
    });

    it(`draws a box for each model of ${example}, and an edge for each reference`, async () => {
      await visit(`${addressOf(example)}#models`, async (visited) => {
        const { page } = visited;
        await page.waitForSelector('.diagram .model');
        const { models, edges } = modelGraphFrom(application(example).definition);
        const boxes = await page
          .locator('.diagram .model')
          .evaluateAll((all) => all.map((box) => box.getAttribute('data-model')));
        expect(boxes.toSorted()).to.deep.equal(models.map(({ name }) => name).toSorted());
        const drawn = await page
          .locator('.edge')
          .evaluateAll((all) =>
            all.map((edge) => ['from', 'reference', 'to'].map((key) => edge.getAttribute(`data-${key}`)).join(' ')),
          );
        expect(drawn.toSorted()).to.deep.equal(
          edges.map(({ from, reference, to }) => `${from} ${reference} ${to}`).toSorted(),
        );
        expect(await page.locator('.all-models article').count()).to.equal(models.length);
        expectQuiet(visited);
      });
    });
  }

  it('sends a request with the token that was pasted, and shows the answer', async () => {
    await visit(addressOf('shop'), async (visited) => {
      const { page } = visited;
      await operations(page);
      const list = await opened(page, 'backofficeCustomersList');
      expect(await execute(list)).to.equal('401');
      await page.click('.authorise');
      await page.fill('.dialog input[name="token"]', `Bearer ${application('shop').token}`);
      await page.click('.dialog button:has-text("Use token")');
      expect(await execute(list)).to.equal('200');
      expect(await list.locator('.live-responses-table .highlight-code').textContent()).to.include('"totalCount"');
      // What the API refuses is told by the browser's own console, and is no mistake of the page.
      expectQuiet({ ...visited, complaints: visited.complaints.filter((text) => !text.includes('status of 401')) });
    });
  });

  it('logs in where the application has passwords, and stays so after a reload', async () => {
    const { server } = application('helpdesk');
    const account = { email: 'reader@example.com', name: 'Reader', password: 'correct horse battery' };
    const made = await fetch(`${server.url}/api/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    });
    expect(made.status).to.equal(201);
    await visit(addressOf('helpdesk'), async ({ page }) => {
      await operations(page);
      await page.click('.authorise');
      await page.fill('.dialog input[name="email"]', account.email);
      await page.fill('.dialog input[name="password"]', 'wrong');
      await page.click('.dialog button:has-text("Log in")');
      await page.waitForSelector('.refusal:not(:empty)');
      expect(await page.locator('.refusal').first().textContent()).to.equal('The login or the password is wrong.');
      await page.fill('.dialog input[name="password"]', account.password);
      await page.click('.dialog button:has-text("Log in")');
      await page.waitForSelector('.authorise.is-on');
      await page.reload();
      await operations(page);
      const me = await opened(page, 'authMe');
      expect(await execute(me)).to.equal('200');
      expect(await me.locator('.live-responses-table .highlight-code').textContent()).to.include(account.email);
    });
  });

  it('works below the path of a reverse proxy, with and without a slash at its end', async () => {
    const proxy = await startPrefixProxy(application('blog').server.url, '/shop/front');
    try {
      for (const address of [`${proxy.url}/docs`, `${proxy.url}/docs/`]) {
        await visit(address, async (visited) => {
          const { page } = visited;
          await operations(page);
          const list = await opened(page, 'postList');
          expect(await execute(list)).to.equal('200');
          expect(await list.locator('.request-url').textContent()).to.include(`${proxy.url}/api/post`);
          await page.click('.views a[href="#models"]');
          await page.waitForSelector('.diagram .model');
          expectQuiet(visited);
        });
      }
    } finally {
      await proxy.close();
    }
  });

  it('finds operations by words of their path, method and texts', async () => {
    await visit(addressOf('shop'), async ({ page }) => {
      await operations(page);
      await page.keyboard.press('/');
      await page.keyboard.type('COUPONS delete');
      await page.locator('.opblock').nth(1).waitFor({ state: 'detached' });
      expect(await page.locator('.opblock').count()).to.equal(1);
      expect(await shownOperations(page)).to.deep.equal([
        'backoffice.coupons delete /api/backoffice/coupons/{coupon_code}',
      ]);
      await page.fill('.search input', 'no such thing at all');
      await page.locator('.opblock').first().waitFor({ state: 'detached' });
    });
  });

  it('is dark where the system is, until somebody switches, which is kept', async () => {
    const ground = (page: Page) => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await visit(
      addressOf('blog'),
      async (visited) => {
        const { page } = visited;
        await operations(page);
        const dark = await ground(page);
        await page.click('.theme');
        const light = await ground(page);
        expect([luminance(dark) < 40, luminance(light) > 200]).to.deep.equal([true, true]);
        await page.reload();
        expect(await ground(page)).to.equal(light);
        expectQuiet(visited);
      },
      { colorScheme: 'dark' },
    );
    await visit(addressOf('blog'), async ({ page }) => {
      expect(luminance(await ground(page))).to.be.greaterThan(200);
    });
  });

  it('needs no scrolling to the side on a phone, and can be tapped', async () => {
    await visit(
      addressOf('helpdesk'),
      async (visited) => {
        const { page } = visited;
        await operations(page);
        const list = await opened(page, 'organisationsTicketsCreate');
        await list.locator('.try-out__btn').click();
        expect(await widthOf(page)).to.equal(PHONE.viewport.width);
        const small = await page
          .locator('.bar button, .bar a, .opblock-summary-control')
          .evaluateAll((all) =>
            all.map((each) => each.getBoundingClientRect().height).filter((height) => height > 0 && height < 36),
          );
        expect(small).to.deep.equal([]);
        await page.click('.authorise');
        await page.locator('.dialog .close').click();
        await page.click('.views a[href="#models"]');
        await page.waitForSelector('.diagram .model');
        await page.locator('.model-text h3 a', { hasText: 'Ticket' }).first().click();
        await page.waitForSelector('.details:not([hidden])');
        expect(await widthOf(page)).to.equal(PHONE.viewport.width);
        expectQuiet(visited);
      },
      PHONE,
    );
  });

  it('shows a model that is clicked or chosen by key, with its neighbours', async () => {
    await visit(`${addressOf('shop')}#models`, async (visited) => {
      const { page } = visited;
      await page.locator('[data-model="OrderLine"]').click();
      await page.waitForSelector('.details:not([hidden])');
      expect(await page.locator('.details h2').textContent()).to.equal('OrderLine');
      expect(await page.locator('.details').textContent()).to.include('Pieces, or kilograms.');
      const near = await page
        .locator('.diagram .model.is-near')
        .evaluateAll((all) => all.map((box) => box.getAttribute('data-model')));
      expect(near.toSorted()).to.deep.equal(['Order', 'OrderLine', 'Product']);
      await page.locator('[data-model="Product"]').focus();
      await page.keyboard.press('Enter');
      await page.locator('.details h2', { hasText: 'Product' }).waitFor();
      expect(await page.locator('body').textContent()).to.not.include('What we pay for it');
      expect(page.url()).to.match(/#models\/Product$/);
      expectQuiet(visited);
    });
  });

  it('draws a hundred models', async () => {
    const { server } = await documentedApplication(manyModels(100), 'many');
    try {
      await visit(`${server.url}/docs#models`, async (visited) => {
        await visited.page.waitForSelector('.diagram .model');
        expect(await visited.page.locator('.diagram .model').count()).to.equal(100);
        expect(await visited.page.locator('.edge').count()).to.equal(99);
        expectQuiet(visited);
      });
    } finally {
      await server.stop();
    }
  });

  it('says so where the API cannot be read', async () => {
    await visit(addressOf('blog'), async ({ page }) => {
      await page.route('**/openapi.json', (route) => route.fulfill({ status: 503 }));
      await page.reload();
      await page.waitForSelector('#operations-view [role="alert"]');
      expect(await page.locator('#operations-view').textContent()).to.include('answered 503');
    });
  });
});

async function operations(page: Page): Promise<void> {
  await page.waitForSelector('.opblock');
  await page.waitForSelector('.outline [data-tag]', { state: 'attached' });
}

function shownOperations(page: Page): Promise<readonly string[]> {
  return page.locator('.opblock').evaluateAll((all) =>
    all.map((block) => {
      const tag = block.closest('.opblock-tag-section')?.querySelector('[data-tag]')?.getAttribute('data-tag');
      const method = block.querySelector('.opblock-summary-method')?.textContent?.toLowerCase();
      return `${tag} ${method} ${block.querySelector('.opblock-summary-path')?.getAttribute('data-path')}`;
    }),
  );
}

async function opened(page: Page, operationId: string) {
  const block = page.locator(`.opblock[id$="-${operationId}"]`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('.try-out__btn').waitFor();
  return block;
}

/** The status of the answer. */
async function execute(block: Awaited<ReturnType<typeof opened>>): Promise<string> {
  const start = block.locator('.try-out__btn:not(.cancel)');
  if ((await start.count()) > 0) await start.click();
  const clear = block.locator('.btn-clear');
  if ((await clear.count()) > 0) await clear.click();
  await block.locator('.execute').click();
  const status = block.locator('.live-responses-table tbody .response-col_status');
  return ((await status.first().textContent()) ?? '').trim().slice(0, 3);
}

function expectQuiet({ page, complaints, origins }: Visit): void {
  expect(complaints).to.deep.equal([]);
  expect([...origins]).to.deep.equal([new URL(page.url()).origin]);
}

function widthOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth');
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function manyModels(count: number) {
  const names = Array.from({ length: count }, (_, at) => `M${at + 1}`);
  const models = names.map((name, at) => {
    const parent = at === 0 ? '' : `reference parent { to ${names[Math.floor((at - 1) / 3)]} }`;
    return `model ${name} { ${parent}\n field label { type string } }`;
  });
  const entrypoints = names.map((name) => `entrypoint ${name} as ${name.toLowerCase()} { list endpoint {} }`);
  const text = `${models.join('\n')}\napi { ${entrypoints.join('\n')} }`;
  return definitionOf([{ path: 'main.kiln', text }]);
}
