import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { fileTextIn } from '../../../files/file-text.ts';
import { readSources } from '../../../files/read-sources.ts';
import { isUpdating } from '../../support/case-file.ts';
import { definitionOf, EXAMPLES, exampleDefinition, exampleFolder } from '../openapi/documents.ts';
import { clientFrom, clientOfText, nastyDefinition } from './clients.ts';

describe('client.ts', () => {
  before(() => loadGrammar());

  for (const name of [...EXAMPLES, 'nasty']) {
    it(`of ${name} is as written down`, () => {
      const { typescript } = clientFrom(definitionNamed(name), name);
      const golden = join(import.meta.dirname, 'golden', `${name}.ts`);
      if (isUpdating) writeFileSync(golden, typescript);
      expect(typescript).to.equal(readFileSync(golden, 'utf8'));
    });
  }

  it('is the same whatever the order of the files', () => {
    const folder = exampleFolder('shop');
    const turned = definitionOf([...readSources(folder).sources].reverse(), fileTextIn(folder));
    expect(clientFrom(turned, 'shop')).to.deep.equal(clientFrom(exampleDefinition('shop'), 'shop'));
  });

  it('has live lists only where the API has them', () => {
    const lists = ['', 'live', 'paginable, live', 'extra inputs { field about { type string } }, live'];
    for (const list of lists) {
      const source = `model Note { field text { type string } } api { entrypoint Note { list endpoint { ${list} } } }`;
      const { typescript } = clientOfText(source);
      expect(/live/i.test(typescript)).to.equal(list !== '');
    }
  });

  it('has nothing of pages and logins where the API has none', () => {
    const { typescript } = clientOfText(
      'model Note { field text { type string } } api { entrypoint Note { get endpoint {} } }',
    );
    expect(typescript).to.not.match(/Page|keepToken|#token/);
    expect(typescript.length).to.be.lessThan(24_000);
  });

  it('is whole for an API without endpoints', () => {
    expect(clientOfText('model Note {}').typescript).to.include('export interface Client {}\n');
  });
});

function definitionNamed(name: string): Definition {
  return name === 'nasty' ? nastyDefinition() : exampleDefinition(name);
}
