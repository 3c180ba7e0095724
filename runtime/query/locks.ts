/** Keeps a record as it is until the transaction is over, so that what is read of it next is what will be changed. */
import { Frame } from '../../compiler/definition/sql/frame.ts';
import { sql } from '../../compiler/definition/sql/sql.ts';
import type { Scope } from '../expressions/scope.ts';
import type { Bound, DataConnection } from './database.ts';
import { given } from './parameters.ts';
import { run } from './prepared.ts';
import type { Statements } from './statements.ts';

type LockRecord = (connection: DataConnection, scope: Scope, id: Bound) => Promise<void>;

export function lockOf(model: string, statements: Statements): LockRecord {
  const row = new Frame(statements.building()).add(model);
  row.frame.where(sql`${row.id} = ${given('id', statements.catalogue.sqlType(row.model.field('id').type))}`);
  const statement = statements.select(row, [row.id], { lock: [row] });
  return async (connection, scope, id) => {
    await run(statement, connection, scope, { id });
  };
}
