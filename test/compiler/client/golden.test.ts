import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { fileTextIn } from '../../../files/file-text.ts';
import { readSources } from '../../../files/read-sources.ts';
import { isUpdating } from '../../support/case-file.ts';
import { definitionOf, EXAMPLES, exampleDefinition, exampleFolder } from '../openapi/documents.ts';
import { clientFrom, clientOfText, formatted, nastyDefinition } from './clients.ts';

describe('client.ts', () => {
  before(() => loadGrammar());

  for (const name of [...EXAMPLES, 'nasty']) {
    it(`of ${name} is as written down`, () => {
      const { typescript } = clientFrom(definitionNamed(name), name);
      const golden = join(import.meta.dirname, 'golden', `${name}.ts`);
      if (isUpdating) writeFileSync(golden, typescript);
      expect(typescript).to.equal(readFileSync(golden, 'utf8'));
    });

    it(`of ${name} is formatted`, () => {
      const { typescript, declarations } = clientFrom(definitionNamed(name), name);
      expect(typescript).to.equal(formatted(typescript));
      expect(declarations).to.equal(formatted(declarations));
    });
  }

  it('is the same whatever the order of the files', () => {
    const folder = exampleFolder('shop');
    const turned = definitionOf([...readSources(folder).sources].reverse(), fileTextIn(folder));
    expect(clientFrom(turned, 'shop')).to.deep.equal(clientFrom(exampleDefinition('shop'), 'shop'));
  });

  for (const count of [5, 9]) {
    it(`is formatted where a list has ${count} keys to sort by`, () => {
      const names = Array.from({ length: count }, (_, at) => `number${at}`);
      const fields = names.map((name) => `field ${name} { type integer, index }`).join(' ');
      const api = `api { entrypoint Note { list endpoint { sortable { ${names.join(', ')} } } } }`;
      const { typescript } = clientOfText(`model Note { ${fields} } ${api}`);
      expect(typescript).to.equal(formatted(typescript));
    });
  }

  it('is formatted where a list of objects may be null', () => {
    const list = 'list lines { nullable, field quantity { type integer }, field remark { type string, nullable } }';
    const { typescript, declarations } = clientOfText(
      `model Note { field text { type string } } api { entrypoint Note { create endpoint { extra inputs { ${list} } } } }`,
    );
    expect(typescript).to.equal(formatted(typescript));
    expect(declarations).to.equal(formatted(declarations));
  });

  it('is formatted where lists are live, and has them only then', () => {
    const lists = ['', 'live', 'paginable, live', 'extra inputs { field about { type string } }, live'];
    for (const [name, list] of ['Note', 'NoteWithRatherALongName'].flatMap((name) =>
      lists.map((list) => [name, list]),
    )) {
      const source = `model ${name} { field text { type string } } api { entrypoint ${name} { list endpoint { ${list} } } }`;
      const { typescript, declarations } = clientOfText(source);
      expect(typescript).to.equal(formatted(typescript));
      expect(declarations).to.equal(formatted(declarations));
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
