/** A browser for the tests: that of KILN_TEST_CHROMIUM, or what the PATH has. Without any, its tests are left out. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** The first one is the same browser without windows, and starts and draws in less processor time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];

let browser: Promise<Browser> | undefined;
let isTold = false;

/** For a hook `before`. */
export function skipWithoutChromium(test: Mocha.Context): void {
  if (executable() !== undefined) return;
  if (!isTold) console.log('    tests in a browser are left out: there is no chromium (KILN_TEST_CHROMIUM)');
  isTold = true;
  test.skip();
}

function executable(): string | undefined {
  if (process.env.KILN_TEST_CHROMIUM) return process.env.KILN_TEST_CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file));
}

// At the top of a module this is a hook of the whole run.
after('closes the browser', async () => {
  await (await browser)?.close();
});

export interface Visit {
  readonly page: Page;
  /** What went wrong: errors and warnings of the console, and what the policy of the page refused. */
  readonly complaints: readonly string[];
  /** The origins that were asked for anything. */
  readonly origins: ReadonlySet<string>;
}

/** `look` has a page of its own. Whatever it did, the page has not complained and asked nobody but `url`'s origin. */
export async function visit(
  url: string,
  look: (visit: Visit) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  browser ??= chromium.launch({ executablePath: executable() ?? '', args: FLAGS });
  const context = await (await browser).newContext({ viewport: { width: 1280, height: 860 }, ...options });
  try {
    const page = await context.newPage();
    const complaints: string[] = [];
    const origins = new Set<string>();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', ({ message }) => complaints.push(message));
    // What the policy of the page stops is asked for too, as far as this is concerned.
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:' && protocol !== 'blob:') origins.add(origin);
    });
    await open(page, url, complaints);
    await look({ page, complaints, origins }).catch((error) => tellPage(error, page, complaints));
  } finally {
    await context.close();
  }
}

/** A network that the engine makes for other tests ends what the browser asks for, from loopback too: it is asked again. */
async function open(page: Page, url: string, complaints: string[]): Promise<void> {
  const isInterrupted = (text: string) => text.includes('ERR_NETWORK_CHANGED') || text.includes('is interrupted by');
  for (let attempt = 1; ; attempt++) {
    const failure = await page.goto(url).then(
      () => undefined,
      (error: Error) => error,
    );
    const texts = failure === undefined ? complaints : [failure.message];
    if (attempt < 10 && texts.some(isInterrupted)) {
      complaints.length = 0;
      await sleep(500);
    } else if (failure !== undefined) {
      throw failure;
    } else {
      return;
    }
  }
}

/** What the page showed is gone with it, and often says why something was waited for in vain. */
async function tellPage(error: unknown, page: Page, complaints: readonly string[]): Promise<never> {
  const text = await page.evaluate<string>('document.body.innerText').catch(String);
  const state = await page.evaluate<string>('document.readyState').catch(String);
  const said = [`${page.url()} (${state}) showed: ${text.slice(0, 500)}`, ...complaints].join('\n');
  throw error instanceof Error && error.name === 'TimeoutError' ? new Error(`${error.message}\n${said}`) : error;
}
