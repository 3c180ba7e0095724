import { expect } from 'chai';
import { Steps } from '../../../pipeline/bake/steps.ts';
import { SmokeFailure } from '../../../pipeline/smoke/smoke-failure.ts';
import { judgePlans } from '../../../pipeline/smoke/smoke-test.ts';

const FITS = 'every statement fits the database';
const FINDING = 'GET /api/post reads every `Post` to filter by `title`: add `index` to `field title` of `model Post`';
const LACKING = [FITS, 'plans: 7 statements explained, 1 without an index', FINDING];

describe('the verdict on plans', () => {
  it('warns of statements without an index, and says which one to add', async () => {
    const { lines, verdict, failure } = await judged(LACKING);
    expect(failure).to.equal(undefined);
    expect(verdict).to.deep.equal({
      of: 'plans',
      outcome: 'warned',
      says: '7 statements explained, 1 lacks an index',
      details: [FINDING],
    });
    expect(lines).to.match(/^plans +\d+ ms {2}7 statements explained, 1 lacks an index\n {2}GET \/api\/post reads/);
  });

  it('fails where plans are guarded', async () => {
    const { verdict, failure } = await judged(LACKING, 'guarded');
    expect(verdict?.outcome).to.equal('failed');
    expect(failure).to.be.instanceOf(SmokeFailure).with.property('log').that.deep.equals([FINDING]);
  });

  it('passes where every statement has an index, guarded or not', async () => {
    const { verdict, failure } = await judged([FITS, 'plans: 7 statements explained, 0 without an index'], 'guarded');
    expect(failure).to.equal(undefined);
    expect(verdict).to.deep.include({ outcome: 'passed', details: [] });
  });

  it('is skipped where the server or the base is too old', async () => {
    const old = await judged([FITS, 'plans: skipped, since PostgreSQL 15 cannot explain them, 16 can'], 'guarded');
    expect(old.verdict?.says).to.equal('no statement was explained, since PostgreSQL 15 cannot explain them, 16 can');
    const base = await judged([FITS], 'guarded');
    expect(base.failure).to.equal(undefined);
    expect(base.verdict).to.deep.include({ outcome: 'skipped' });
    expect(base.verdict?.says).to.include('the base image is of an older Kiln');
  });
});

async function judged(lines: readonly string[], plans?: 'guarded') {
  const said: string[] = [];
  const steps = new Steps((line) => said.push(line));
  const failure: unknown = await judgePlans(lines, plans, steps).catch((error: unknown) => error);
  return { lines: said.join('\n'), verdict: steps.verdicts[0], failure };
}
