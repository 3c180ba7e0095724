import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { Definition } from '../../compiler/definition/definition.ts';
import { kilnFolderOf, makeKilnFolder, writeWhole } from '../../files/write-file.ts';
import { contextText } from './context-types.ts';
import { hookKey, type SourceHook, sourceHooks } from './source-hooks.ts';
import { argumentText, givenResultText, propertyText } from './type-text.ts';

/**
 * Keeps the types for the project's hooks where editors find them: `import type { Context } from '../.kiln/hooks.d.ts'`.
 * Gives a sentence where they cannot be written. A file that is right is left alone, so that nothing that watches wakes.
 */
export function writeHookTypes(projectFolder: string, definition: Definition): string | undefined {
  const text = hookTypes(definition);
  const file = join(kilnFolderOf(projectFolder), TYPES_FILE);
  if (text === undefined || (existsSync(file) && readFileSync(file, 'utf8') === text)) return undefined;
  return makeKilnFolder(projectFolder) ?? writeWhole(file, text);
}

// ── Hook types ───────────────────────────────────────────────────────────────────────────────────────────────────────

// Definition in, the text of a declaration file out: the arguments of each hook that has a source, under the name of
// its function (`priceLabel` → `PriceLabelArgs`), the result that it declares (`PriceLabelResult`), and the `Context`
// that all of them get. It needs no other types, so an author has nothing to install.

/** The file below `.kiln`, where editors find it and git does not. */
const TYPES_FILE = 'hooks.d.ts';

/** Writes the types of the hooks; undefined where no hook has a source. */
export function hookTypes(definition: Definition): string | undefined {
  const functions = functionsOf(sourceHooks(definition));
  if (functions.length === 0) return undefined;
  const names = namesOf(functions);
  const types = functions.flatMap((hook) => {
    const name = names.get(hook.key) ?? '';
    return [argsText(hook, name, definition), ...returnsText(hook, name, definition)];
  });
  return [HEAD, ...types, contextText(definition)].join('\n');
}

const HEAD = `// Made by Kiln from the *.kiln files. Changes to it are lost.
`;

interface HookFunction {
  readonly key: string;
  readonly file: string;
  readonly export: string;
  /** Different hooks may call one function. */
  readonly uses: readonly SourceHook[];
}

function functionsOf(hooks: readonly SourceHook[]): readonly HookFunction[] {
  const found = new Map<string, HookFunction>();
  for (const hook of hooks) {
    const key = hookKey(hook);
    const uses = [...(found.get(key)?.uses ?? []), hook];
    found.set(key, { key, file: hook.file, export: hook.export, uses });
  }
  return [...found.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * Names the hooks. If two files export one name, the file's name comes first; if that is not enough, a number comes
 * last.
 */
function namesOf(functions: readonly HookFunction[]): ReadonlyMap<string, string> {
  const count = new Map<string, number>();
  for (const { export: name } of functions) count.set(pascal(name), (count.get(pascal(name)) ?? 0) + 1);
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const { key, file, export: name } of functions) {
    const isUnique = count.get(pascal(name)) === 1;
    names.set(key, free(isUnique ? pascal(name) : pascal(basename(file, extname(file))) + pascal(name), taken));
  }
  return names;
}

function free(stem: string, taken: Set<string>): string {
  let name = `${stem}Args`;
  for (let number = 2; taken.has(name); number++) name = `${stem}${number}Args`;
  taken.add(name);
  return name;
}

function pascal(name: string): string {
  return name
    .split(/[^A-Za-z0-9$]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

function argsText({ file, export: name, uses }: HookFunction, typeName: string, definition: Definition): string {
  const shapes = [...new Set(uses.map((hook) => shapeText(hook, definition)))];
  const doc = `/** Of \`${name}\` in ${file.replaceAll('*/', '*\\/')}. */\n`;
  const [only] = shapes;
  return shapes.length === 1
    ? `${doc}export interface ${typeName} ${only}\n`
    : `${doc}export type ${typeName} =\n${shapes.map((shape) => `  | ${shape.replaceAll('\n', '\n    ')}`).join('\n')};\n`;
}

/** A function whose hooks declare different results must give what fits all of them. */
function returnsText({ file, export: name, uses }: HookFunction, argsName: string, { enums }: Definition): string[] {
  const results = [...new Set(uses.flatMap(({ returns }) => (returns ? givenResultText(returns, enums) : [])))];
  if (results.length === 0) return [];
  const doc = `/** What \`${name}\` in ${file.replaceAll('*/', '*\\/')} must return, or a promise of it. */\n`;
  const typeName = argsName.replace(/Args$/, 'Result');
  const text = results.length === 1 ? results.join('') : results.map((result) => `(${result})`).join(' & ');
  return [`${doc}export type ${typeName} = ${text};\n`];
}

function shapeText({ arguments: args, selections }: SourceHook, { enums }: Definition): string {
  const properties = args.map((argument) => {
    const type = argumentText(argument, { enums, selections }, '  ');
    return propertyText(argument.name, argument.doc, type, '  ');
  });
  return properties.length === 0 ? '{}' : `{\n${properties.join('')}}`;
}
