import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { Semaphore, WaitTimeout, waitFor } from '../../../runtime/values/semaphore.ts';

const LONG = { left: 60_000 };

describe('a semaphore', () => {
  it('lets so many work at once, and the others in their order', async () => {
    const semaphore = new Semaphore(2);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const all = [1, 2, 3, 4].map((name) =>
      semaphore.during(() => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      }, LONG),
    );
    await pause(0);
    expect(begun).to.deep.equal([1, 2]);
    expect(semaphore.waiting).to.equal(2);
    ends[1]?.();
    await all[1];
    await pause(0);
    expect(begun).to.deep.equal([1, 2, 3]);
    ends[0]?.();
    await all[0];
    await pause(0);
    expect(begun).to.deep.equal([1, 2, 3, 4]);
    for (const end of ends) end();
    await Promise.all(all);
    expect(semaphore.waiting).to.equal(0);
  });

  it('is free again after work that failed', async () => {
    const semaphore = new Semaphore(1);
    const failure = await semaphore
      .during(() => Promise.reject(new Error('no')), LONG)
      .catch((error: Error) => error.message);
    expect(failure).to.equal('no');
    expect(await semaphore.during(async () => 'yes', LONG)).to.equal('yes');
  });

  it('takes the wait from the budget of a request, refuses it then, and goes on with those behind it', async () => {
    const semaphore = new Semaphore(1);
    await semaphore.acquire(LONG);
    const budget = { left: 50 };
    const late = semaphore.during(async () => 'late', budget).catch((error: unknown) => error);
    const behind = semaphore.during(async () => 'behind', { left: 60_000 });
    expect(await late).to.be.instanceOf(WaitTimeout);
    expect(budget.left).to.equal(0);
    expect(semaphore.waiting).to.equal(1);
    semaphore.release();
    expect(await behind).to.equal('behind');
    expect(await semaphore.during(async () => 'next', LONG)).to.equal('next');
  });
});

describe('a semaphore with a limited queue', () => {
  it('refuses at once what finds the queue full', async () => {
    const semaphore = new Semaphore(1, 1);
    await semaphore.acquire(LONG);
    const waiting = semaphore.during(async () => 'waited', { left: 60_000 });
    expect(semaphore.isFull).to.equal(true);
    const refused = await semaphore.during(async () => 'refused', { left: 60_000 }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(WaitTimeout);
    semaphore.release();
    expect(await waiting).to.equal('waited');
    expect(semaphore.isFull).to.equal(false);
  });
});

describe('a wait', () => {
  it('gives back what comes after it was given up', async () => {
    const controller = new AbortController();
    const given: string[] = [];
    let come = (_: string): void => undefined;
    const event = new Promise<string>((resolve) => {
      come = resolve;
    });
    const waiting = waitFor(event, { signal: controller.signal, giveBack: (value) => given.push(value) });
    const failure = waiting.catch((error: unknown) => error);
    controller.abort('gone');
    come('late');
    expect(await failure).to.equal('gone');
    await pause(0);
    expect(given).to.deep.equal(['late']);
  });
});
