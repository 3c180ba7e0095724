import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { OpenApiDocument, PathItem } from '../../compiler/emit/openapi/document.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { modelGraphFrom } from '../../runtime/console/model-graph.ts';
import { definitionOf, EXAMPLES, routesOf } from '../compiler/openapi/documents.ts';
import { isSlow, itInBoth, itSlowly } from '../support/slow.ts';
import { accessibilityViolations } from './accessibility.ts';
import { skipWithoutChromium, type Visit, visit } from './chromium.ts';
import { type DocumentedApplication, documentedApplication, documentedExample } from './documented-application.ts';
import { startPrefixProxy } from './prefix-proxy.ts';

const SHELL = '#operation-authorCreate .try .code.is-shell';
const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

describe('the console in a browser', () => {
  const applications = new Map<string, DocumentedApplication>();

  before(async function () {
    skipWithoutChromium(this);
    await loadGrammar();
    for (const example of isSlow ? EXAMPLES : ['blog', 'shop'])
      applications.set(example, await documentedExample(example));
  });

  after(() => Promise.all([...applications.values()].map(({ server }) => server.stop())));

  const application = (name: string): DocumentedApplication => applications.get(name) as DocumentedApplication;
  const addressOf = (name: string): string => `${application(name).server.url}/docs`;

  for (const example of EXAMPLES.filter((each) => isSlow !== (each === 'shop'))) {
    itInBoth(`shows every operation of ${example}, grouped by entrypoint`, async () => {
      await visit(addressOf(example), async (visited) => {
        const { page } = visited;
        await operations(page);
        const { document } = application(example);
        const expected = routesOf(document).map(
          ({ path, method, operation }) => `${operation.tags[0]} ${method} ${path}`,
        );
        expect((await listedOperations(page)).toSorted()).to.deep.equal(expected.toSorted());
        expect(await page.locator('.outline [data-tag]').count()).to.equal(document.tags.length);
        const shown: string[] = [];
        for (const { name } of document.tags) shown.push(...(await operationsOfGroup(page, name)));
        expect(shown.toSorted()).to.deep.equal(expected.toSorted());
        expect(await page.title()).to.equal(`${example} API`);
        expectQuiet(visited);
      });
    });

    itInBoth(`draws a box for each model of ${example}, and an edge for each reference`, async () => {
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
        expect(await page.locator('.side-list a').count()).to.equal(models.length);
        expectQuiet(visited);
      });
    });
  }

  it('sends a request with the token that was pasted, and shows the response', async () => {
    await visit(addressOf('shop'), async (visited) => {
      const { page } = visited;
      await operations(page);
      await tried(page, 'backofficeCustomersList');
      expect(await sent(page)).to.equal('401');
      await page.click('.response button:has-text("Sign in")');
      await page.fill('.dialog input[name="token"]', `Bearer ${application('shop').token}`);
      await page.click('.dialog button:has-text("Use token")');
      expect(await sent(page)).to.equal('200');
      expect(await page.locator('.response pre').textContent()).to.include('"totalCount"');
      expect(await page.locator('.response-head').textContent()).to.match(/\d+ ms\d+(\.\d)? k?B/);
      await page.click('.response [role="tab"]:has-text("Headers")');
      expect(await page.locator('.response pre').textContent()).to.include('content-type: application/json');
      // The browser's own log has each response that is an error. That is no mistake of the page.
      expectQuiet({ ...visited, complaints: visited.complaints.filter((text) => !text.includes('status of 401')) });
    });
  });

  itSlowly('logs in where the application has passwords, and stays so after a reload', async () => {
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
      await page.click('.dialog .form button:has-text("Sign in")');
      await page.waitForSelector('.field-error:not(:empty)');
      expect(await page.locator('.field-error').first().textContent()).to.equal('The login or the password is wrong.');
      await page.fill('.dialog input[name="password"]', account.password);
      await page.click('.dialog .form button:has-text("Sign in")');
      await page.waitForSelector('.authorise.is-on');
      await page.reload();
      await operations(page);
      await tried(page, 'authMe');
      expect(await sent(page)).to.equal('200');
      expect(await page.locator('.response pre').textContent()).to.include(account.email);
      await page.click('.authorise');
      await page.click('.dialog button:has-text("Sign out")');
      expect(await sent(page)).to.equal('401');
    });
  });

  itSlowly('goes back and forth between two accounts with one click', async () => {
    const { server } = application('helpdesk');
    const accounts = ['ann', 'bob'].map((name) => ({ email: `${name}@example.com`, name, password: 'correct horse' }));
    for (const account of accounts) {
      const body = JSON.stringify(account);
      const headers = { 'content-type': 'application/json' };
      const made = await fetch(`${server.url}/api/auth/register`, { method: 'POST', headers, body });
      expect(made.status).to.equal(201);
    }
    await visit(addressOf('helpdesk'), async ({ page }) => {
      await operations(page);
      for (const { email, password } of accounts) {
        await page.click('.authorise');
        await page.fill('.dialog input[name="email"]', email);
        await page.fill('.dialog input[name="password"]', password);
        await page.click('.dialog .form button:has-text("Sign in")');
        await page.waitForSelector(`.authorise:has-text("${email}")`);
      }
      await page.click('[aria-label^="Switch to ann@example.com"]');
      await page.waitForSelector('.authorise:has-text("ann@example.com")');
      await page.click('[aria-label^="Switch to bob@example.com"]');
      await page.waitForSelector('.authorise:has-text("bob@example.com")');
      await page.click('.authorise');
      await page.click('.dialog button:has-text("Sign out")');
      await page.waitForSelector('.authorise:has-text("Sign in")');
      expect(await page.locator('[aria-label^="Switch to"]').count()).to.equal(0);
    });
  });

  it('has forms that stay in step with their JSON, show errors at their fields, and are kept in the history', async () => {
    await visit(addressOf('blog'), async (visited) => {
      const { page } = visited;
      await operations(page);
      await tried(page, 'postCreate');
      await page.getByLabel('title', { exact: true }).fill('No');
      await page.getByLabel('slug', { exact: true }).fill('a new post');
      await page.click('.tab:has-text("JSON")');
      const json = page.locator('.json-body');
      expect(JSON.parse(await json.inputValue())).to.include({ title: 'No', slug: 'a new post' });
      await json.fill('{ "title": "Yes", "slug": "a new post", "body": "From JSON" ');
      expect(await page.locator('.field-error').textContent()).to.include('This is not JSON yet');
      const posts: string[] = [];
      page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
      await page.click('.send');
      await page.waitForSelector('.json-body:focus');
      expect(posts).to.deep.equal([]);
      await json.fill(
        '{ "title": "Yes", "slug": "a new post", "body": "From JSON", "author_email": "nobody@example.com" }',
      );
      await page.click('.tab:has-text("Form")');
      expect(await page.getByLabel('body', { exact: true }).inputValue()).to.equal('From JSON');
      expect(await page.locator('#operation-postCreate .operation-code pre').first().textContent()).to.include(
        '"title": "Yes"',
      );
      expect(await sent(page)).to.equal('422');
      const errorOf = (name: string) => page.locator('.field.has-error', { hasText: name }).locator('.field-error');
      expect(await errorOf('title').textContent()).to.include('4');
      expect(await errorOf('slug').count()).to.equal(1);
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      await page.getByLabel('slug', { exact: true }).fill('a-new-post');
      await errorOf('slug').waitFor({ state: 'detached' });
      expect(await errorOf('title').count()).to.equal(1);
      await tried(page, 'postList');
      await page.getByLabel('page', { exact: true }).press('Control+Enter');
      await page.locator('.response .status', { hasText: '200' }).waitFor();
      await page.click('.history summary');
      await page.locator('.history-entry:has(.method.is-post)').click();
      await page.waitForSelector('#operation-postCreate .send');
      expect(await page.getByLabel('title', { exact: true }).inputValue()).to.equal('Yes');
      expectQuiet({ ...visited, complaints: visited.complaints.filter((text) => !text.includes('status of 422')) });
    });
  });

  itSlowly('works below the path of a reverse proxy, with and without a slash at its end', async () => {
    const proxy = await startPrefixProxy(application('blog').server.url, '/shop/front');
    try {
      for (const address of [`${proxy.url}/docs`, `${proxy.url}/docs/`]) {
        await visit(address, async (visited) => {
          const { page } = visited;
          await operations(page);
          await tried(page, 'postList');
          expect(await sent(page)).to.equal('200');
          expect(await page.locator('.try .operation-code pre').first().textContent()).to.include(
            `${proxy.url}/api/post`,
          );
          await page.click('.views a[href="#/models"]');
          await page.waitForSelector('.diagram .model');
          expectQuiet(visited);
        });
      }
    } finally {
      await proxy.close();
    }
  });

  itSlowly('finds operations by words of their path, method and texts, with keys alone', async () => {
    await visit(addressOf('shop'), async ({ page }) => {
      await operations(page);
      await page.keyboard.press('/');
      const listed = await listedOperations(page);
      await page.keyboard.type('COUPONS delete');
      await page.locator('.search-result').nth(1).waitFor({ state: 'detached' });
      expect(await page.locator('.search-result span').allTextContents()).to.deep.equal([
        'DEL',
        'Delete Coupon',
        '/api/backoffice/coupons/{coupon_code}',
      ]);
      expect(await listedOperations(page)).to.deep.equal(listed);
      await page.fill('.search input', 'coupons');
      await page.keyboard.press('ArrowDown');
      const chosen = await page.locator('.search-result[aria-selected="true"]').textContent();
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      await page.keyboard.press('Enter');
      await page.waitForSelector('.outline-operation[aria-current]');
      expect(chosen).to.include(await page.locator('.outline-operation[aria-current] .outline-summary').textContent());
      await page.fill('.search input', 'zebra');
      await page.locator('.search-result').first().waitFor({ state: 'detached' });
      expect(await page.locator('.search-count').textContent()).to.equal('Nothing was found.');
    });
  });

  itSlowly('scrolls to the operation that a link names, also to links of earlier pages', async () => {
    await visit(`${addressOf('blog')}#/postDelete`, async ({ page }) => {
      await scrolledTo(page, 'postDelete');
      // The page marks what is scrolled to when it has settled.
      const marked = page.locator('.outline-operation[data-operation="postGet"][aria-current]');
      for (let attempt = 1; attempt < 50 && (await marked.count()) === 0; attempt++)
        for (const id of ['postDelete', 'postGet']) {
          await page.evaluate(`document.querySelector("#operation-${id}").scrollIntoView()`);
          await page.waitForTimeout(200);
        }
      expect(await marked.count()).to.equal(1);
      await goTo(page, '#/author/authorUpdate');
      await scrolledTo(page, 'authorUpdate');
      await goTo(page, '#/post');
      await page.waitForSelector('.outline-tag[data-tag="post"][aria-current]');
      await goTo(page, '#/nothing');
      expect(await page.locator('[role="alert"]').textContent()).to.include('no operation or group nothing');
    });
  });

  itSlowly('can be used with a screen reader', async () => {
    await visit(addressOf('helpdesk'), async ({ page }) => {
      await operations(page);
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      await goTo(page, '#/authRegister');
      await page.waitForSelector('#operation-authRegister');
      expect(await accessibilityViolations(page)).to.deep.equal([]);
      await tried(page, 'authRegister');
      await page.click('.authorise');
      expect(await accessibilityViolations(page)).to.deep.equal([]);
    });
  });

  itSlowly('has texts with enough contrast on dark ground too', async () => {
    const look = async ({ page }: Visit): Promise<void> => {
      await operations(page);
      await tried(page, 'authRegister');
      expect(await accessibilityViolations(page, ['color-contrast'])).to.deep.equal([]);
    };
    await visit(addressOf('helpdesk'), look, { colorScheme: 'dark' });
  });

  itSlowly('draws little of an API with thousands of operations', async () => {
    await visit(addressOf('blog'), async ({ page }) => {
      const document = JSON.stringify(thousandGroups(application('blog').document));
      await page.route('**/openapi.json', (route) =>
        route.fulfill({ body: document, contentType: 'application/json' }),
      );
      await page.reload();
      await operations(page);
      expect(await page.locator('.outline-tag').count()).to.equal(1000);
      const nodes = (): Promise<number> => page.evaluate<number>('document.querySelectorAll("*").length');
      expect(await nodes()).to.be.lessThan(9000);
      await page.goto(`${addressOf('blog')}#/author700List`);
      await page.waitForSelector('#operation-author700List');
      expect(await page.locator('.operation').count()).to.equal(4);
      expect(await nodes()).to.be.lessThan(6000);
      await page.fill('.search input', 'author7');
      await page.waitForSelector('.search-result:nth-child(20)');
      expect(await page.locator('.search-count').textContent()).to.equal('20 of 444');
      expect(await page.locator('.outline-operation').count()).to.equal(4);
    });
  });

  itSlowly('is dark where the system is, until somebody switches, which is kept', async () => {
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

  itSlowly('needs no scrolling to the side on a phone, and can be tapped', async () => {
    await visit(
      addressOf('helpdesk'),
      async (visited) => {
        const { page } = visited;
        await operations(page);
        await page.click('.sidebar-toggle button');
        await page.locator('.outline-operation[data-operation="organisationsTicketsCreate"]').click();
        await page.waitForSelector('.sidebar', { state: 'hidden' });
        expect(await widthOf(page)).to.equal(PHONE.viewport.width);
        await page.locator('#operation-organisationsTicketsCreate .try-button').click();
        await page.waitForSelector('.send');
        expect(await widthOf(page)).to.equal(PHONE.viewport.width);
        const small = await page
          .locator('.bar button:not(.skip), .bar a, .sidebar-toggle button, .send, .try-button')
          .evaluateAll((all) =>
            all.map((each) => each.getBoundingClientRect().height).filter((height) => height > 0 && height < 36),
          );
        expect(small).to.deep.equal([]);
        await page.click('.authorise');
        await page.locator('.dialog .close').click();
        await page.click('.views a[href="#/models"]');
        await page.waitForSelector('.diagram .model');
        await page.click('.sidebar-toggle button');
        await page.locator('.side-list a', { hasText: 'Ticket' }).first().click();
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
      expect(page.url()).to.match(/#\/models\/Product$/);
      expectQuiet(visited);
    });
  });

  itSlowly('draws a hundred models', async () => {
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

  itSlowly('begins a view at its top, and returns to the place where it was left', async () => {
    await visit(`${addressOf('shop')}#/tag/backoffice.coupons`, async ({ page }) => {
      await page.waitForSelector('.operation');
      await page.evaluate('scrollTo(0, 700)');
      const left = await page.evaluate('scrollY');
      expect(left).to.be.greaterThan(100);
      // A click of the driver would scroll first.
      await page.evaluate('document.querySelector(\'.views a[href="#/models"]\').click()');
      await page.waitForSelector('.diagram .model');
      expect(await page.evaluate('scrollY')).to.equal(0);
      await page.goBack();
      await becomes(page, 'scrollY', left);
      await page.goForward();
      await becomes(page, 'scrollY', 0);
      await page.goBack();
      await becomes(page, 'scrollY', left);
      await page.waitForTimeout(300);
      await page.reload();
      await becomes(page, 'scrollY', left);
    });
  });

  itSlowly('draws models that can be read on a phone', async () => {
    await visit(
      `${addressOf('shop')}#/models`,
      async ({ page }) => {
        await page.waitForSelector('.diagram .model');
        const text =
          'Math.max(...[...document.querySelectorAll(".row-name")].map((e) => e.getBoundingClientRect().height))';
        await becomes(page, `${text} >= 12`, true);
        // The header has one row, in which the open view is in sight.
        expect(await page.evaluate('document.querySelector(".bar").clientHeight')).to.equal(56);
        const { x, width } = (await page.locator('.views [aria-current]').boundingBox()) ?? { x: -1, width: 0 };
        expect(x).to.be.at.least(0);
        expect(x + width).to.be.at.most((await page.locator('.search').boundingBox())?.x ?? 0);
      },
      PHONE,
    );
  });

  itSlowly('keeps texts from below the button that copies them', async () => {
    await visit(addressOf('blog'), async ({ page }) => {
      await operations(page);
      await tried(page, 'authorList');
      expect(await sent(page)).to.equal('200');
      const [text, button] = await Promise.all(
        ['.response pre', '.response .copy'].map((each) => page.locator(each).boundingBox()),
      );
      expect((text?.x ?? 0) + (text?.width ?? 0)).to.be.at.most(button?.x ?? 0);
    });
  });

  itSlowly('never breaks a line of a command before its backslash', async () => {
    await visit(addressOf('blog'), async ({ page }) => {
      await tried(page, 'authorCreate');
      await page.waitForSelector(`${SHELL} .token-continuation`);
      const lonely = await page.evaluate(`(() => {
        const ends = [...document.querySelectorAll('${SHELL} .token-continuation')];
        const found = [];
        for (let width = 500; width > 200; width -= 5) {
          document.querySelector('${SHELL} pre').style.width = width + 'px';
          if (ends.some((end) => end.getClientRects().length > 1)) found.push(width);
        }
        return { found, ends: ends.length };
      })()`);
      expect(lonely).to.deep.equal({ found: [], ends: 2 });
    });
  });

  itSlowly('says that the server does not answer, and can try again', async () => {
    await visit(addressOf('blog'), async ({ page }) => {
      await operations(page);
      await page.route('**/*', (route) => route.abort());
      await page.click('.views a[href="#/models"]');
      const alert = page.locator('main [role="alert"]');
      await alert.waitFor();
      expect(await alert.textContent()).to.match(/^The server does not answer\./);
      await page.unrouteAll();
      await page.click('main button:has-text("Retry")');
      await page.waitForSelector('.diagram .model');
    });
  });

  itSlowly('says so where the API cannot be read', async () => {
    await visit(addressOf('blog'), async ({ page }) => {
      await page.route('**/openapi.json', (route) => route.fulfill({ status: 503 }));
      await page.reload();
      await page.waitForSelector('main [role="alert"]');
      expect(await page.locator('main').textContent()).to.include('answered 503');
    });
  });
});

async function operations(page: Page): Promise<void> {
  await page.waitForSelector('.outline [data-tag]', { state: 'attached' });
}

function listedOperations(page: Page): Promise<readonly string[]> {
  return page.locator('.outline-operation').evaluateAll((all) =>
    all.map((link) => {
      const tag = link.closest('.outline-group')?.querySelector('[data-tag]')?.getAttribute('data-tag');
      const [method, path] = (link.getAttribute('title') ?? '').split(' ');
      return `${tag} ${method?.toLowerCase()} ${path}`;
    }),
  );
}

async function operationsOfGroup(page: Page, tag: string): Promise<readonly string[]> {
  await goTo(page, `#/tag/${encodeURIComponent(tag)}`);
  await page.waitForSelector(`.outline-tag[data-tag="${tag}"][aria-current]`);
  return page.locator('.operation').evaluateAll(
    (all, name) =>
      all.map((section) => {
        const method = section.querySelector('.route .method')?.textContent?.toLowerCase().replace('del', 'delete');
        return `${name} ${method} ${section.querySelector('[data-path]')?.getAttribute('data-path')}`;
      }),
    tag,
  );
}

async function scrolledTo(page: Page, id: string): Promise<void> {
  await page.waitForSelector(`#operation-${id}`);
  const top = `document.querySelector("#operation-${id}").getBoundingClientRect().top`;
  await page.waitForFunction(`Math.abs(${top}) < 200`);
  expect(await page.evaluate('document.activeElement.id')).to.equal(`title-${id}`);
}

/** Asked from here: the policy of the page lets nothing in it look again and again. */
async function becomes(page: Page, expression: string, wanted: unknown): Promise<void> {
  for (let attempt = 1; attempt < 200 && (await page.evaluate(expression)) !== wanted; attempt++)
    await page.waitForTimeout(50);
  expect(await page.evaluate(expression), expression).to.equal(wanted);
}

async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

async function tried(page: Page, operationId: string): Promise<void> {
  await goTo(page, `#/${operationId}?try=1`);
  await page.waitForSelector(`#operation-${operationId} .send`);
}

/** The status of the response. */
async function sent(page: Page): Promise<string> {
  const [response] = await Promise.all([
    page.waitForResponse((each) => each.url().includes('/api/') && each.request().method() !== 'OPTIONS'),
    page.click('.send'),
  ]);
  const status = page.locator('.response .status', { hasText: String(response.status()) });
  return (await status.textContent()) ?? '';
}

/** The entrypoint `author` a thousand times, under other names. */
function thousandGroups(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).filter(([path]) => path.startsWith('/api/author'));
  const numbers = Array.from({ length: 1000 }, (_, at) => at + 1);
  const renamed = (item: PathItem, number: number): PathItem =>
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [
        method,
        {
          ...operation,
          operationId: operation.operationId.replace('author', `author${number}`),
          tags: [`author${number}`],
        },
      ]),
    );
  return {
    ...document,
    tags: numbers.map((number) => ({ name: `author${number}`, description: 'Someone who writes.' })),
    paths: Object.fromEntries(
      numbers.flatMap((number) =>
        paths.map(([path, item]) => [path.replace('author', `author${number}`), renamed(item, number)]),
      ),
    ),
  };
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
