/** The records that a path names, all in one statement: no row means that one of them is not there. */
import type { PathRecord } from '../../compiler/definition/endpoint.ts';
import type { Selected } from '../../compiler/definition/expression.ts';
import { Frame, type Row } from '../../compiler/definition/sql/frame.ts';
import { isNext, recordAt, recordNextTo } from '../../compiler/definition/sql/paths.ts';
import { sql } from '../../compiler/definition/sql/sql.ts';
import type { Bound } from './database.ts';
import { bound, given, type QueryScope, run } from './prepared.ts';
import { jsonReadingOf } from './rows-json.ts';
import { Columns, partsOf } from './selection.ts';
import { fillIn, Gathering, objectFromRow, type Part } from './shape.ts';
import type { Statements } from './statements.ts';

/** Fills the records into the scope. Null where one is missing. */
export type Lookup = (scope: QueryScope) => Promise<Found | null>;

/** Gives what was selected of the last record. Its collections, which cost statements of their own, are read only now. */
export type Found = (scope: QueryScope) => Promise<Buffer>;

interface LookupOptions {
  readonly records: readonly PathRecord[];
  /** The selection of the last record, for the answer. */
  readonly select: readonly Selected[];
  /** Names of records that are to be changed. */
  readonly locked: ReadonlySet<string>;
}

export function lookupOf({ records, select, locked }: LookupOptions, statements: Statements): Lookup {
  const frame = new Frame(statements.building());
  const rows = rowsOf(records, frame, statements);
  const columns = new Columns();
  const parts = records.map(({ reads }, at) => partsOf(reads, rows[at] as Row, columns, statements));
  const selected = jsonReadingOf(partsOf(select, rows.at(-1) as Row, columns, statements));
  const lock = rows.filter((_, at) => locked.has((records[at] as PathRecord).record));
  const statement = statements.select(rows.at(-1) as Row, columns.list, lock.length > 0 ? { lock } : {});
  return async (scope) => {
    const { rows: found } = await run(statement, scope);
    const row = found[0];
    if (!row) return null;
    const reads = new Gathering();
    records.forEach(({ record }, at) => {
      scope.records[record] = objectFromRow(row, parts[at] as readonly Part[], reads);
    });
    if (!reads.isEmpty) await fillIn(reads, scope);
    return (within) => selected.record(row, within);
  };
}

/**
 * The rows of these records, each found from the previous one and by its identifier, which the path of the request has.
 */
export function rowsOf(records: readonly PathRecord[], frame: Frame, statements: Statements): readonly Row[] {
  const rows: Row[] = [];
  for (const record of records) {
    const { identify } = record;
    const row = rowOf(record, rows.at(-1), frame);
    if (identify) {
      const { parameter } = identify;
      const value = bound(
        ({ identifiers }) => identifiers[parameter] as Bound,
        statements.catalogue.sqlType(identify.type),
      );
      frame.where(sql`${recordAt(row, identify.path).field(identify.field)} = ${value}`);
    }
    if (record.only) frame.where(frame.building.condition(record.only, row));
    rows.push(row);
  }
  return rows;
}

function rowOf({ model, through, origin }: PathRecord, before: Row | undefined, frame: Frame): Row {
  if (through === null || through.kind === 'query') return frame.add(model);
  if (origin) return recordNextTo(origin, through, frame);
  return before ? frame.join(model, (next) => isNext(before, through, next)) : frame.add(model);
}

// Keeps a record as it is until the transaction is over, so that what is read of it next is what will be changed.

export function lockOf(model: string, statements: Statements) {
  const row = rowById(model, statements);
  const statement = statements.select(row, [row.id], { lock: [row] });
  return async (scope: QueryScope, id: Bound): Promise<void> => void (await run(statement, scope, { id }));
}

/** The record whose id is handed over. */
export function rowById(model: string, statements: Statements): Row {
  const row = new Frame(statements.building()).add(model);
  row.frame.where(sql`${row.id} = ${given('id', statements.catalogue.sqlType(row.model.field('id').type))}`);
  return row;
}

/** Names the transaction that wrote the record last. */
export function versionOf(model: string, statements: Statements) {
  const row = rowById(model, statements);
  const statement = statements.select(row, [sql`${row.alias}.xmin::text`]);
  return async (scope: QueryScope, id: Bound): Promise<string | null> =>
    (await run(statement, scope, { id })).rows[0]?.text(0) ?? null;
}
