/** What axe finds wrong with a page, for people who use a keyboard or a screen reader. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** A line each; empty where nothing is wrong. Without `rules` all of them are checked. The policy of the page stops no script that comes from outside of it. */
export async function accessibilityViolations(page: Page, rules: readonly string[] = []): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const options = rules.length === 0 ? {} : { runOnly: rules };
  const { violations } = await page.evaluate<{ violations: readonly Violation[] }>(
    `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...options })})`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary.slice(0, 300)}`),
  );
}
