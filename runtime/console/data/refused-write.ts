/** What the database rejects is said as a sentence, at the columns that are the reason. */
import { sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError, type InputError } from '../../errors/api-error.ts';
import type { DatabaseError, DataConnection } from '../../query/database.ts';
import type { DataModels, KnownModel } from './data-models.ts';
import { execute, text } from './data-statements.ts';

interface WriteContext {
  readonly isDelete: boolean;
  /** The columns of a constraint of the table, by the names of their fields. */
  readonly columnsOf: (constraint: string) => Promise<readonly string[]>;
}

/** The error to throw in place of `error`; the same one where there is nothing better to say. */
export async function refusedWrite(
  error: DatabaseError,
  known: KnownModel,
  models: DataModels,
  { isDelete, columnsOf }: WriteContext,
): Promise<Error> {
  switch (error.kind) {
    case 'not-null':
      return atColumns(error, namesOf(known, [error.column]), 'not-nullable', 'must not be null');
    case 'unique':
      return uniqueError(error, await columnsOf(error.constraint ?? ''));
    case 'foreign-key':
      return (
        referrerOf(error, known, models, isDelete) ?? missingReference(error, await columnsOf(error.constraint ?? ''))
      );
    case 'out-of-range':
    case 'bad-value':
    case 'too-long':
    case 'check':
    case 'other':
      return new ApiError('conflict', { detail: `The database rejected this: ${messageOf(error)}.`, cause: error });
    default:
      return error;
  }
}

function uniqueError(error: DatabaseError, columns: readonly string[]): ApiError {
  const others = columns.length > 1 ? `, together with ${columns.slice(1).join(', ')}` : '';
  return atColumns(error, columns, 'already-exists', `another record has this value already${others}`);
}

/** Null where the record itself refers to one that is not there. */
function referrerOf(error: DatabaseError, known: KnownModel, models: DataModels, isDelete: boolean): ApiError | null {
  const referring = models.definition.models.find(({ table }) => table === error.table);
  const isReferrer = isDelete || referring?.name !== known.model.name;
  return referring && isReferrer ? stillReferenced(error, referring.name) : null;
}

function missingReference(error: DatabaseError, columns: readonly string[]): ApiError {
  return atColumns(error, columns, 'reference-not-found', 'there is no record with this id');
}

function stillReferenced(error: DatabaseError, model: string): ApiError {
  return new ApiError('conflict', {
    detail: `Other records still refer to this one (${model}). Delete or change them first.`,
    cause: error,
  });
}

function atColumns(cause: DatabaseError, columns: readonly string[], code: string, message: string): ApiError {
  const errors: readonly InputError[] = columns.slice(0, 1).map((path) => ({ path, code, message, params: {} }));
  if (errors.length > 0) return new ApiError('validation-failed', { errors, cause });
  return new ApiError('conflict', { detail: `The database rejected this: ${messageOf(cause)}.`, cause });
}

/** The columns of the constraint, by the names of their fields. */
export async function columnsOfConstraint(
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

/** Of Postgres, without values: those are in its details. */
function messageOf({ cause }: DatabaseError): string {
  return cause instanceof Error ? cause.message.replace(/\.$/, '') : 'it gave no reason';
}
