import { join } from 'node:path';
import { expect } from 'chai';
import { catalogue } from '../../compiler/diagnostics/catalogue/catalogue.ts';
import { changeWords } from '../../compiler/diagnostics/catalogue/changes.ts';
import { renderText } from '../../compiler/diagnostics/render-text.ts';
import { SourceMap } from '../../compiler/source/line-index.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { type CaseFile, caseFiles, compileCase, isUpdating, updateCase } from '../support/case-file.ts';

/** Said only where the two readers of syntax disagree, which no source is known to bring about; see syntax-problems.test.ts. */
const WITHOUT_A_SOURCE = ['unreadable-text'];
/** Said about two releases; see migrations.test.ts. */
const ABOUT_CHANGES = Object.keys(changeWords);

/** One file a rule, named after its code; `code.what.kiln` is a second one. */
describe('the rules of the language', () => {
  before(() => loadGrammar());
  const cases = caseFiles(join(import.meta.dirname, 'rules'));

  for (const rule of cases) {
    it(rule.name, () => {
      const seen = whatKilnSays(rule);
      if (isUpdating) updateCase(rule, [{ title: 'kiln says', text: seen }]);
      else expect(seen).to.equal(rule.expectations[0]?.text);
      expect(compileCase(rule).diagnostics.map(({ code }) => code)).to.include(codeOf(rule));
    });
  }

  it('has a file for every code', () => {
    const tested = new Set([...cases.map(codeOf), ...WITHOUT_A_SOURCE, ...ABOUT_CHANGES]);
    expect(Object.keys(catalogue).filter((code) => !tested.has(code))).to.deep.equal([]);
  });
});

function whatKilnSays(rule: CaseFile): string {
  const { diagnostics } = compileCase(rule);
  return renderText(diagnostics, new SourceMap(rule.sources, '', (path) => rule.files.get(path)), {
    colour: false,
  }).trim();
}

function codeOf({ name }: CaseFile): string {
  return name.split('.')[0] as string;
}
