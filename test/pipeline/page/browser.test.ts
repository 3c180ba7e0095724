import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { differencePage } from '../../../pipeline/page/difference-page.ts';
import { reportPage } from '../../../pipeline/page/report-page.ts';
import { skipWithoutChromium, visit } from '../../docs-page/chromium.ts';
import { temporaryFolder } from '../git/git-repository.ts';
import { DIFFERENCE, sampleReport } from './sample-report.ts';

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

describe('the pages of releases in a browser', () => {
  const files = new Map<string, string>();

  before(async function () {
    skipWithoutChromium(this);
    await loadGrammar();
    const folder = temporaryFolder();
    const pages = {
      report: reportPage(sampleReport()),
      difference: differencePage({ application: 'blog', from: 'v1', to: 'v2', difference: DIFFERENCE }),
    };
    for (const [name, page] of Object.entries(pages)) {
      writeFileSync(join(folder, `${name}.html`), page);
      files.set(name, pathToFileURL(join(folder, `${name}.html`)).href);
    }
  });

  for (const name of ['report', 'difference']) {
    for (const [how, options] of [
      ['light', { colorScheme: 'light' }],
      ['dark', { colorScheme: 'dark' }],
      ['on a phone', PHONE],
    ] as const) {
      it(`show a ${name} ${how}, from the file alone`, async () => {
        await visit(
          files.get(name) ?? '',
          async ({ page, complaints, origins }) => {
            expect(await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')).to.equal(false);
            const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
            expect(ground).to.equal(how === 'dark' ? 'rgb(22, 20, 18)' : 'rgb(251, 250, 248)');
            expect(await page.locator('.loud h3').first().textContent()).to.equal('1 access rule became weaker');
            expect(await page.locator('.loud').first().isVisible()).to.equal(true);
            expect([...complaints]).to.deep.equal([]);
            expect([...origins]).to.deep.equal(['null']);
          },
          options,
        );
      });
    }
  }
});
