/** The account of a token, and the tokens themselves. Only hashes of tokens are known here. */

import {
  accountMails,
  LOGIN_FAILURES,
  MAIL_TOKENS,
  passwordAuthOf,
  TOKENS,
} from '../../compiler/definition/accounts.ts';
import type { Definition, Field, Model } from '../../compiler/definition/definition.ts';
import type { Read, Selected } from '../../compiler/definition/expression.ts';
import { hasFiles } from '../../compiler/definition/files.ts';
import { RECEIVED, takesSigned } from '../../compiler/definition/signed-requests.ts';
import { Frame, type Row } from '../../compiler/definition/sql/frame.ts';
import { integer, joined, type Name, quotedName, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { timestampFromPostgres } from '../values/moment.ts';
import type { Bound, Connection, Statement } from './database.ts';
import { type Given, given, type QueryScope, run } from './prepared.ts';
import { Columns, partsOf } from './selection.ts';
import { fillIn, Gathering, objectFromRow, type Target } from './shape.ts';
import type { Statements } from './statements.ts';

/** The values of the account: for expressions, and for the code of hooks. */
export interface Account {
  readonly reads: Target;
  readonly profile: Target;
}

export type AccountLookup = (scope: QueryScope, key: Bound) => Promise<Account | null>;

interface AccountWants {
  readonly reads: readonly Read[];
  readonly profile: readonly Selected[];
}

/**
 * Finds an account by the hash of a valid token. `password` is the field whose value the token was issued for: the
 * token ends when that value changes.
 */
export function accountByToken(
  model: Model,
  password: Field,
  wants: AccountWants,
  statements: Statements,
): AccountLookup {
  const frame = new Frame(statements.building());
  frame.addSource(sql`"kiln_tokens" AS token`);
  const row = frame.join(model.name, (account) => sql`${account.id} = token."user_id"`);
  frame.where(sql`token."token_hash" = ${given('key', 'bytea')}`);
  frame.where(sql`token."expires_at" > now()`);
  frame.where(sql`token."password_digest" = sha256(convert_to(${row.field(password.name)}, 'UTF8'))`);
  return lookupIn(row, wants, statements);
}

/**
 * Finds an account by the value of a unique field. `isLocked` keeps others from changing it until the transaction is
 * over.
 */
export function accountByField(
  model: Model,
  field: Field,
  wants: AccountWants,
  statements: Statements,
  isLocked = false,
): AccountLookup {
  const frame = new Frame(statements.building());
  const row = frame.add(model.name);
  frame.where(sql`${row.field(field.name)} = ${given('key', statements.catalogue.sqlType(field.type))}`);
  return lookupIn(row, wants, statements, isLocked);
}

function lookupIn(row: Row, { reads, profile }: AccountWants, statements: Statements, isLocked = false): AccountLookup {
  const columns = new Columns();
  const readParts = partsOf(reads, row, columns, statements);
  const profileParts = partsOf(profile, row, columns, statements);
  const statement = statements.select(row, columns.list, isLocked ? { lock: [row] } : {});
  return async (scope, key) => {
    const { rows } = await run(statement, scope, { key });
    const found = rows[0];
    if (!found) return null;
    const gathering = new Gathering();
    const account = {
      reads: objectFromRow(found, readParts, gathering),
      profile: objectFromRow(found, profileParts, gathering),
    };
    await fillIn(gathering, scope);
    return account;
  };
}

// ── Tokens ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A token that is to be stored. */
interface NewToken {
  readonly hash: Bound;
  readonly account: Bound;
  readonly seconds: number;
  /** The digest of the password hash that it is issued for. */
  readonly digest: Bound;
  /** The values of `TokenOptions.alongside`. */
  readonly alongside: Given;
}

export interface Tokens {
  /** Gives the moment at which the token ends. Tokens of the account that have ended go away. */
  add(scope: QueryScope, token: NewToken): Promise<string>;
  remove(scope: QueryScope, hash: Bound): Promise<void>;
}

interface TokenOptions {
  readonly idType: Sql;
  /** Names and statements that are carried out with the one that adds a token. */
  readonly alongside: readonly (readonly [Sql, Sql])[];
}

export function tokensOf({ idType, alongside }: TokenOptions, statements: Statements): Tokens {
  const account = given('account', idType);
  const digest = given('digest', 'bytea');
  const isOver = sql`"expires_at" <= now() OR "password_digest" IS DISTINCT FROM ${digest}`;
  const cleanUp = sql`DELETE FROM "kiln_tokens" WHERE "user_id" = ${account} AND (${isOver})`;
  const before = [[sql`ended`, cleanUp] as const, ...alongside].map(([name, piece]) => sql`${name} AS (${piece})`);
  const expiry = sql`now() + make_interval(secs => ${given('seconds', 'double precision')})`;
  const values = sql`${given('hash', 'bytea')}, ${account}, ${expiry}, ${digest}`;
  const columns = sql`"token_hash", "user_id", "expires_at", "password_digest"`;
  const insert = sql`INSERT INTO "kiln_tokens" (${columns}) VALUES (${values}) RETURNING "expires_at"`;
  const add = statements.add(sql`WITH ${joined(before, ', ')} ${insert}`, false);
  const remove = statements.add(sql`DELETE FROM "kiln_tokens" WHERE "token_hash" = ${given('hash', 'bytea')}`, false);
  return {
    async add(scope, { alongside: more, seconds, ...token }) {
      const { rows } = await run(add, scope, { ...more, ...token, seconds: String(seconds) });
      return timestampFromPostgres(rows[0]?.text(0) as string);
    },
    async remove(scope, hash) {
      await run(remove, scope, { hash });
    },
  };
}

// Rows of Kiln's own tables that are over. They are removed some at a time, so that no statement takes long.

const MOST_REMOVED = 1000;

export function expiredRowsIn(definition: Definition): readonly Statement[] {
  const auth = passwordAuthOf(definition);
  const ofMails = auth !== null && accountMails(auth).length > 0;
  const byToken = [...(auth ? [TOKENS] : []), ...(ofMails ? [MAIL_TOKENS] : [])];
  const byKey = [...(auth ? [LOGIN_FAILURES] : []), ...(takesSigned(definition) ? [RECEIVED] : [])];
  return [
    ...byToken.map((table) => removal(table, quotedName('token_hash'), quotedName('expires_at'))),
    ...byKey.map((table) => removal(table, quotedName('key'), quotedName('ends_at'))),
    ...(hasFiles(definition) ? [UPLOAD_REMOVAL] : []),
  ];
}

/** The address of an upload is valid for less. Bytes that a record has taken are kept apart from those that were sent. */
const OLD = sql`"created_at" < now() - interval '1 day' OR "attached" AND "created_at" < now() - interval '20 minutes'`;
const OLD_UPLOADS = sql`SELECT "id" FROM "kiln_uploads" WHERE ${OLD} ORDER BY "created_at" LIMIT ${integer(MOST_REMOVED)} FOR UPDATE SKIP LOCKED`;

/**
 * Uploads become two jobs that remove their bytes: all of them, or only what was sent where records have taken them. A store
 * removes many at once faster than one by one.
 */
const UPLOAD_REMOVAL: Statement = {
  name: 'kiln_expired_uploads',
  text: sql`WITH gone AS (DELETE FROM "kiln_uploads" WHERE "id" = ANY (ARRAY(${OLD_UPLOADS})) RETURNING "id", "attached"),
jobs AS (INSERT INTO "kiln_jobs" ("kind", "input", "due_at", "depth")
SELECT 'remove file(file string)', jsonb_build_object('file', CASE WHEN "attached" THEN 'uploads/' ELSE '' END || string_agg("id"::text, ' ')), now(), 0
FROM gone GROUP BY "attached")
SELECT FROM gone`.text,
  isRepeatable: true,
};

/** Removes expired rows, except those that another server is removing at the same time. */
function removal(name: string, key: Name, end: Name): Statement {
  const table = quotedName(name);
  const limit = integer(MOST_REMOVED);
  const over = sql`SELECT ${key} FROM ${table} WHERE ${end} <= now() ORDER BY ${end} LIMIT ${limit} FOR UPDATE SKIP LOCKED`;
  const { text } = sql`DELETE FROM ${table} WHERE ${key} = ANY (ARRAY(${over}))`;
  return { name: `kiln_expired_${name}`, text, isRepeatable: true };
}

/** Whether there may be more of them. */
export async function removeExpired(statements: readonly Statement[], connection: Connection): Promise<boolean> {
  let isMore = false;
  for (const statement of statements) {
    const { count } = await connection.run(statement, []);
    if (count >= MOST_REMOVED) isMore = true;
  }
  return isMore;
}
