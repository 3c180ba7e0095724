/**
 * Records are created, changed and deleted as they are: types are checked, and what the database itself demands. The
 * rules of the API (validators, who may do it, hooks) are not applied.
 */
import { joined, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError, type InputError } from '../../errors/api-error.ts';
import { DatabaseError, type DataConnection } from '../../query/database.ts';
import { type Bound, binderOf, checkValue } from '../../values/kinds.ts';
import { hashPassword, isTooLongForPassword } from '../../values/password.ts';
import { uuidV7 } from '../../values/uuid.ts';
import type { DataModels, KnownColumn, KnownModel } from './data-models.ts';
import { type DataDatabase, execute, reading, text, value, type Work, writing } from './data-statements.ts';
import { idCondition, missingRecord } from './record-view.ts';

/** A value that is stored, and the column that it goes to. */
export interface Written {
  readonly column: KnownColumn;
  readonly value: Bound;
}

/** Checks all values, and says everything that is wrong with them at once. Passwords are hashed here. */
export async function writtenFrom(
  values: Readonly<Record<string, unknown>>,
  known: KnownModel,
): Promise<readonly Written[]> {
  const errors: InputError[] = [];
  const written: Written[] = [];
  for (const [name, given] of Object.entries(values)) {
    const column = known.columns.find(({ field }) => field.name === name);
    const unknown = { code: 'unknown', message: `is no column of \`${known.model.name}\`` };
    const checked = column ? checkedFor(given, column, known.models) : unknown;
    if ('code' in checked) errors.push({ path: name, params: {}, ...checked });
    else if (column) written.push({ column, value: await checked.bound() });
  }
  if (errors.length > 0) throw new ApiError('validation-failed', { errors });
  return written;
}

type Problem = Pick<InputError, 'code' | 'message'>;

type Sound = { readonly bound: () => Bound | Promise<Bound> };

function checkedFor(given: unknown, { field, form }: KnownColumn, { enumValues }: DataModels): Problem | Sound {
  if (given === null)
    return form.isNullable ? { bound: () => null } : { code: 'not-nullable', message: 'must not be null' };
  const checked = checkValue(given, field.type, enumValues);
  if (!checked.ok) return { code: checked.isOutOfRange ? 'out-of-range' : 'wrong-type', message: checked.message };
  // The id of an upload, which is taken in the transaction.
  if (form.type === 'file') return { bound: () => checked.value as string };
  if (!form.isPassword) return { bound: () => binderOf(field.type)(checked.value) };
  const password = given as string;
  if (password === '') return { code: 'empty', message: 'must not be empty' };
  if (isTooLongForPassword(password)) return { code: 'too-long', message: 'is too long for a password' };
  return { bound: () => hashPassword(password) };
}

/** Gives the id of the new record. */
export async function insertRecord(
  connection: DataConnection,
  known: KnownModel,
  written: readonly Written[],
): Promise<string> {
  const all = withId(written, known);
  const columns = all.map(({ column }) => sql`${column.name}`);
  const values = all.map(({ column, value: given }) => value(given, column.sqlType));
  const what =
    all.length === 0 ? sql`DEFAULT VALUES` : sql`(${joined(columns, ', ')}) VALUES (${joined(values, ', ')})`;
  const { rows } = await execute(connection, sql`INSERT INTO ${known.table} ${what} RETURNING ${known.id.name}`);
  await advanceSequence(connection, known, written);
  return rows[0]?.text(0) as string;
}

/** An id that was typed is not given to a later record. The role of a server may have no right on sequences. */
async function advanceSequence(connection: DataConnection, known: KnownModel, written: readonly Written[]) {
  const id = written.find(({ column }) => column === known.id);
  if (!id || known.id.field.type.kind === 'uuid') return;
  const given = value(id.value, known.id.sqlType);
  const sequence = sql`pg_get_serial_sequence(quote_ident(${text(known.model.table)}), 'id')::regclass`;
  await execute(
    connection,
    sql`SELECT setval(sequence, ${given}) FROM (SELECT ${sequence} AS sequence) AS own
      WHERE has_sequence_privilege(sequence, 'UPDATE') AND has_sequence_privilege(sequence, 'USAGE')
        AND coalesce(pg_sequence_last_value(sequence), 0) < ${given}`,
  );
}

/** The database counts ids that are numbers; UUIDs are made by the server. */
function withId(written: readonly Written[], { id }: KnownModel): readonly Written[] {
  const isGiven = written.some(({ column }) => column === id);
  return isGiven || id.field.type.kind !== 'uuid' ? written : [{ column: id, value: uuidV7() }, ...written];
}

