import type { DataRow } from '../data-row.ts';
import type { Result } from '../database.ts';

/** For those who want the text of every field. */
export function withTexts({ rows, count }: Result<DataRow>): Result {
  return { rows: rows.map(({ fields }) => fields), count };
}
