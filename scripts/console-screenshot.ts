/**
 * Takes the picture of the console for README.md, from a `kiln dev` that runs:
 * `npx tsx scripts/console-screenshot.ts http://localhost:3000/#/postCreate docs/pictures/console.png`.
 */
import { chromium } from 'playwright-core';

const [address, file] = process.argv.slice(2);
if (address === undefined || file === undefined) {
  console.error('Name the address of the page and the file to write: console-screenshot.ts <address> <file>');
  process.exit(2);
}

const executablePath = process.env.KILN_TEST_CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 660 }, colorScheme: 'light' });
await page.goto(address);
await page.waitForSelector('.operation, .overview');
await page.screenshot({ path: file });
await browser.close();
