import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { differencePage } from '../../../pipeline/page/difference-page.ts';
import { reportPage } from '../../../pipeline/page/report-page.ts';
import { skipWithoutChromium, visit } from '../../console/chromium.ts';
import { temporaryFolder } from '../git/git-repository.ts';
import { DIFFERENCE, sampleReport } from './sample-report.ts';

const LIGHT = 'rgb(255, 255, 255)';
const DARK = 'rgb(20, 18, 16)';
/** Of paper, also where the screen is dark. */
const WHITE = 'rgb(255, 255, 255)';

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
    it(`show a ${name} from the file alone: light, dark, on a phone and printed`, async () => {
      await visit(files.get(name) ?? '', async ({ page, complaints, origins }) => {
        const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
        const isTooWide = () => page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
        expect([await ground(), await isTooWide()]).to.deep.equal([LIGHT, false]);
        await page.emulateMedia({ colorScheme: 'dark' });
        expect([await ground(), await isTooWide()]).to.deep.equal([DARK, false]);
        await page.setViewportSize({ width: 360, height: 740 });
        expect(await isTooWide()).to.equal(false);
        expect(await page.locator('.loud').first().isVisible()).to.equal(true);
        expect(await page.locator('.loud h3').allTextContents()).to.include('Who may do more than before');
        await page.emulateMedia({ media: 'print' });
        expect(await ground()).to.equal(WHITE);
        expect([...complaints]).to.deep.equal([]);
        expect([...origins]).to.deep.equal(['null']);
      });
    });
  }
});
