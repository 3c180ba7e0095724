import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { comparisonOf } from '../../compiler/change/comparison.ts';
import { compile } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { memoized, memoizedBeside, once } from '../../compiler/definition/memo.ts';
import { untouchedBetween } from '../../compiler/difference/touched.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

describe('what is made of an object', () => {
  it('is made once for each object, also where nothing came of it', () => {
    const seen: object[] = [];
    const kept = memoized((part: object) => void seen.push(part));
    const [one, other] = [{}, {}];
    for (const part of [one, other, one, other]) kept(part);
    expect(seen).to.deep.equal([one, other]);
  });

  it('is made again where what stands beside it is not the same', () => {
    let count = 0;
    const kept = memoizedBeside((beside: string, _part: object) => `${beside} ${++count}`);
    const part = {};
    expect([kept('a', part), kept('a', part), kept('b', part), kept('a', part)]).to.deep.equal([
      'a 1',
      'a 1',
      'b 2',
      'a 3',
    ]);
  });
});

describe('a row of definitions, each compared with the one before', () => {
  before(() => loadGrammar());

  it('is not kept alive by its last one', async () => {
    const { definition } = compile([{ path: 'main.kiln', text: MODELS }]);
    const { last, refs } = compareInARow(definition as Definition, 50);
    // A WeakRef holds its object until the end of the turn in which it was made.
    await setImmediate();
    collect();
    expect(refs.filter((ref) => ref.deref()).length).to.be.within(1, 2);
    expect(refs.at(-1)?.deref()).to.equal(last);
  });
});

const MODELS = `
model Post { field title { type string } }
api { entrypoint Post { list endpoint {} get endpoint {} } }
`;

/** As `kiln dev` does it after each edit. */
function compareInARow(definition: Definition, count: number) {
  let last = definition;
  const refs = Array.from({ length: count }, () => {
    const next = structuredClone(last);
    comparisonOf(last, next);
    untouchedBetween(last, next);
    last = next;
    return new WeakRef(next);
  });
  return { last, refs };
}

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
