/**
 * Makes a record, or finds it by a unique key. It is one statement, and correct in parallel: the second request waits
 * until the record of the first is committed, and then finds it. The statement does not name an index, so it works
 * through the views of a rollout, and after a later release has dropped the key.
 */
import type { Expression } from '../../compiler/definition/expression.ts';
import { all, joined, type Name, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { GIVEN, insertParts, THERE, WAS_THERE } from './insert-each.ts';
import { isSent, run } from './prepared.ts';
import { Gathering, objectFromRow } from './shape.ts';
import type { Statements } from './statements.ts';
import { changedReading, ofItself, type Returned, type Writing, type WrittenValue, WrittenValues } from './writes.ts';

interface Conflict {
  /** The fields of the unique key. */
  readonly key: readonly string[];
  /** The changes of an existing record. */
  readonly changes: readonly Change[];
  /** The condition over records that may be found; null where it may be any. */
  readonly only: Expression | null;
  /** Whether a record that is kept must not be deleted before the transaction is over. */
  readonly isHeld: boolean;
}

interface Change {
  readonly field: string;
  /**
   * The condition under which the value of the new record counts: the input of this path was sent, or always, or never.
   */
  readonly given: readonly string[] | 'always' | 'never';
  /** The condition under which the value of the new record counts. */
  readonly condition: WrittenValue | null;
  /** The value where it does not count; null where the field stays as it is. */
  readonly otherwise: WrittenValue | null;
}

export function insertOrFindOf(
  model: string,
  fields: readonly { readonly field: string; readonly value: WrittenValue }[],
  conflict: Conflict,
  returned: Returned,
  statements: Statements,
): Writing {
  const described = statements.catalogue.model(model);
  const values = new WrittenValues();
  const written = (field: string, value: WrittenValue) =>
    values.sql(value, statements.catalogue.sqlType(described.field(field).type));
  const items = fields.map(({ field, value }) => sql`${written(field, value)} AS ${described.column(field)}`);
  const names = fields.map(({ field }) => field);
  const { searchingOne, insertingOne } = insertParts(described, names, sql`SELECT ${joined(items, ', ')}`, statements);
  const { key, changes, only, isHeld } = conflict;
  const set = changes.map((change) => changeOf(change, described.column(change.field), written, values));
  const isFound =
    only && ofItself(THERE, described, statements, (row) => sql`(${row.frame.building.condition(only, row)})`);
  const search = changedReading(searchingOne(key, isFound, set, isHeld), WAS_THERE, returned, described, statements);
  const insert = changedReading(insertingOne(), WAS_THERE, returned, described, statements);
  return async (scope) => {
    const given = await values.evaluated(scope);
    // The second attempt sees what another request has made in the meantime. A conflict after that is with another key,
    // which the database reports.
    for (const { statement, shape, at } of [search, search, insert]) {
      const { rows } = await run(statement, scope, given);
      const [row] = rows;
      if (row === undefined) continue;
      return {
        reads: objectFromRow(row, shape.reads, new Gathering()),
        json: shape.json && (await shape.json.record(row, scope)),
        wasThere: row.text(at) === 't',
      };
    }
    throw new Error('an insert gave no row back');
  };
}

/** The new value of a field, as SQL. */
function changeOf(
  { field, given, condition, otherwise }: Change,
  column: Name,
  written: (field: string, value: WrittenValue) => Sql,
  values: WrittenValues,
): Sql {
  const taken = sql`${GIVEN}.${column}`;
  const other = otherwise ? written(field, otherwise) : sql`${THERE}.${column}`;
  if (given === 'never') return sql`${column} = ${other}`;
  const conditions = [
    ...(condition ? [values.sql(condition, sql`boolean`)] : []),
    ...(given === 'always' ? [] : [isSent(given)]),
  ];
  if (conditions.length === 0) return sql`${column} = ${taken}`;
  return sql`${column} = CASE WHEN ${all(conditions)} THEN ${taken} ELSE ${other} END`;
}
