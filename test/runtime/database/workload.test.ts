import { expect } from 'chai';
import { RoundTrip, Timings, Workload } from '../../../runtime/query/connections/timings.ts';

describe('a workload', () => {
  it('counts a statement from the end of the one before it', () => {
    const workload = new Workload();
    workload.add(1, 100);
    workload.add(1, 101);
    expect(workload.finish(110)).to.equal(10);
    expect(workload.finish(112)).to.equal(2);
  });

  it('does not count the way to the server and back', () => {
    const workload = new Workload(new RoundTrip(8));
    workload.add(1, 100);
    expect(workload.runningFor(105)).to.equal(0);
    expect(workload.runningFor(120)).to.equal(12);
    expect(workload.finish(110)).to.equal(2);
  });

  it('learns of a shorter way', () => {
    const workload = new Workload(new RoundTrip(50));
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

describe('a workload on a busy server', () => {
  it('has as much to do as the last statements took, not as little as is expected of them', () => {
    const workload = new Workload();
    for (let at = 0; at < 100; at++) {
      workload.add(1, at * 20);
      expect(workload.finish(at * 20 + 20)).to.equal(20);
    }
    workload.add(1, 2000);
    workload.add(1, 2000);
    expect(workload.backlog).to.be.within(35, 40);
  });

  it('takes no slow statement for a quick one on a connection that was opened just now', () => {
    const roundTrip = new RoundTrip();
    roundTrip.restart(1, 0);
    roundTrip.restart(30, 0);
    const workload = new Workload(roundTrip);
    workload.add(0, 100);
    expect(workload.finish(125)).to.equal(24);
  });

  it('learns on all connections of a shorter way that one of them has seen', () => {
    const roundTrip = new RoundTrip(30);
    const [one, other] = [new Workload(roundTrip), new Workload(roundTrip)];
    one.add(0, 100);
    one.finish(102);
    other.add(0, 100);
    expect(other.finish(125)).to.equal(23);
  });

  it('measures the way again after a lost connection: the server may be further away', () => {
    const roundTrip = new RoundTrip();
    roundTrip.restart(1, 0);
    roundTrip.restart(9, 1);
    expect(roundTrip.shortest).to.equal(9);
    roundTrip.restart(12, 1);
    expect(roundTrip.shortest).to.equal(9);
  });
});

describe('timings', () => {
  const statement = { name: 'one', text: 'SELECT 1', isRepeatable: true };

  it('know nothing of a statement that has not been run', () => {
    expect(new Timings().expected(statement)).to.equal(undefined);
  });

  it('learn nothing from a run that was only shorter than the way', () => {
    const timings = new Timings();
    timings.record(statement, 0);
    expect(timings.expected(statement)).to.equal(undefined);
    for (let run = 0; run < 40; run++) timings.record(statement, run % 8 === 0 ? 0 : 3);
    expect(timings.expected(statement)).to.equal(3);
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
