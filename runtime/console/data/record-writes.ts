/**
 * Records are created, changed and deleted as they are: types are checked, and what the database itself demands. The
 * rules of the API (validators, who may do it, hooks) are not applied.
 */
import { joined, type Sql, sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError, type InputError } from '../../errors/api-error.ts';
import type { DataConnection } from '../../query/database.ts';
import { type Bound, binderOf, checkValue } from '../../values/kinds.ts';
import { hashPassword, isTooLongForPassword } from '../../values/password.ts';
import { uuidV7 } from '../../values/uuid.ts';
import type { DataModels, KnownColumn, KnownModel } from './data-models.ts';
import { execute, value } from './data-statements.ts';
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
  models: DataModels,
): Promise<readonly Written[]> {
  const errors: InputError[] = [];
  const written: Written[] = [];
  for (const [name, given] of Object.entries(values)) {
    const column = known.columns.find(({ field }) => field.name === name);
    const problem = column ? problemOf(given, column, models) : unknownColumn(known);
    if (problem) errors.push({ path: name, params: {}, ...problem });
    else if (column) written.push({ column, value: await boundFrom(given, column, models) });
  }
  if (errors.length > 0) throw new ApiError('validation-failed', { errors });
  return written;
}

type Problem = Pick<InputError, 'code' | 'message'>;

function unknownColumn({ model }: KnownModel): Problem {
  return { code: 'unknown', message: `is no column of \`${model.name}\`` };
}

function problemOf(given: unknown, { field, form }: KnownColumn, models: DataModels): Problem | null {
  if (given === null) return form.isNullable ? null : { code: 'not-nullable', message: 'must not be null' };
  const checked = checkValue(given, field.type, models.enumValues);
  if (!checked.ok) return { code: 'wrong-type', message: checked.message };
  return form.isPassword ? problemOfPassword(given as string) : null;
}

function problemOfPassword(given: string): Problem | null {
  if (given === '') return { code: 'empty', message: 'must not be empty' };
  return isTooLongForPassword(given) ? { code: 'too-long', message: 'is too long for a password' } : null;
}

/** Only for a value that has no problem. */
async function boundFrom(given: unknown, { field, form }: KnownColumn, models: DataModels): Promise<Bound> {
  if (given === null) return null;
  if (form.isPassword) return hashPassword(given as string);
  const checked = checkValue(given, field.type, models.enumValues);
  return checked.ok ? binderOf(field.type)(checked.value) : null;
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
  return rows[0]?.text(0) as string;
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
}

export async function deleteRecord(connection: DataConnection, known: KnownModel, id: string): Promise<void> {
  await changeOne(connection, known, id, sql`DELETE FROM ${known.table} AS "#row"`);
}

async function changeOne(connection: DataConnection, known: KnownModel, id: string, change: Sql): Promise<void> {
  const condition = idCondition(known, id, sql`"#row"`);
  const { count } = await execute(connection, sql`${change} WHERE ${condition}`);
  if (count === 0) throw missingRecord(known, id);
}
