import { expect } from 'chai';
import { loadGrammar } from '../../../compiler/syntax/load-grammar.ts';
import { SmokeFailure } from '../../../pipeline/smoke/deadline.ts';
import { judgePlans } from '../../../pipeline/smoke/smoke-test.ts';
import { Steps } from '../../../pipeline/smoke/steps.ts';
import { definitionOf } from '../../compiler/openapi/documents.ts';

const LACKING = `model Post { field title { type string } }
api { entrypoint Post { get endpoint {}, list endpoint { filter { title is "x" } } } }
`;
const SERVED = LACKING.replace('type string', 'type string, index');
const FINDING = 'GET /api/post reads every `Post` to filter by `title`: add `index` to `field title` of `model Post`';

describe('the verdict on plans', () => {
  before(() => loadGrammar());

  it('warns of endpoints without an index, and says which one to add', async () => {
    const { lines, verdict, failure } = await judged(LACKING);
    expect(failure).to.equal(undefined);
    expect(verdict).to.deep.equal({
      of: 'plans',
      outcome: 'warned',
      says: '2 endpoints checked, 1 lacks an index',
      details: [FINDING],
    });
    expect(lines).to.match(/^plans +\d+ ms {2}2 endpoints checked, 1 lacks an index\n {2}GET \/api\/post reads/);
  });

  it('fails where plans are guarded', async () => {
    const { verdict, failure } = await judged(LACKING, 'guarded');
    expect(verdict?.outcome).to.equal('failed');
    expect(failure).to.be.instanceOf(SmokeFailure).with.property('log').that.deep.equals([FINDING]);
  });

  it('passes where every endpoint has its indexes, guarded or not', async () => {
    const { verdict, failure } = await judged(SERVED, 'guarded');
    expect(failure).to.equal(undefined);
    expect(verdict).to.deep.include({
      outcome: 'passed',
      says: '2 endpoints checked, no index is missing',
      details: [],
    });
  });
});

async function judged(text: string, plans?: 'guarded') {
  const said: string[] = [];
  const steps = new Steps((line) => said.push(line));
  const definition = definitionOf([{ path: 'main.kiln', text }]);
  const failure: unknown = await judgePlans(definition, plans, steps).catch((error: unknown) => error);
  return { lines: said.join('\n'), verdict: steps.verdicts[0], failure };
}
