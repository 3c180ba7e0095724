/** Nothing that an OpenAPI document shows goes unsaid, and nothing is said where there is nothing to see. */
import { resolve } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { compile } from '../../../compiler/compile.ts';
import type { Definition } from '../../../compiler/definition/definition.ts';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { readSources } from '../../../files/read-sources.ts';
import { expectComplete } from './api/complete.ts';
import { CORPUS } from './api/corpus.ts';
import { BASE, baseDefinition, replaced } from './api/edited.ts';
import { SLIP, type Slip, slipped } from './api/slips.ts';

const EXAMPLES = ['blog', 'helpdesk'];
const RUNS = Number(process.env.SLIPS ?? 10);

describe('the changes of an API are complete', () => {
  before(() => loadGrammar());

  it('for several edits at once', () => {
    const edits = fc.shuffledSubarray([...CORPUS], { minLength: 2, maxLength: 6 });
    let compared = 0;
    const isComplete = (chosen: typeof CORPUS) => {
      const text = chosen.reduce((known, { replace }) => replaced(known, replace) ?? known, BASE);
      const after = compile([{ path: 'base.kiln', text }]).definition;
      if (after === undefined) return;
      compared++;
      expectComplete({ before: baseDefinition(), after }, chosen.map(({ name }) => name).join(', '));
    };
    fc.assert(fc.property(edits, isComplete), { numRuns: 15 });
    expect(compared).to.be.greaterThan(7);
  });

  for (const name of EXAMPLES) {
    it(`for random edits of the example ${name}`, () => {
      const { sources } = readSources(resolve(import.meta.dirname, '../../../examples', name));
      const before = compile(sources).definition as Definition;
      let compared = 0;
      const isComplete = (slip: Slip) => {
        const after = compile(slipped(sources, slip)).definition;
        if (after === undefined) return;
        compared++;
        expectComplete({ before, after }, JSON.stringify(slip));
      };
      fc.assert(fc.property(SLIP, isComplete), { numRuns: RUNS });
      expect(compared).to.be.greaterThan(3);
    });
  }
});
