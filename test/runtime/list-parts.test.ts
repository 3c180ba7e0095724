import { expect } from 'chai';
import type { DataRow } from '../../runtime/query/data-row.ts';
import { listInParts } from '../../runtime/query/list-parts.ts';

const MEGABYTE = 1024 * 1024;

describe('a list that is read in parts', () => {
  for (const [part, inMemory] of [
    [40 * MEGABYTE, 40 * MEGABYTE],
    [100, MEGABYTE],
  ] as const) {
    it(`has the size of its records and of a part, where the first part has ${part} bytes`, async () => {
      const rows = Array.from({ length: 1001 }, () => ({}) as DataRow);
      const read = async () => ({ size: part, write: () => undefined });
      const { size } = await listInParts(rows, 5000, { before: '', behind: '' }, read);
      expect(size).to.equal(5000 + inMemory);
    });
  }
});
