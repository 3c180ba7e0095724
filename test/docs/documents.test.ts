/** The programs of the documents whose blocks are not run: they compile at least. */
import { expect } from 'chai';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { compileFiles } from '../support/document-compile.ts';
import { type Block, partsFromText, readDocument } from '../support/document-parts.ts';
import { everyDocument } from './every-document.ts';
import { EXECUTED } from './executed.ts';

/** A part of a program cannot be compiled, so there should be little of it to be wrong. */
const LONGEST_PART = 12;

interface Placed extends Block {
  readonly place: string;
}

describe('the other documents', () => {
  before(() => loadGrammar());
  const executed: readonly string[] = EXECUTED;
  const guide = everyDocument().filter((document) => document === 'README.md' || /^docs\/[^/]+\.md$/.test(document));
  const blocks = guide.filter((document) => !executed.includes(document)).flatMap(blocksOf);
  const programs = blocks.filter(({ language, words }) => language === 'kiln' && words.length === 0);

  it('show programs', () => {
    expect(programs).to.not.be.empty;
  });

  for (const { place, text } of programs) {
    it(`show a program that compiles, without warnings: ${place}`, () => {
      const { definition, said } = compileFiles(new Map([['main.kiln', text]]));
      expect(said).to.equal('');
      expect(definition).to.not.equal(undefined);
    });
  }

  it('show only small parts of programs', () => {
    const long = blocks.filter(
      ({ language, text }) => language === 'kiln-part' && text.split('\n').length > LONGEST_PART,
    );
    expect(long.map(({ place }) => place)).to.deep.equal([]);
  });

  it('mark every block of Kiln as a program or as a part of one', () => {
    const unmarked = blocks.filter(
      ({ language, text }) => language === '' && /^(model|api|populator|enum) .*\{/m.test(text),
    );
    expect(unmarked.map(({ place }) => place)).to.deep.equal([]);
  });
});

function blocksOf(document: string): readonly Placed[] {
  return partsFromText(readDocument(document)).flatMap((part) =>
    part.kind === 'block' ? [{ ...part, place: `${document}:${part.line}` }] : [],
  );
}
