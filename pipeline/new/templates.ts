/**
 * What a new application can start from: a small one of `files/starter`, or one of the examples, which are read from the
 * folder that lies beside Kiln's own code in a checkout as in a package.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { readmeOfCopy } from './example-readme.ts';
import texts from './files.json' with { type: 'json' };
import type { ProjectFile } from './project-file.ts';

export const TEMPLATES = ['starter', 'blog', 'bookings', 'helpdesk', 'shop'] as const;
export type Template = (typeof TEMPLATES)[number];

export interface Application {
  /** The sources, the code of hooks, and a test. */
  readonly files: readonly ProjectFile[];
  readonly variables: readonly string[];
  /** Of the example; null for the starter. */
  readonly readme: string | null;
}

/** Small enough to be read in a minute: one model, what can be asked of it, and some records to look at. */
export const STARTER = { path: 'tasks.kiln', text: texts['starter/tasks.kiln'] } satisfies ProjectFile;

/** Gives a sentence where the examples did not come with this Kiln. */
export function applicationOf(template: Template): Application | string {
  const test = { path: TEST, text: texts[`${template}/${TEST}`] };
  if (template === 'starter') return { files: [STARTER, test], variables: [], readme: null };
  const folder = folderAbove(import.meta.dirname, join('examples', template));
  if (folder === undefined) return `this Kiln came without its examples, so there is no template \`${template}\``;
  const readme = readmeOfCopy(readFileSync(join(folder, 'README.md'), 'utf8'), template);
  return { files: [...exampleFiles(folder), test], variables: VARIABLES[template] ?? [], readme };
}

const TEST = 'test/api.test.mjs';

const VARIABLES: Partial<Record<Template, readonly string[]>> = {
  shop: ['KILN_JWT_JWKS_URL', 'KILN_JWT_ISSUER', 'KILN_JWT_AUDIENCE'],
};

function exampleFiles(folder: string): readonly ProjectFile[] {
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
