import { expect } from 'chai';
import { keptBeside, keptFor, once } from '../../compiler/definition/kept.ts';

describe('what is made of an object', () => {
  it('is made once for each object, also where nothing came of it', () => {
    const seen: object[] = [];
    const kept = keptFor((part: object) => void seen.push(part));
    const [one, other] = [{}, {}];
    for (const part of [one, other, one, other]) kept(part);
    expect(seen).to.deep.equal([one, other]);
  });

  it('is made again where what stands beside it is not the same', () => {
    let count = 0;
    const kept = keptBeside((beside: string, _part: object) => `${beside} ${++count}`);
    const part = {};
    expect([kept('a', part), kept('a', part), kept('b', part), kept('a', part)]).to.deep.equal([
      'a 1',
      'a 1',
      'b 2',
      'a 3',
    ]);
  });

  it('stays where what stands beside it only looks the same, if that is enough', () => {
    const isSame = (one: readonly number[], other: readonly number[]) => one.join() === other.join();
    const kept = keptBeside((beside: readonly number[], _part: object) => ({ beside }), isSame);
    const part = {};
    const first = kept([1, 2], part);
    expect(kept([1, 2], part)).to.equal(first);
    expect(kept([1, 3], part)).to.deep.equal({ beside: [1, 3] });
  });
});

describe('what is made when it is first asked for', () => {
  it('is made once, also where it is nothing', () => {
    let count = 0;
    const made = once(() => void count++);
    expect(count).to.equal(0);
    made();
    made();
    expect(count).to.equal(1);
  });
});
