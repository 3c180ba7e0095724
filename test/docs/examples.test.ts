/** What the documents of the language show: each program is compiled and run, and asked for all that they say of it. */
import { expect } from 'chai';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { compileFiles, expectMistake } from '../support/document-compile.ts';
import { partsFromText, readDocument } from '../support/document-parts.ts';
import { type DocumentProgram, examplesFromParts, type Step } from '../support/document-programs.ts';
import { RunningProgram } from '../support/document-runner.ts';
import { rewriteShown } from '../support/document-shown.ts';
import { EXECUTED } from './executed.ts';

for (const document of EXECUTED) {
  describe(document, () => {
    const parts = partsFromText(readDocument(document));
    const { programs, mistakes, unknown } = examplesFromParts(parts);
    before(() => loadGrammar());
    after(() => rewriteShown(document, parts));

    it('has no block that no test checks, unless it says why', () => {
      expect(unknown).to.deep.equal([]);
    });

    for (const program of programs) describe(`the program at line ${program.line}`, () => describeProgram(program));

    for (const mistake of mistakes) {
      it(`shows what the compiler says: line ${mistake.line}`, () => expectMistake(mistake));
    }
  });
}

function describeProgram(program: DocumentProgram): void {
  it('has no errors and no warnings', () => {
    expect(compileFiles(program.files).said).to.equal('');
  });
  if (program.steps.length === 0) return;
  let running: RunningProgram | undefined;
  before(async () => {
    running = await RunningProgram.start(program);
  });
  after(() => running?.stop());
  for (const step of program.steps) it(titleOf(step), () => running?.take(step));
}

function titleOf(step: Step): string {
  switch (step.kind) {
    case 'exchange':
      return `answers ${step.exchange.request.method} ${step.exchange.request.path}: ${step.exchange.title}`;
    case 'sql':
      return `takes rows: line ${step.line}`;
    case 'log':
      return `logs what happened: line ${step.line}`;
    case 'populate':
      return `is filled: line ${step.line}`;
    case 'release':
      return `becomes another release: line ${step.line}`;
  }
}
