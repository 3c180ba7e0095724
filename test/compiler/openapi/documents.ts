/** Definitions and documents for the tests of OpenAPI. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Compilation, compile } from '../../../compiler/compile.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { renderText } from '../../../compiler/diagnostics/render-text.ts';
import type { Method, OpenApiDocument, Operation, Schema } from '../../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../../compiler/emit/openapi/openapi-from-definition.ts';
import { SourceMap } from '../../../compiler/source/line-index.ts';
import type { FileText, SourceFile } from '../../../compiler/source/source-file.ts';
import { fileTextIn } from '../../../files/file-text.ts';
import { readSources } from '../../../files/read-sources.ts';

export const EXAMPLES = ['blog', 'bookings', 'helpdesk', 'projects', 'shop'] as const;

export function exampleFolder(example: string): string {
  return join(import.meta.dirname, '../../../examples', example);
}

const compiled = new Map<string, Compilation>();

/** Compiled once in a process. */
export function exampleCompilation(example: string): Compilation {
  const known = compiled.get(example);
  if (known) return known;
  const folder = exampleFolder(example);
  const compilation = compile(readSources(folder).sources, fileTextIn(folder));
  compiled.set(example, compilation);
  return compilation;
}

export function exampleDefinition(example: string): Definition {
  return definitionIn(exampleCompilation(example), readSources(exampleFolder(example)).sources);
}

export function definitionOf(sources: readonly SourceFile[], fileText: FileText = () => undefined): Definition {
  return definitionIn(compile(sources, fileText), sources);
}

function definitionIn({ definition, diagnostics }: Compilation, sources: readonly SourceFile[]): Definition {
  expect(definition, renderText(diagnostics, new SourceMap(sources), { colour: false })).to.not.equal(undefined);
  return definition as Definition;
}

/** A program with one of everything that a document tells of. */
export function everythingDefinition(): Definition {
  const path = 'everything.kiln';
  return definitionOf([{ path, text: readFileSync(join(import.meta.dirname, path), 'utf8') }]);
}

/** Of a source in one file, without hooks from files. */
export function documentOf(text: string): OpenApiDocument {
  return openApiFromDefinition(definitionOf([{ path: 'main.kiln', text }]), { title: 'test', version: '1' });
}

export interface Route {
  readonly path: string;
  readonly method: Method;
  readonly operation: Operation;
}

export function routesOf({ paths }: OpenApiDocument): readonly Route[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method as Method, operation })),
  );
}

export function operationIn(document: OpenApiDocument, operationId: string): Operation {
  const route = routesOf(document).find(({ operation }) => operation.operationId === operationId);
  expect(route, `no operation ${operationId}`).to.not.equal(undefined);
  return (route as Route).operation;
}

export function schemaIn({ components }: OpenApiDocument, name: string): Schema {
  expect(Object.keys(components.schemas)).to.include(name);
  return components.schemas[name] as Schema;
}