export async function updateRecord(
  connection: DataConnection,
  known: KnownModel,
  id: string,
  written: readonly Written[],
): Promise<void> {
  if (written.length === 0)
    throw new ApiError('malformed-request', { detail: 'There is nothing to change: the body has no values.' });
  const set = written.map(({ column, value: given }) => sql`${column.name} = ${value(given, column.sqlType)}`);
  await changeOne(connection, known, id, sql`UPDATE ${known.table} AS "#row" SET ${joined(set, ', ')}`);
  await advanceSequence(connection, known, written);
}

export async function deleteRecord(connection: DataConnection, known: KnownModel, id: string): Promise<void> {
  await changeOne(connection, known, id, sql`DELETE FROM ${known.table} AS "#row"`);
}

async function changeOne(connection: DataConnection, known: KnownModel, id: string, change: Sql): Promise<void> {
  const condition = idCondition(known, id, sql`"#row"`);
  const { count } = await execute(connection, sql`${change} WHERE ${condition}`);
  if (count === 0) throw missingRecord(known, id);
}

// ── Refused writes ───────────────────────────────────────────────────────────────────────────────────────────────────

// The database's refusals become sentences, placed at the columns that are the reason.

/** Writes in a transaction. */
export async function changing<T>(
  from: DataDatabase,
  known: KnownModel,
  signal: AbortSignal,
  write: Work<T>,
  isDelete = false,
): Promise<T> {
  try {
    return await writing(from, signal, write);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // The transaction is over: what the constraint is about is read in another one.
    throw await refusedWrite(error, known, isDelete, (constraint) =>
      reading(from, signal, (connection) => columnsOfConstraint(connection, constraint, known)),
    );
  }
}

/** The error to throw in place of `error`; the same one where there is nothing better to say. */
async function refusedWrite(
  error: DatabaseError,
  known: KnownModel,
  isDelete: boolean,
  columnsOf: (constraint: string) => Promise<readonly string[]>,
): Promise<Error> {
  const columns = (): Promise<readonly string[]> => columnsOf(error.constraint ?? '');
  switch (error.kind) {
    case 'not-null':
      return atColumns(error, namesOf(known, [error.column]), 'not-nullable', 'must not be null');
    case 'unique':
      return uniqueError(error, await columns());
    case 'foreign-key':
      return (
        stillReferenced(error, known, isDelete) ??
        atColumns(error, await columns(), 'reference-not-found', 'there is no record with this id')
      );
    case 'out-of-range':
    case 'bad-value':
    case 'too-long':
    case 'check':
    case 'other':
      return rejected(error);
    default:
      return error;
  }
}

function uniqueError(error: DatabaseError, columns: readonly string[]): ApiError {
  const others = columns.length > 1 ? `, together with ${columns.slice(1).join(', ')}` : '';
  return atColumns(error, columns, 'already-exists', `another record has this value already${others}`);
}

/** The error for a record that is still referenced; null where the record itself refers to a missing one. */
function stillReferenced(cause: DatabaseError, { model, models }: KnownModel, isDelete: boolean): ApiError | null {
  const referring = models.definition.models.find(({ table }) => table === cause.table);
  if (!referring || (referring.name === model.name && !isDelete)) return null;
  const detail = `Other records still refer to this one (${referring.name}). Delete or change them first.`;
  return new ApiError('conflict', { detail, cause });
}

function atColumns(cause: DatabaseError, columns: readonly string[], code: string, message: string): ApiError {
  const errors: readonly InputError[] = columns.slice(0, 1).map((path) => ({ path, code, message, params: {} }));
  return errors.length > 0 ? new ApiError('validation-failed', { errors, cause }) : rejected(cause);
}

/** Quotes the message of Postgres, which has no values: those are in its details. */
function rejected(error: DatabaseError): ApiError {
  const reason = error.cause instanceof Error ? error.cause.message.replace(/\.$/, '') : 'it gave no reason';
  return new ApiError('conflict', { detail: `The database rejected this: ${reason}.`, cause: error });
}

/** The columns of the constraint, by the names of their fields. */
async function columnsOfConstraint(
  connection: DataConnection,
  constraint: string,
  known: KnownModel,
): Promise<readonly string[]> {
  const { rows } = await execute(
    connection,
    sql`SELECT attname FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = ANY (conkey)
      WHERE conname = ${text(constraint)} AND conrelid = to_regclass(quote_ident(${text(known.model.table)})) ORDER BY attnum`,
  );
  return namesOf(
    known,
    rows.map((row) => row.text(0)),
  );
}

function namesOf({ model }: KnownModel, columns: readonly (string | null)[]): readonly string[] {
  return model.fields.filter(({ column }) => columns.includes(column)).map(({ name }) => name);
}
