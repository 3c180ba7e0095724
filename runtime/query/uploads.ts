/** Uploads that wait for a record which takes them. */
import { UPLOAD_TABLE } from '../../compiler/definition/files.ts';
import { integer, quotedName, sql } from '../../compiler/definition/sql/sql.ts';
import type { Bound } from './database.ts';
import { type Given, given, type QueryScope, run } from './prepared.ts';
import type { Statements } from './statements.ts';

const TABLE = quotedName(UPLOAD_TABLE);

/** So many of one caller may wait. */
const MOST_PENDING = 100;

/** What the owner of an upload begins with if nobody was signed in. Whoever knows its id may use it. */
export const NOBODY = 'nobody ';

interface Offered extends UploadKey {
  readonly name: Bound;
  readonly type: Bound;
  readonly size: Bound;
}

/** Which upload is meant, who uses it, and what for. */
export interface UploadKey extends Given {
  readonly id: Bound;
  readonly owner: Bound;
  readonly model: Bound;
  readonly field: Bound;
}

/** Stores an upload that is to come. False where too many wait. */
export function offering(statements: Statements) {
  const values = sql`${given('id', 'uuid')}, ${given('owner', 'text')}, ${given('model', 'text')}, ${given('field', 'text')}, ${given('name', 'text')}, ${given('type', 'text')}, ${given('size', 'bigint')}`;
  const pending = sql`SELECT count(*) FROM ${TABLE} WHERE "owner" = ${given('owner', 'text')} AND NOT "attached"`;
  const statement = statements.add(
    sql`INSERT INTO ${TABLE} ("id", "owner", "model", "field", "name", "type", "size")
      SELECT ${values} WHERE (${pending}) < ${integer(MOST_PENDING)} RETURNING true`,
    false,
  );
  return async (scope: QueryScope, upload: Offered): Promise<boolean> =>
    (await run(statement, scope, upload)).rows.length > 0;
}

/** Finds an upload that its caller may use, and lets a record take it, which no other one can then. */
export function pendingUploads(statements: Statements) {
  const owner = given('owner', 'text');
  const isMeant = sql`"id" = ${given('id', 'uuid')} AND "model" = ${given('model', 'text')} AND "field" = ${given('field', 'text')} AND NOT "attached" AND ("owner" = ${owner} OR starts_with("owner", ${given('nobody', 'text')}))`;
  const finding = statements.add(sql`SELECT "name", "type", "size" FROM ${TABLE} WHERE ${isMeant}`, true);
  const taking = statements.add(sql`UPDATE ${TABLE} SET "attached" = true WHERE ${isMeant} RETURNING true`, false);
  return {
    async find(scope: QueryScope, key: UploadKey) {
      const { rows } = await run(finding, scope, { ...key, nobody: NOBODY });
      const [row] = rows;
      return row ? { name: row.text(0) ?? '', type: row.text(1) ?? '', size: Number(row.text(2)) } : null;
    },
    take: async (scope: QueryScope, key: UploadKey): Promise<boolean> =>
      (await run(taking, scope, { ...key, nobody: NOBODY })).rows.length > 0,
  };
}
