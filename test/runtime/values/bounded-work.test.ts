import { expect } from 'chai';
import { BoundedWork, QueueFull } from '../../../runtime/values/bounded-work.ts';
import { gate } from '../operations/running.ts';

describe('bounded work', () => {
  it('runs only so much at once, lets the rest wait in turn, and refuses what finds the queue full', async () => {
    const work = new BoundedWork({ atOnce: 2, waiting: 1, longestWait: 60_000 });
    const begun: string[] = [];
    const gates = new Map(['a', 'b', 'c'].map((name) => [name, gate()]));
    const start = (name: string) =>
      work.run(async () => {
        begun.push(name);
        await gates.get(name)?.passed;
        return name;
      });
    const running = [start('a'), start('b'), start('c')];
    expect(begun).to.deep.equal(['a', 'b']);
    expect(work.isFull).to.equal(true);
    const refused = await start('d').catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(QueueFull);
    gates.get('b')?.open();
    expect(await running[1]).to.equal('b');
    expect(work.isFull).to.equal(false);
    for (const each of gates.values()) each.open();
    expect(await Promise.all(running)).to.deep.equal(['a', 'b', 'c']);
    expect(begun).to.deep.equal(['a', 'b', 'c']);
  });

  it('refuses what has waited for too long, and does not run it later', async () => {
    const work = new BoundedWork({ atOnce: 1, waiting: 2, longestWait: 1 });
    const { passed, open } = gate();
    const first = work.run(() => passed);
    let isRun = false;
    const late = work.run(async () => {
      isRun = true;
    });
    expect(await late.catch((error: unknown) => error)).to.be.instanceOf(QueueFull);
    open();
    await first;
    expect(await work.run(async () => 'next')).to.equal('next');
    expect(isRun).to.equal(false);
  });

  it('goes on after work that fails', async () => {
    const work = new BoundedWork({ atOnce: 1, waiting: 1, longestWait: 60_000 });
    const failed = work.run(() => Promise.reject(new Error('no')));
    const next = work.run(async () => 'next');
    expect(await failed.catch(({ message }: Error) => message)).to.equal('no');
    expect(await next).to.equal('next');
  });
});
