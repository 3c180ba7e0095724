import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Patience } from '../../../runtime/query/connections/patience.ts';
import { Slots } from '../../../runtime/query/connections/slots.ts';
import { DatabaseError } from '../../../runtime/query/database.ts';

describe('slots', () => {
  it('let so many in at once, and the others in their order', async () => {
    const slots = new Slots(2, 60_000);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const all = [1, 2, 3, 4].map((name) =>
      slots.during('list', () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    expect(begun).to.deep.equal([1, 2]);
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
  });

  it('are free again after work that failed', async () => {
    const slots = new Slots(1, 60_000);
    const failure = await slots
      .during('list', () => Promise.reject(new Error('no')))
      .catch((error: Error) => error.message);
    expect(failure).to.equal('no');
    expect(await slots.during('list', async () => 'yes')).to.equal('yes');
  });

  it('take the wait from the patience of a request, and then have no room for it', async () => {
    const slots = new Slots(1, 60_000);
    let end = (): void => undefined;
    const held = slots.during(
      'list',
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    const patience = { left: 50 };
    const failure = await slots.during('list', async () => 'late', patience).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(DatabaseError).with.property('kind', 'busy');
    expect(patience.left).to.be.at.most(0);
    end();
    await held;
    await pause(0);
    expect(await slots.during('list', async () => 'next')).to.equal('next');
  });

  it('know by name for what others wait', async () => {
    const slots = new Slots(1, 60_000);
    const ends: (() => void)[] = [];
    const run = (name: string, patience?: Patience) =>
      slots.during(name, () => new Promise<void>((resolve) => ends.push(resolve)), patience);
    const first = run('one');
    expect(slots.isAwaited('one'), 'it runs, and nothing waits').to.equal(false);
    const second = run('one');
    const late = run('other', { left: 10 }).catch(() => 'late');
    expect([slots.isAwaited('one'), slots.isAwaited('other')]).to.deep.equal([true, true]);
    expect(await late).to.equal('late');
    expect([slots.isAwaited('one'), slots.isAwaited('other')]).to.deep.equal([true, false]);
    ends[0]?.();
    await first;
    await pause(0);
    expect([slots.isAwaited('one'), slots.waiting]).to.deep.equal([false, 0]);
    ends[1]?.();
    await second;
  });
});
