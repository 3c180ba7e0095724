import { expect } from 'chai';
import type { CertifiedStatement, Effects } from '../../../compiler/definition/certificate.ts';
import { certificateIn, certificateVerdict, mustNotFail } from '../../../pipeline/smoke/certificate.ts';
import { SmokeFailure } from '../../../pipeline/smoke/deadline.ts';

const NOTHING: Effects = { locks: [], rewrites: [] };

function locks(mode: string, ...rewrites: readonly string[]): Effects {
  return { locks: [{ table: 'post', mode }], rewrites };
}

function statement(more: Partial<CertifiedStatement> = {}): CertifiedStatement {
  const effects = locks('ACCESS EXCLUSIVE');
  const says = 'add the column "rank" to "post"';
  const seen = { predicted: effects, observed: effects, unpredicted: NOTHING, missing: NOTHING };
  return { position: 2, step: 1, says, ...seen, ...more };
}

const IDLE = statement({ says: 'fill "rank"', predicted: locks('ROW EXCLUSIVE'), observed: null });
const WRONG = statement({
  predicted: locks('SHARE ROW EXCLUSIVE'),
  observed: locks('ACCESS EXCLUSIVE', 'post'),
  unpredicted: locks('ACCESS EXCLUSIVE', 'post'),
});
const LESS = statement({ observed: NOTHING, missing: locks('ACCESS EXCLUSIVE') });

describe('the verdict on a migration', () => {
  it('is read from the lines of `migrate`', () => {
    const event = { time: '2026-11-16T06:02:05.456Z', kind: 'certified', ...statement() };
    const lines = ['{"time":"2026-11-16T06:02:05.455Z","kind":"step"}', JSON.stringify(event), 'Warning: Node is old'];
    expect(certificateIn(lines)).to.deep.equal([event]);
  });

  it('says that all is as predicted, and what each statement did', () => {
    expect(certificateVerdict([statement(), IDLE], 2)).to.deep.equal({
      of: 'migration',
      outcome: 'passed',
      says: '1 statement did what was predicted, 1 statement had nothing to do',
      details: [
        'add the column "rank" to "post": ACCESS EXCLUSIVE on "post"',
        'fill "rank": predicted ROW EXCLUSIVE on "post", nothing to do',
      ],
    });
  });

  it('fails the push where Postgres did what was not predicted, with both', () => {
    const verdict = certificateVerdict([statement(), WRONG], 2);
    expect(verdict.outcome).to.equal('failed');
    expect(() => mustNotFail(verdict))
      .to.throw(SmokeFailure)
      .with.property('message')
      .that.equals(
        `Postgres did what was not predicted to add the column "rank" to "post": ACCESS EXCLUSIVE on "post", rewrites "post", where SHARE ROW EXCLUSIVE on "post" was predicted. Requests would wait longer than this push predicted. This is a bug of Kiln: please report it.
  | add the column "rank" to "post": ACCESS EXCLUSIVE on "post"
  | add the column "rank" to "post": predicted SHARE ROW EXCLUSIVE on "post", observed ACCESS EXCLUSIVE on "post", rewrites "post"`,
      );
  });

  it('warns where Postgres did less', () => {
    const verdict = certificateVerdict([statement(), LESS], 2);
    expect(verdict).to.include({
      outcome: 'warned',
      says: '2 statements did no more than was predicted, 1 of them did less',
    });
    expect(() => mustNotFail(verdict)).not.to.throw();
  });

  it('warns where it is about an earlier release, whose steps are recorded', () => {
    const verdict = certificateVerdict([{ ...WRONG, position: 1, phase: 'contract' }, statement()], 2);
    expect(verdict).to.include({
      outcome: 'warned',
      says: '1 statement of an earlier release did more than was predicted',
    });
  });

  it('says that nothing was to be done', () => {
    expect(certificateVerdict([], 2)).to.include({ outcome: 'passed', says: 'the database needs no change' });
  });
});
