import { expect } from 'chai';
import { openApiText } from '../../../compiler/emit/openapi/document.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { documentOf } from './documents.ts';

describe('the text of a document', () => {
  before(() => loadGrammar());

  const document = () =>
    documentOf('model Note { field text { type string } } api { entrypoint Note { list endpoint {} } }');

  it('is indented', () => {
    expect(openApiText(document())).to.equal(`${JSON.stringify(document(), null, 2)}\n`);
  });

  it('has a line for each path and each component where there are many', () => {
    const few = document();
    const [path] = Object.values(few.paths);
    const paths = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`/api/note${at}`, path]));
    const schemas = { ...few.components.schemas, constructor: { type: 'string' } };
    const many = { ...few, paths, components: { ...few.components, schemas } } as typeof few;
    const text = openApiText(many);
    expect(JSON.parse(text)).to.deep.equal(JSON.parse(JSON.stringify(many)));
    const lines = text.split('\n');
    expect(lines.filter((line) => line.startsWith('"/api/note'))).to.have.length(501);
    expect(lines).to.include(`"info": ${JSON.stringify(many.info)},`);
    expect(lines).to.include('"constructor": {"type":"string"}');
    expect(text.length).to.be.lessThan(JSON.stringify(many, null, 2).length * 0.6);
  });
});
