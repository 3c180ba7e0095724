import { expect } from 'chai';
import { Timings } from '../../../runtime/query/connections/timings.ts';
import { Workload } from '../../../runtime/query/connections/workload.ts';

describe('a workload', () => {
  it('counts a statement from the end of the one before it', () => {
    const workload = new Workload();
    workload.add(1, 100);
    workload.add(1, 101);
    expect(workload.finish(110)).to.equal(10);
    expect(workload.finish(112)).to.equal(2);
  });

  it('does not count the way to the server and back', () => {
    const workload = new Workload(8);
    workload.add(1, 100);
    expect(workload.runningFor(105)).to.equal(0);
    expect(workload.runningFor(120)).to.equal(12);
    expect(workload.finish(110)).to.equal(2);
  });

  it('learns of a shorter way', () => {
    const workload = new Workload(50);
    workload.add(1, 100);
    expect(workload.finish(102)).to.equal(0);
    workload.add(1, 200);
    expect(workload.finish(230)).to.equal(28);
  });

  it('knows how much is to be done', () => {
    const workload = new Workload();
    workload.add(3, 0);
    workload.add(4, 0);
    expect([workload.size, workload.backlog]).to.deep.equal([2, 7]);
    workload.finish(1);
    expect([workload.size, workload.backlog]).to.deep.equal([1, 4]);
    workload.finish(2);
    expect([workload.size, workload.backlog, workload.runningFor(9)]).to.deep.equal([0, 0, 0]);
  });
});

describe('timings', () => {
  const statement = { name: 'one', text: 'SELECT 1', isRepeatable: true };

  it('know nothing of a statement that has not been run', () => {
    expect(new Timings().expected(statement)).to.equal(undefined);
  });

  it('forget a slow first run at once', () => {
    const timings = new Timings();
    timings.record(statement, 8);
    expect(timings.expected(statement)).to.equal(8);
    timings.record(statement, 1);
    expect(timings.expected(statement)).to.equal(1);
  });

  it('go by the shortest of the last runs: on a busy server all of them take longer now and then', () => {
    const timings = new Timings();
    for (let run = 0; run < 40; run++) timings.record(statement, run % 8 === 0 ? 2 : 70);
    expect(timings.expected(statement)).to.equal(2);
  });

  it('follow a statement that has become slow', () => {
    const timings = new Timings();
    timings.record(statement, 1);
    for (let run = 0; run < 32; run++) timings.record(statement, 50);
    expect(timings.expected(statement)).to.equal(50);
  });
});
