/** Documents judged by others: the linter of Redocly, with all that it recommends. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { openApiText } from '../../../compiler/emit/openapi/document.ts';
import { openApiFromDefinition } from '../../../compiler/emit/openapi/openapi-from-definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { EXAMPLES, everythingDefinition, exampleDefinition } from './documents.ts';

describe('the linter of Redocly', () => {
  before(() => loadGrammar());

  it('notes of a program with one of everything only the endpoint that always answers 404', async () => {
    expect(await remarksOn(everythingDefinition())).to.deep.equal(['operation-2xx-response']);
  });

  for (const example of EXAMPLES) {
    it(`has nothing to say about the ${example}`, async () => {
      expect(await remarksOn(exampleDefinition(example))).to.deep.equal([]);
    });
  }

  it('would say it', async () => {
    const source = JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: {} });
    expect(await remarksOnText(source)).to.include('info-license');
  });
});

function remarksOn(definition: Definition): Promise<readonly string[]> {
  return remarksOnText(openApiText(openApiFromDefinition(definition, { title: 'test', version: '1.0.0' })));
}

async function remarksOnText(source: string): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
  return problems.map(({ ruleId }) => ruleId).sort();
}
