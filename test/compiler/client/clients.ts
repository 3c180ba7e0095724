/** Clients for the tests: made from a definition, and judged by the compiler of TypeScript. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { type ClientText, clientFromDefinition } from '../../../compiler/emit/client/client-from-definition.ts';
import type { OpenApiDocument } from '../../../compiler/emit/openapi/document.ts';
import { contractOf, openApiFromDefinition } from '../../../compiler/emit/openapi/openapi-from-definition.ts';
import { definitionOf } from '../openapi/documents.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

export function documentFrom(definition: Definition, title: string): OpenApiDocument {
  return openApiFromDefinition(definition, { title, version: '1' });
}

export function clientFrom(definition: Definition, title: string): ClientText {
  const document = documentFrom(definition, title);
  return clientFromDefinition(definition, document, { contract: contractOf(document) });
}

/** Of a source in one file. */
export function clientOfText(text: string): ClientText {
  return clientFrom(definitionOf([{ path: 'main.kiln', text }]), 'test');
}

export function nastyDefinition(): Definition {
  const path = 'nasty.kiln';
  return definitionOf([{ path, text: readFileSync(join(import.meta.dirname, path), 'utf8') }]);
}

const STRICT = [
  '--ignoreConfig',
  '--noEmit',
  '--strict',
  '--target es2022',
  '--module nodenext',
  '--allowImportingTsExtensions',
  '--noUncheckedIndexedAccess',
  '--exactOptionalPropertyTypes',
  '--noImplicitOverride',
  '--noPropertyAccessFromIndexSignature',
  '--noUnusedLocals',
  '--noUnusedParameters',
  '--verbatimModuleSyntax',
  '--isolatedModules',
  '--erasableSyntaxOnly',
];

const WORLDS = {
  browser: ['--lib es2022,dom,dom.iterable', '--types', ''],
  'older browser': ['--lib es2020,dom', '--types', ''],
  node: ['--lib es2022', `--typeRoots ${join(ROOT, 'node_modules/@types')}`, '--types node', '--skipLibCheck'],
} as const;

type World = keyof typeof WORLDS;

/** What the compiler complains about; nothing where all is right. `without` are options that a reader may not have. */
export function typeProblems(files: readonly string[], world: World, without: readonly string[] = []): string {
  const strict = STRICT.filter((option) => !without.includes(option));
  const options = [...strict, ...WORLDS[world]].flatMap((option) => (option === '' ? [''] : option.split(' ')));
  const { stdout, status } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [...options, ...files], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return status === 0 ? '' : `${stdout}exit ${status}`;
}
