/**
 * What a new application can start from: a small one that is written here, or one of the examples, which are read from
 * the folder that lies beside Kiln's own code in a checkout as in a package.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { blogTest, helpdeskTest, shopTest, startTest } from './application-tests.ts';
import type { ProjectFile } from './project-file.ts';
import { STARTER } from './starter.ts';

export const TEMPLATES = ['starter', 'blog', 'helpdesk', 'shop'] as const;
export type Template = (typeof TEMPLATES)[number];

export interface Application {
  /** The sources, the code of hooks, and a test. */
  readonly files: readonly ProjectFile[];
  readonly variables: readonly string[];
}

/** Gives a sentence where the examples did not come with this Kiln. */
export function applicationOf(template: Template): Application | string {
  const { test, variables = [] } = PARTS[template];
  const sources = template === 'starter' ? [STARTER] : exampleFiles(template);
  if (sources === undefined) return `this Kiln came without its examples, so there is no template \`${template}\``;
  return { files: [...sources, { path: 'test/api.test.mjs', text: test }], variables };
}

interface Part {
  readonly test: string;
  readonly variables?: readonly string[];
}

const PARTS: Readonly<Record<Template, Part>> = {
  starter: { test: startTest },
  blog: { test: blogTest },
  helpdesk: { test: helpdeskTest },
  shop: { test: shopTest, variables: ['KILN_JWT_JWKS_URL', 'KILN_JWT_ISSUER', 'KILN_JWT_AUDIENCE'] },
};

function exampleFiles(name: string): readonly ProjectFile[] | undefined {
  const folder = folderAbove(import.meta.dirname, join('examples', name));
  if (folder === undefined) return undefined;
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.split(sep).join('/'))
    .filter(isPartOfApplication)
    .sort()
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}

/** An example that has been started keeps its database and its artifacts in folders of their own. */
function isPartOfApplication(path: string): boolean {
  return /\.(kiln|ts)$/.test(path) && !/(^|\/)(\.|node_modules\/|build\/|test\/)/.test(path);
}

/** This file is in `pipeline/new` or, bundled, in `dist/chunks`. */
function folderAbove(from: string, path: string): string | undefined {
  const folder = join(from, path);
  if (existsSync(folder)) return folder;
  return dirname(from) === from ? undefined : folderAbove(dirname(from), path);
}
