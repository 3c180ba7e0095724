import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { type OpenApiDocument, openApiText } from '../../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../../compiler/emit/openapi/openapi-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { fileTextIn } from '../../../files/file-text.ts';
import { readSources } from '../../../files/read-sources.ts';
import { caseFiles, compileCase, isUpdating } from '../../support/case-file.ts';
import {
  definitionOf,
  EXAMPLES,
  everythingDefinition,
  exampleDefinition,
  exampleFolder,
  routesOf,
} from './documents.ts';
import { structureProblems } from './structure.ts';
import { judgeOf } from './validator.ts';

const LANGUAGE = join(import.meta.dirname, '../language');

describe('openapi.json', () => {
  let definitions: readonly Definition[];

  before(async () => {
    await loadGrammar();
    definitions = manyDefinitions();
  });

  for (const example of EXAMPLES) {
    it(`of the ${example} is as written down`, () => {
      const text = openApiText(documentFrom(exampleDefinition(example), example));
      const golden = join(import.meta.dirname, 'golden', `${example}.json`);
      if (isUpdating) writeFileSync(golden, text);
      expect(text).to.equal(readFileSync(golden, 'utf8'));
    });

    it(`of the ${example} is the same whatever the order of its files`, () => {
      const folder = exampleFolder(example);
      const backwards = definitionOf([...readSources(folder).sources].reverse(), fileTextIn(folder));
      const text = openApiText(documentFrom(backwards, example));
      expect(text).to.equal(openApiText(documentFrom(exampleDefinition(example), example)));
    });
  }

  it('has the structure of OpenAPI 3.1, whatever the program', () => {
    for (const definition of definitions) {
      expect(structureProblems(documentFrom(definition, 'test'))).to.deep.equal([]);
    }
  });

  it('has examples that fit their schemas', () => {
    for (const definition of [everythingDefinition(), ...EXAMPLES.map(exampleDefinition)])
      expectFittingExamples(documentFrom(definition, 'test'));
  });

  it('never shows a secret', () => {
    const document = documentFrom(exampleDefinition('helpdesk'), 'helpdesk');
    expect(openApiText(document)).to.not.include('password_hash');
  });
});

function documentFrom(definition: Definition, title: string): OpenApiDocument {
  return openApiFromDefinition(definition, { title, version: '1.0.0' });
}

/** The examples, and every construct of the language. */
function manyDefinitions(): readonly Definition[] {
  const constructs = caseFiles(LANGUAGE).map((construct) => compileCase(construct).definition as Definition);
  return [everythingDefinition(), ...EXAMPLES.map(exampleDefinition), ...constructs];
}

function expectFittingExamples(document: OpenApiDocument): void {
  const judge = judgeOf(document, true);
  for (const { operation } of routesOf(document)) {
    const answers = Object.values(operation.responses).flatMap((response) => ('$ref' in response ? [] : [response]));
    const contents = [operation.requestBody?.content, ...answers.map(({ content }) => content)];
    const media = contents.flatMap((content) => Object.values(content ?? {}));
    for (const { schema, example } of [...media, ...(operation.parameters ?? [])]) {
      if (example === undefined) continue;
      const fits = judge(schema);
      expect(fits(example), `${operation.operationId} ${JSON.stringify([example, fits.errors])}`).to.equal(true);
    }
  }
}
