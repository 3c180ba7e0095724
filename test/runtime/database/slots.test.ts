import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { Slots } from '../../../runtime/query/connections/slots.ts';
import { DatabaseError } from '../../../runtime/query/database.ts';

describe('slots', () => {
  it('let so many in at once, and the others in their order', async () => {
    const slots = new Slots(2, 60_000);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const all = [1, 2, 3, 4].map((name) =>
      slots.during(() => {
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
    const failure = await slots.during(() => Promise.reject(new Error('no'))).catch((error: Error) => error.message);
    expect(failure).to.equal('no');
    expect(await slots.during(async () => 'yes')).to.equal('yes');
  });

  it('take the wait from the patience of a request, and then have no room for it', async () => {
    const slots = new Slots(1, 60_000);
    let end = (): void => undefined;
    const held = slots.during(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    const patience = { left: 50 };
    const failure = await slots.during(async () => 'late', patience).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(DatabaseError).with.property('kind', 'busy');
    expect(patience.left).to.be.at.most(0.5);
    end();
    await held;
    await pause(0);
    expect(await slots.during(async () => 'next')).to.equal('next');
  });
});
