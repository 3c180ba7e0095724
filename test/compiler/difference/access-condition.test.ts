import { expect } from 'chai';
import fc from 'fast-check';
import { all, any, atom, type Condition, implies, not } from '../../../compiler/difference/condition.ts';

const KEYS = ['a', 'b', 'c', 'd'];
const [a, b] = [atom('a'), atom('b')];

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...KEYS).map(atom),
    tie('condition').map(not),
    fc.array(tie('condition'), { maxLength: 3 }).map((of) => all(...of)),
    fc.array(tie('condition'), { maxLength: 3 }).map((of) => any(...of)),
  ),
}));

/** By the plain meaning of the words. */
function holds(part: Condition, isTrue: (key: string) => boolean): boolean {
  if (part.kind === 'atom') return isTrue(part.key);
  if (part.kind === 'not') return !holds(part.of, isTrue);
  return part.kind === 'all'
    ? part.of.every((each) => holds(each, isTrue))
    : part.of.some((each) => holds(each, isTrue));
}

/** Each row of the truth table. */
const rows = KEYS.reduce<readonly ReadonlySet<string>[]>(
  (found, key) => found.flatMap((row) => [row, new Set([...row, key])]),
  [new Set<string>()],
);

describe('what follows from a condition', () => {
  it('is what the truth table says, whatever the conditions are', () => {
    fc.assert(
      fc.property(condition, condition, (first, second) => {
        const follows = rows.every((row) => {
          const isTrue = (key: string) => row.has(key);
          return !holds(first, isTrue) || holds(second, isTrue);
        });
        expect(implies(first, second)).to.equal(follows);
      }),
      { numRuns: 2000 },
    );
  });

  it('is not claimed where there are too many cases to look at', () => {
    // Each number is in one of seven boxes, and no box has two: that is impossible, but takes long to find out.
    const numbers = Array.from({ length: 8 }, (_, number) => number);
    const boxes = Array.from({ length: 7 }, (_, box) => box);
    const is = (number: number, box: number) => atom(`${number} in ${box}`);
    const placed = numbers.map((number) => any(...boxes.map((box) => is(number, box))));
    const alone = boxes.flatMap((box) =>
      numbers.flatMap((one) =>
        numbers.filter((other) => other < one).map((other) => not(all(is(one, box), is(other, box)))),
      ),
    );
    expect(implies(all(...placed, ...alone), any())).to.equal(false);
  });

  it('is nothing from no condition, and everything from one that never holds', () => {
    expect(implies(all(), a)).to.equal(false);
    expect(implies(any(), a)).to.equal(true);
    expect(implies(all(a, b), a)).to.equal(true);
    expect(implies(a, any(a, b))).to.equal(true);
  });
});
