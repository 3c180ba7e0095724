import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { comparisonOf } from '../../compiler/change/comparison.ts';
import { compile, type KnownFiles } from '../../compiler/compile.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { memoized, memoizedBeside, once } from '../../compiler/definition/memo.ts';
import { loadGrammar } from '../../compiler/syntax/load-grammar.ts';
import { fileTextIn } from '../../files/file-text.ts';
import { readSources } from '../../files/read-sources.ts';

setFlagsFromString('--expose-gc');
const EXAMPLES = join(import.meta.dirname, '../../examples');
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
    const alive = () => refs.filter((ref) => ref.deref()).length;
    // A WeakRef holds its object until the end of the turn in which it was made or read. What the stack still points to
    // by chance is collected in a later round.
    for (let round = 0; round === 0 || (round < 10 && alive() > 2); round++) {
      await setImmediate();
      collect();
    }
    expect(alive()).to.be.within(1, 2);
    expect(refs.at(-1)?.deref()).to.equal(last);
  });
});

describe('files that were read before', () => {
  before(() => loadGrammar());

  for (const example of readdirSync(EXAMPLES)) {
    it(`are the same definition again, and stay as they are: ${example}`, () => {
      const { sources, folder } = readSources(join(EXAMPLES, example));
      const known: KnownFiles = new Map();
      const first = compile(sources, fileTextIn(folder), { known });
      expect(known.size).to.equal(sources.length);
      frozen([...known.values()]);
      expect(compile(sources, fileTextIn(folder), { known })).to.deep.equal(first);
    });
  }

  it('are read again if their text is another one, or if something was reported of them', () => {
    const known: KnownFiles = new Map();
    const codesOf = (text: string) =>
      compile([{ path: 'main.kiln', text }], undefined, { known }).diagnostics.map(({ code }) => code);
    expect(codesOf(MODELS)).to.deep.equal([]);
    const broken = MODELS.replace('type string', 'type');
    expect(codesOf(broken)).to.not.deep.equal([]);
    expect(codesOf(broken)).to.deep.equal(codesOf(broken));
    expect(codesOf(MODELS)).to.deep.equal([]);
  });
});

/** What a later compilation changed in it would throw. */
function frozen(part: unknown): void {
  if (typeof part !== 'object' || part === null || Object.isFrozen(part)) return;
  Object.freeze(part);
  Object.values(part).forEach(frozen);
}

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
