/** Edits, made to the rows before, give the rows after. */
import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import fc from 'fast-check';
import { editsBetween, rowsIn } from '../../../runtime/live/edits.ts';

function edited(before: readonly string[], after: readonly string[]): readonly string[] {
  const rows = [...before];
  for (const edit of editsBetween(before, after) ?? []) {
    if (edit.kind === 'remove') rows.splice(edit.at, 1);
    else rows.splice(edit.at, edit.isNew ? 0 : 1, after[edit.row] as string);
  }
  return rows;
}

describe('the edits of a live list', () => {
  it('lead from any rows to any others, also where some are equal', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const some = () => Array.from({ length: random(9) }, () => String(random(7)));
    for (let round = 0; round < 20_000; round++) {
      const [before, after] = [some(), some()];
      expect(edited(before, after), `${before} to ${after}`).to.deep.equal(after);
    }
  });

  it('are few: one row that is new, changed, gone or moved', () => {
    const rows = ['a', 'b', 'c', 'd'];
    expect(editsBetween(rows, ['x', ...rows])).to.have.length(1);
    expect(editsBetween(rows, ['a', 'x', 'c', 'd'])).to.have.length(1);
    expect(editsBetween(rows, ['a', 'c', 'd'])).to.have.length(1);
    expect(editsBetween(rows, ['b', 'c', 'd', 'a'])).to.have.length(2);
    expect(editsBetween(rows, ['d', 'a', 'b', 'c'])).to.have.length(2);
  });

  it('are not made for a long list, unless it is the same', () => {
    const rows = Array.from({ length: 5001 }, (_, at) => String(at));
    expect(editsBetween(rows, rows.toReversed())).to.equal(null);
    expect(editsBetween(rows, [...rows])).to.deep.equal([]);
    expect(editsBetween(rows.slice(1), rows.slice(1).toReversed())).not.to.equal(null);
  });

  it('are of the rows, which stand in a list or in a page', () => {
    const items = [{ a: 'x"],[{\\' }, [1, [2]], 'é,]', null];
    const texts = items.map((item) => JSON.stringify(item));
    for (const before of ['', '{"page":1,"next":"[\\"","data":'])
      for (const list of [items, []]) {
        const body = Buffer.from(`${before}${JSON.stringify(list)}${before ? ',"total":2}' : ''}`);
        const { rows, page } = rowsIn(body);
        expect(rows.map(String)).to.deep.equal(list.length > 0 ? texts : []);
        expect(page).to.equal(before ? `${before}[],"total":2}` : null);
      }
  });

  it('are of the rows, however many quotes and backslashes stand in their texts', () => {
    const signs = fc.string({ unit: fc.constantFrom('"', '\\', ',', 'a'), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(signs), (texts) => {
        const { rows } = rowsIn(Buffer.from(JSON.stringify(texts)));
        expect(rows.map((row) => JSON.parse(String(row)))).to.deep.equal(texts);
      }),
    );
  });
});
