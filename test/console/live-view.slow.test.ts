/** The views Live and Models, and the overlay, on a real `kiln dev`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { type ModelGraph, wholeGraphFrom } from '../../runtime/console/model-graph.ts';
import { exampleDefinition } from '../compiler/openapi/documents.ts';
import { KILN } from '../pipeline/run-kiln.ts';
import { createDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { skipWithoutChromium, visit } from './chromium.ts';

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

const API = `
api {
  entrypoint Post as post {
    list endpoint {}
    create endpoint {}
    POST many "look" {
      extra inputs { field name { type string } }
      action { execute as found { hook { arg name name, source look from "code" } }, respond { body found } }
    }
  }
}`;
const RIGHT = 'model Post {\n  field title { type string, validate { minLength(3) } }\n}';
const HOOK = `export async function look({ name }, { db, log }) {
  for (const letter of name) await db.knex.raw('select title from post where title = ?', [letter]);
  log.warn({ name }, 'looked at all of them');
  return { name };
}
`;

describe('the console of kiln dev', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-console-'));
  let child: ChildProcess;
  let said = '';
  let url = '';

  before(async function () {
    skipWithoutChromium(this);
    await loadGrammar();
    mkdirSync(join(folder, 'hooks'));
    writeFileSync(join(folder, 'hooks/code.ts'), HOOK);
    write(RIGHT);
    const { url: database } = await createDatabase();
    child = spawn(process.execPath, [KILN, 'dev', folder, '--port', '0'], {
      env: { ...process.env, DATABASE_URL: database },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += chunk));
    await until(() => /Ready after/.test(said), { otherwise: () => said });
    url = /console\s+(\S+)/.exec(said)?.[1] as string;
  });
  after(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  function write(model: string): void {
    writeFileSync(join(folder, 'app.kiln'), `${model}\n${API}\n`);
  }

  const send = (path: string, body: object) =>
    fetch(`${url}api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('shows requests as they come, and one with all that it did', async () => {
    await visit(`${url}#/live`, async ({ page, complaints }) => {
      await page.locator('.connection.is-open').waitFor();
      await send('post', { title: 'no' });
      await send('post/look', { name: 'abcdef' });
      await page.locator('.request-row', { hasText: '/api/post/look' }).waitFor();
      expect(await page.locator('.request-row').count()).to.equal(2);
      await expectAccessible(page);

      await page.fill('[aria-label="Path"]', 'look');
      await until(async () => (await page.locator('.request-row').count()) === 1);
      expect(page.url()).to.include('path=look');
      await page.locator('.request-row').click();
      await page.locator('.statement').first().waitFor();
      const text = (await page.locator('.request').textContent()) ?? '';
      expect(text).to.include('This request runs one statement 6 times').and.to.include('looked at all of them');
      expect(await page.locator('.waterfall .is-hook').textContent()).to.match(/^Hook look of hooks\/code/);
      await page.click('button:has-text("Show the plans")');
      await page.locator('.plan', { hasText: 'Seq Scan on post' }).waitFor();
      await expectAccessible(page);

      await page.goto(`${url}#/live?status=4`);
      await page.locator('.request-row').click();
      await page.locator('.request-failure', { hasText: 'title' }).waitFor();
      expect(complaints).to.deep.equal([]);
    });
  });

  it('keeps the list as it is while it is paused', async () => {
    await visit(`${url}#/live`, async ({ page }) => {
      await page.locator('.request-row').first().waitFor();
      await page.click('button:has-text("Pause")');
      const before = await page.locator('.request-row').count();
      await send('post/look', { name: 'a' });
      await page.locator('button', { hasText: 'Resume (1 new)' }).waitFor();
      expect(await page.locator('.request-row').count()).to.equal(before);
      await page.click('button:has-text("Resume")');
      await until(async () => (await page.locator('.request-row').count()) === before + 1);
      await page.click('button:has-text("Clear")');
      await page.locator('.notice', { hasText: 'No requests yet' }).waitFor();
    });
  });

  it('shows what is wrong with the last save over every view, until it is right', async () => {
    await visit(`${url}#/live`, async ({ page, complaints }) => {
      await page.locator('.connection.is-open').waitFor();
      await page.fill('[aria-label="Path"]', 'typed');
      write(RIGHT.replace('string', 'sting'));
      const overlay = page.locator('.compile-overlay');
      await overlay.waitFor();
      expect(await overlay.locator('mark').textContent()).to.equal('sting');
      expect(await overlay.textContent())
        .to.include('app.kiln:2:')
        .and.to.include('1 error in the sources');
      await expectAccessible(page);
      await page.goto(`${url}#/models`);
      expect(await overlay.isVisible()).to.equal(true);
      await page.keyboard.press('Escape');
      expect(await overlay.isVisible()).to.equal(false);
      await page.click('.compile-again');
      expect(await overlay.isVisible()).to.equal(true);
      await page.goto(`${url}#/live?path=typed`);
      write(RIGHT.replace('}\n}', '}\n  field likes { type integer, default 0 }\n}'));
      await page.locator('.update-box', { hasText: 'Updated' }).waitFor();
      expect(await overlay.count()).to.equal(0);
      expect(await page.inputValue('[aria-label="Path"]')).to.equal('typed');
      await page.goto(`${url}#/models/Post`);
      await page.locator('.member', { hasText: 'likes' }).first().waitFor();
      expect(await page.locator('.details').textContent())
        .to.include('minLength(3)')
        .and.to.include('default 0');
      await expectAccessible(page);
      expect(complaints).to.deep.equal([]);
    });
  });

  it('applies a fix, and asks about data that a save would delete', async () => {
    const liked = RIGHT.replace('}\n}', '}\n  field likes { type integer, default 0 }\n}');
    const starred = liked.replace('likes', 'stars');
    const source = () => readFileSync(join(folder, 'app.kiln'), 'utf8');
    await visit(`${url}#/live`, async ({ page, complaints }) => {
      await page.locator('.connection.is-open').waitFor();
      const overlay = page.locator('.compile-overlay');
      write(liked.replace('string', 'strin'));
      expect(await page.locator('.compile-overlay a').first().getAttribute('href')).to.equal(
        `vscode://file${join(folder, 'app.kiln')}:2:22`,
      );
      await page.click('button:has-text("Apply the fix")');
      await overlay.waitFor({ state: 'detached' });
      expect(source()).to.equal(`${liked}\n${API}\n`);
      write(starred.replace('string', 'strin'));
      await overlay.locator('mark', { hasText: 'strin' }).waitFor();
      write(starred);
      await overlay.locator('h3', { hasText: 'The field Post.likes is gone. What now?' }).waitFor();
      // The errors of the save before are gone; that of this one, and what mends it, are below the question.
      expect(await overlay.locator('mark').allInnerTexts()).to.deep.equal(['Post']);
      expect(await overlay.locator('.compile-help').innerText()).to.include('was likes');
      await expectAccessible(page);
      await page.click('button:has-text("Cancel: nothing is changed")');
      await overlay.locator('h3', { hasText: 'Nothing was changed' }).waitFor();
      write(`${starred}\n`);
      await page.click('button:has-text("Rename it to stars and keep its values")');
      await overlay.waitFor({ state: 'detached' });
      expect(source()).to.include('was likes');
      write(starred.replace('stars', 'other').replace('integer, default 0', 'string, nullable'));
      await page.click('button:has-text("Delete it with its values")');
      await overlay.waitFor({ state: 'detached' });
      expect(complaints).to.deep.equal([]);
    });
  });

  it('says so about the code of a hook too', async () => {
    await visit(url, async ({ page }) => {
      writeFileSync(join(folder, 'hooks/code.ts'), `import 'nowhere-to-be-found';\n${HOOK}`);
      await page.locator('.compile-overlay', { hasText: 'hooks/code.ts:1:' }).waitFor();
      writeFileSync(join(folder, 'hooks/code.ts'), HOOK);
      await page.locator('.compile-overlay').waitFor({ state: 'detached' });
    });
  });

  it('selects a model by keys, as the box itself and as the button in it', async () => {
    await visitModels(wholeGraphFrom(exampleDefinition('shop')), '#/models', async (page) => {
      for (const [model, selector] of [
        ['OrderLine', '[data-model="OrderLine"]'],
        ['Product', '[data-model="Product"] [role="button"]'],
      ] as const) {
        await page.locator(selector).focus();
        await page.keyboard.press('Enter');
        await page.locator('.details h2', { hasText: model }).waitFor();
        expect(page.url()).to.match(new RegExp(`#/models/${model}$`));
      }
    });
  });

  it('fits a phone', async () => {
    await visitModels(
      wholeGraphFrom(exampleDefinition('helpdesk')),
      '#/models/Ticket',
      async (page) => {
        await page.waitForSelector('.details');
        for (const hash of ['#/models/Ticket', '#/live']) {
          await page.goto(`${url}${hash}`);
          expect(await page.evaluate<number>('document.documentElement.scrollWidth'), hash).to.equal(360);
        }
      },
      PHONE,
    );
  });

  it('shows one of a thousand models with its neighbours', async () => {
    await visitModels(manyModels(1000), '#/models', async (page) => {
      expect(await page.locator('.part-note').textContent()).to.include('1,000 models');
      expect(await page.locator('.side-list a').count()).to.equal(1000);
      expect(await page.locator('.diagram .model').count()).to.be.within(2, 30);
      await page.fill('[aria-label="Search the models"]', 'Model777');
      await page.click('.side-list a');
      await page.locator('.details h2', { hasText: 'Model777' }).waitFor();
      expect((await namesIn(page, '.diagram .model', ['model'])).toSorted()).to.deep.equal(['Model258', 'Model777']);
    });
  });

  type Look = (page: Page) => Promise<void>;

  /** The view Models with other models than those of the server. */
  async function visitModels(graph: ModelGraph, hash: string, look: Look, options = {}) {
    await visit(
      'about:blank',
      async ({ page, complaints }) => {
        await page.route('**/_console/models', (route) => route.fulfill({ json: graph }));
        await page.goto(`${url}${hash}`);
        await page.waitForSelector('.diagram .model');
        await look(page);
        expect(complaints).to.deep.equal([]);
      },
      options,
    );
  }
});

function namesIn(page: Page, selector: string, keys: readonly string[]): Promise<readonly string[]> {
  return page
    .locator(selector)
    .evaluateAll(
      (all, names) => all.map((each) => names.map((key) => each.getAttribute(`data-${key}`)).join(' ')),
      keys as string[],
    );
}

/** By the rules of axe. */
async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<string[]>(`axe.run().then(({ violations }) => violations.map(
    ({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`);
  expect(found).to.deep.equal([]);
}

/** Each refers to one before it. */
function manyModels(count: number): ModelGraph {
  const member = { kind: 'field', name: 'label', doc: null, type: 'string' } as const;
  const models = Array.from({ length: count }, (_, at) => ({
    name: `Model${at}`,
    doc: null,
    entrypoints: [],
    members: [member],
  }));
  const edges = models.slice(1).map(({ name }, at) => ({
    from: name,
    to: `Model${Math.floor(at / 3)}`,
    reference: 'parent',
    relation: null,
    unique: false,
    nullable: false,
  }));
  return { models, edges };
}
