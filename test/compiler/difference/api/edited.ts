/** The base and its edits, compiled. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compile } from '../../../../compiler/compile.ts';
import type { Definition } from '../../../../compiler/definition/definition.ts';
import type { Both } from '../../../../compiler/difference/api-rules.ts';
import { openApiFromDefinition } from '../../../../compiler/emit/openapi/openapi-from-definition.ts';
import type { Edit, Replacement } from './corpus.ts';

export const BASE = readFileSync(resolve(import.meta.dirname, 'base.kiln'), 'utf8');

function definitionOf(text: string): Definition {
  const { definition, diagnostics } = compile([{ path: 'base.kiln', text }]);
  if (definition === undefined) throw new Error(diagnostics.map(({ code }) => code).join(', '));
  return definition;
}

let base: Definition | undefined;

/** Compiled once: nearly every edit begins with it. */
export function baseDefinition(): Definition {
  base ??= definitionOf(BASE);
  return base;
}

/** Undefined where one of the texts is not there once: another edit may have taken it. */
export function replaced(text: string, replacements: readonly Replacement[]): string | undefined {
  let result = text;
  for (const [from, to] of replacements) {
    if (result.split(from).length !== 2) return undefined;
    result = result.replace(from, () => to);
  }
  return result;
}

/** The two definitions of an edit. */
export function compiled({ name, before = [], replace }: Edit): Both<Definition> {
  const former = replaced(BASE, before);
  const latter = former === undefined ? undefined : replaced(former, replace);
  if (former === undefined || latter === undefined)
    throw new Error(`"${name}" replaces a text that is not in the base once`);
  return { before: former === BASE ? baseDefinition() : definitionOf(former), after: definitionOf(latter) };
}

export function documentOf(definition: Definition) {
  return openApiFromDefinition(definition, { title: 'Base', version: '1' });
}
