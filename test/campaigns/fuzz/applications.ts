/** The applications that are fuzzed: every example, the starter of `kiln new`, and programs that are dense with features. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { openApiFromDefinition } from '../../../compiler/emit/openapi/openapi-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { bundleHooks } from '../../../pipeline/hooks/bundle-hooks.ts';
import { STARTER } from '../../../pipeline/new/project-files.ts';
import { ENVIRONMENT } from '../../compiler/openapi/contract-data.ts';
import {
  definitionOf,
  everythingDefinition,
  exampleDefinition,
  exampleFolder,
} from '../../compiler/openapi/documents.ts';
import { type HttpCase, httpCases } from '../../support/http-case.ts';
import type { ServedApplication } from '../server-process.ts';

export interface FuzzedApplication extends ServedApplication {
  readonly name: string;
  /** Its share of the time. */
  readonly weight: number;
}

/**
 * Failed logins are limited, but not so much that no account of the run can sign in again. Mails wait for a server that is
 * not there.
 */
const SETTINGS = {
  ...ENVIRONMENT,
  LOGIN_LIMIT: '200/1m',
  MAIL_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'fuzz@example.com',
};

const ROOT = resolve(import.meta.dirname, '../../..');

/** Files of `test/runtime/api` in which no hook fails on purpose. */
const DENSE = [
  'actions-create',
  'auth-password',
  'create-inputs',
  'filter-inputs',
  'ids-uuid',
  'nested',
  'pagination',
  'response-queries',
  'secrets',
  'signed',
  'types-round-trip',
  'unique',
  'validators-built-in',
];

/** The examples are found in their folder, so a new one is fuzzed from its first day. */
const EXAMPLES = readdirSync(join(ROOT, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

export const NAMES: readonly string[] = ['starter', ...EXAMPLES, 'everything', ...DENSE];

export async function applicationNamed(name: string): Promise<FuzzedApplication> {
  await loadGrammar();
  if (EXAMPLES.includes(name)) return applicationOf(name, exampleDefinition(name), exampleFolder(name), 4);
  if (name === 'starter') return applicationOf(name, definitionOf([STARTER]), ROOT, 2);
  if (name === 'everything') return applicationOf(name, everythingDefinition(), ROOT, 2);
  return denseApplication(name);
}

async function applicationOf(
  name: string,
  definition: Definition,
  folder: string,
  weight: number,
): Promise<FuzzedApplication> {
  const document = openApiFromDefinition(definition, { title: name, version: '1' });
  return { name, weight, definition, document, hooks: await hooksText(folder, definition), environment: SETTINGS };
}

async function hooksText(folder: string, definition: Definition): Promise<string | null> {
  const bundle = await bundleHooks(folder, definition);
  if (bundle === undefined) return null;
  if ('problems' in bundle) throw new Error(JSON.stringify(bundle.problems));
  return bundle.text;
}

async function denseApplication(name: string): Promise<FuzzedApplication> {
  const found = httpCases(join(ROOT, 'test/runtime/api')).find((each) => each.name === name);
  if (!found) throw new Error(`no application is called \`${name}\`: there are ${NAMES.join(', ')}`);
  const folder = folderWith(found);
  try {
    const definition = definitionOf(found.sources, (path) => found.files.get(path));
    const application = await applicationOf(name, definition, folder, 1);
    return { ...application, environment: { ...SETTINGS, ...found.environment } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function folderWith({ files }: HttpCase): string {
  const folder = mkdtempSync(join(tmpdir(), 'kiln-fuzz-'));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
