/**
 * Files of records. What the console has uploaded waits in the table of uploads, as what other callers upload does, but
 * the rules of the field (`accept`, `max`) are not applied.
 */
import { randomUUID } from 'node:crypto';
import { type StoredFile, UPLOAD_TABLE } from '../../../compiler/definition/files.ts';
import { quotedName } from '../../../compiler/definition/sql/names.ts';
import { sql } from '../../../compiler/definition/sql/sql.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { FileStore } from '../../files/store.ts';
import type { DataConnection } from '../../query/database.ts';
import { canonicalUuid } from '../../values/uuid.ts';
import { columnOf, type KnownModel, type ShownColumn } from './data-models.ts';
import { execute, text } from './data-statements.ts';
import { idCondition, missingRecord } from './record-view.ts';

const TABLE = quotedName(UPLOAD_TABLE);
/** No other caller is called so: the others have a model and an id, or an address. */
const OWNER = text('console');

/** Throws an ApiError where the column is no file. */
export function fileColumn(known: KnownModel, name: string): ShownColumn {
  const column = columnOf(known, name);
  if (column.form.type === 'file') return column;
  throw new ApiError('malformed-request', { detail: `\`${name}\` of \`${known.model.name}\` is no file.` });
}

/** Says where the browser sends a file. */
export async function offerUpload(
  connection: DataConnection,
  { model }: KnownModel,
  { form }: ShownColumn,
  body: Readonly<Record<string, unknown>>,
  store: FileStore,
): Promise<object> {
  const { name, type, size } = body;
  if (typeof name !== 'string' || typeof type !== 'string' || !Number.isSafeInteger(size) || (size as number) < 1)
    throw new ApiError('malformed-request', { detail: 'The body must have the `name`, `type` and `size` of a file.' });
  const id = randomUUID();
  const address = await store.uploadAddress(id, { type, size: size as number });
  await execute(
    connection,
    sql`INSERT INTO ${TABLE} ("id", "owner", "model", "field", "name", "type", "size") VALUES (${text(id)}::uuid, ${OWNER}, ${text(model.name)}, ${text(form.name)}, ${text(name)}, ${text(type)}, ${text(String(size))}::bigint)`,
  );
  return { file: id, ...address };
}

/** The value that a record stores for an upload, which no other record can take then. */
export async function takenUpload(
  connection: DataConnection,
  { model }: KnownModel,
  { form: { name: path } }: ShownColumn,
  id: string,
  store: FileStore,
): Promise<string> {
  const { rows } = await execute(
    connection,
    sql`UPDATE ${TABLE} SET "attached" = true WHERE "id" = ${text(canonicalUuid(id) ?? '')}::uuid AND "owner" = ${OWNER} AND "model" = ${text(model.name)} AND "field" = ${text(path)} AND NOT "attached" RETURNING "name", "type", "size"`,
  );
  const [row] = rows;
  if (row && (await store.keep(id, () => undefined)))
    return JSON.stringify({ id, name: row.text(0), type: row.text(1), size: Number(row.text(2)) } as StoredFile);
  const errors = [{ path, code: 'file-missing', message: 'must be uploaded again', params: {} }];
  throw new ApiError('validation-failed', { errors });
}

export async function storedFile(
  connection: DataConnection,
  known: KnownModel,
  { place }: ShownColumn,
  id: string,
): Promise<StoredFile> {
  const { rows } = await execute(
    connection,
    sql`SELECT ${place(sql`"#row"`)} FROM ${known.table} AS "#row" WHERE ${idCondition(known, id, sql`"#row"`)}`,
  );
  const found = rows[0]?.text(0);
  if (!found) throw missingRecord(known, id);
  return JSON.parse(found) as StoredFile;
}
