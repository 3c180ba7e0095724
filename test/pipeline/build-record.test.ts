import { expect } from 'chai';
import { type BuildRecord, buildRecordFromText, buildRecordText } from '../../pipeline/bake/build-record.ts';

const RECORD: BuildRecord = {
  revision: 'a'.repeat(40),
  outcome: 'tested',
  why: null,
  finished: '2026-01-02T03:04:05.000Z',
  image: { id: 'sha256:1', names: ['blog:main'], digests: { 'registry/blog:main': 'sha256:2' }, layer: 10 },
  steps: [{ name: 'compile', milliseconds: 12, detail: null }],
  verdicts: [{ of: 'plans', outcome: 'passed', says: 'no index is missing', details: [] }],
};

describe('the record of a build', () => {
  it('is read as it was written', () => {
    expect(buildRecordFromText(buildRecordText(RECORD))).to.deep.equal(RECORD);
  });

  it('is not read where a push has brought something else', () => {
    const wrong = [
      { outcome: 'perfect' },
      { steps: [{ name: 'compile', milliseconds: '12', detail: null }] },
      { verdicts: [{ of: 'access', outcome: 'passed', says: 'x', details: [1] }] },
      { image: { id: 'x', names: 'blog', digests: {}, layer: 1 } },
      { revision: 7 },
    ];
    for (const part of wrong)
      expect(buildRecordFromText(JSON.stringify({ ...RECORD, ...part })), JSON.stringify(part)).to.equal(undefined);
    expect(buildRecordFromText('[]')).to.equal(undefined);
    expect(buildRecordFromText('no JSON')).to.equal(undefined);
  });
});
