import { expect } from 'chai';
import { progressBar, progressLine } from '../../../runtime/populate/progress.ts';

const HALF = { table: 'post', done: 420_000, total: 1_000_000, perSecond: 150_000.4, secondsLeft: 3.87 };

describe('progress', () => {
  it('is a line that says share, rows, table, rate and the time that is left', () => {
    expect(progressLine(HALF)).to.equal('42 % · 420,000 of 1,000,000 rows · post · 150,000 rows/s · 4 s left');
  });

  it('says longer times in minutes and hours', () => {
    expect(progressLine({ ...HALF, secondsLeft: 125 })).to.match(/ · 2 min 5 s left$/);
    expect(progressLine({ ...HALF, secondsLeft: 3720 })).to.match(/ · 1 h 2 min left$/);
  });

  it('says nothing of the time that is left before there is a rate, and at the end', () => {
    expect(progressLine({ ...HALF, perSecond: 0, secondsLeft: null })).to.match(/ · 0 rows\/s$/);
    expect(progressLine({ ...HALF, done: 1_000_000, secondsLeft: 0 })).to.match(/^100 %.* rows\/s$/);
  });

  it('is a bar where there is room for one, and never wider than the terminal', () => {
    expect(progressBar(HALF, 120)).to.match(/^█{16}░{24} 42 %/);
    for (const columns of [0, 5, 40, 60, 80, 100, 200])
      expect(progressBar(HALF, columns).length).to.be.at.most(columns);
    expect(progressBar(HALF, 60)).to.match(/^42 %/);
  });

  it('is whole where there is nothing to do', () => {
    expect(progressLine({ table: '', done: 0, total: 0, perSecond: 0, secondsLeft: null })).to.equal(
      '100 % · 0 of 0 rows · 0 rows/s',
    );
  });
});
