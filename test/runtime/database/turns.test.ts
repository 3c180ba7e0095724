import { expect } from 'chai';
import { TurnMissed, Turns } from '../../../runtime/query/connections/turns.ts';
import { gate } from '../operations/running.ts';

const LONG = 60_000;

describe('turns', () => {
  it('come one after the other under one key, and at once under another', async () => {
    const turns = new Turns();
    const { passed, open } = gate();
    const begun: string[] = [];
    const note = (name: string, until?: Promise<void>) => async () => {
      begun.push(name);
      await until;
    };
    const first = turns.take('a', note('first', passed), LONG);
    const second = turns.take('a', note('second'), LONG);
    await turns.take('b', note('other'), LONG);
    expect(begun).to.deep.equal(['first', 'other']);
    open();
    await Promise.all([first, second]);
    expect(begun).to.deep.equal(['first', 'other', 'second']);
  });

  it('that do not come in time are missed, and those behind still wait for those before', async () => {
    const turns = new Turns();
    const { passed, open } = gate();
    const begun: string[] = [];
    const first = turns.take('a', () => passed, LONG);
    const missed = turns.take('a', async () => void begun.push('missed'), 1);
    expect(await missed.catch((error: unknown) => error)).to.be.instanceOf(TurnMissed);
    const third = turns.take('a', async () => void begun.push('third'), LONG);
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).to.deep.equal([]);
    open();
    await Promise.all([first, third]);
    expect(begun).to.deep.equal(['third']);
  });
});
