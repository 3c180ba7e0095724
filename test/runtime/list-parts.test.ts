import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { Chunk, DataRow } from '../../runtime/query/data-row.ts';
import { listInParts } from '../../runtime/query/list-parts.ts';
import { IdList } from '../../runtime/query/long-list.ts';

const PART = 256 * 1024;
const AROUND = { before: '{"data":', behind: '}' };

function rowsOf(count: number): readonly DataRow[] {
  return Array.from({ length: count }, () => ({}) as DataRow);
}

describe('a list that is read in parts', () => {
  for (const [part, inMemory] of [
    [40 * PART, 40 * PART],
    [100, PART],
  ] as const) {
    it(`has the size of what is kept for its records and of a part, where the first part has ${part} bytes`, async () => {
      const rest = { size: 5000, isEmpty: false };
      const read = async () => ({ rows: rowsOf(3), size: part, write: () => undefined, free: () => undefined });
      expect((await listInParts(rest, read, AROUND)).size).to.equal(5000 + inMemory);
    });
  }

  it('reads about 256 KB at a time, in order', async () => {
    const left = [...rowsOf(2600)];
    const rest = {
      size: 0,
      get isEmpty() {
        return left.length === 0;
      },
    };
    const counts: number[] = [];
    let written = 0;
    let freed = 0;
    const slices = await listInParts(
      rest,
      async (count) => {
        counts.push(count);
        const rows = left.splice(0, count);
        const free = () => {
          freed += rows.length;
          expect(freed).to.equal(written);
        };
        return { rows, size: rows.length * 2048, write: (out) => out.json(String(written++)), free };
      },
      AROUND,
    );
    expect(await textOf(slices)).to.equal(`{"data":[${Array.from({ length: 2600 }, (_, at) => at).join()}]}`);
    expect(counts).to.deep.equal([200, ...Array<number>(19).fill(128)]);
    expect(freed).to.be.greaterThan(2400);
  });

  for (const [left, expected] of [
    [[0, 0, 2, 0, 1, 0], '{"data":[x,x,x]}'],
    [[0, 0], '{"data":[]}'],
  ] as const) {
    it(`leaves out parts whose records are gone: ${left.join(', ')}`, async () => {
      const parts: number[] = [...left];
      const rest = {
        size: 0,
        get isEmpty() {
          return parts.length === 0;
        },
      };
      const read = async () => ({
        rows: rowsOf(parts.shift() as number),
        size: 2,
        write: (out: { json(text: string): void }) => out.json('x'),
        free: () => undefined,
      });
      expect(await textOf(await listInParts(rest, read, AROUND))).to.equal(expected);
    });
  }
});

async function textOf(slices: Awaited<ReturnType<typeof listInParts>>): Promise<string> {
  let text = '';
  for (let slice = await slices.next(); slice !== null; slice = await slices.next()) {
    expect(slice.length).to.be.greaterThan(0);
    text += slice.toString();
  }
  return text;
}

describe('a list of ids', () => {
  /** As Postgres sends it, behind another field and before the bytes of another row. */
  function listOf(text: string): IdList {
    const field = (value: string) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(value.length);
      return Buffer.concat([length, Buffer.from(value)]);
    };
    const bytes = Buffer.concat([Buffer.from([0, 2]), field('7,8'), field(text), Buffer.from('9,9,9')]);
    return new IdList(new DataRow(new Chunk(bytes), 0, bytes.length), 1);
  }

  it('gives them in their order, a part at a time', () => {
    const ids = listOf('{30,1,200,4,5}');
    expect([ids.take(2), ids.take(1), ids.isEmpty, ids.take(9), ids.isEmpty]).to.deep.equal([
      '{30,1}',
      '{200}',
      false,
      '{4,5}',
      true,
    ]);
  });

  it('ends with the last one', () => {
    const ids = listOf('{30,1}');
    expect([ids.take(2), ids.isEmpty]).to.deep.equal(['{30,1}', true]);
  });

  it('can be empty', () => {
    expect(listOf('{}').isEmpty).to.equal(true);
  });
});
