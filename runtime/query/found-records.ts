/** Reads records of one model by their ids, by one statement for all of them. */
import type { Read } from '../../compiler/definition/expression.ts';
import { Frame } from '../../compiler/definition/sql/frame.ts';
import { sql } from '../../compiler/definition/sql/sql.ts';
import { givenList, type QueryScope, run } from './prepared.ts';
import { Columns, partsOf } from './selection.ts';
import { objectsFromRows, type Target } from './shape.ts';
import type { Statements } from './statements.ts';

/** Reads the existing records, by their ids. */
type FoundReading = (ids: readonly string[], scope: QueryScope) => Promise<ReadonlyMap<string, Target>>;

/** Locks are taken in the order of the ids, so that two requests do not wait for each other in a circle. */
export function foundReadingOf(
  model: string,
  reads: readonly Read[],
  isLocked: boolean,
  statements: Statements,
): FoundReading {
  const row = new Frame(statements.building()).add(model);
  const type = statements.catalogue.sqlType(row.model.field('id').type);
  row.frame.where(sql`${row.id} = ANY (${givenList('ids', type)})`);
  const columns = new Columns();
  const parts = partsOf(reads, row, columns, statements);
  const at = columns.place(row.id);
  const options = { order: row.id, ...(isLocked ? { lock: [row] } : {}) };
  const statement = statements.select(row, columns.list, options);
  return async (ids, scope) => {
    if (ids.length === 0) return new Map();
    const { rows } = await run(statement, scope, { ids: [...new Set(ids)] });
    const found = await objectsFromRows(rows, parts, scope);
    return new Map(found.map((target, index) => [String(rows[index]?.text(at)), target]));
  };
}
