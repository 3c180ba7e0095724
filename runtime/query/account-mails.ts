/** The tokens that mails bring to accounts, as hashes, and the jobs that send these mails. */
import { type PasswordAuth, type Purpose, TOKEN_TIMES } from '../../compiler/definition/accounts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import type { AccountMail } from '../../compiler/definition/endpoint.ts';
import { integer, type Sql, sql } from '../../compiler/definition/sql/sql.ts';
import { type Job, jobKind, jobsByName } from '../../compiler/definition/work.ts';
import type { Bound, DataConnection } from './database.ts';
import { bound, type Given, given, type Prepared, run, scopeOn } from './prepared.ts';
import type { Statements } from './statements.ts';

export interface AccountTools {
  readonly definition: Definition;
  readonly auth: PasswordAuth;
  readonly statements: Statements;
}

/** The values are those that its text asks for. The number is that of the rows which it changed or found. */
type Changing = (connection: DataConnection, values: Given) => Promise<number>;

function changing(statement: Prepared): Changing {
  return async (connection, values) => (await run(statement, scopeOn(connection), values)).count;
}

/** The account with this `login`. */
function byLogin({ auth, statements: { catalogue } }: AccountTools): Sql {
  const model = catalogue.model(auth.model);
  const { login } = auth.password;
  const value = given('login', catalogue.sqlType(model.field(login).type));
  return sql`FROM ${model.table} AS account WHERE account.${model.column(login)} = ${value}`;
}

const IS_UNVERIFIED = sql`EXISTS (SELECT FROM "kiln_unverified" AS unverified WHERE unverified."user_id" = account."id")`;

/** Stores the mail for the account with this `login`, if there is one; with `isUnverified`, only if it is not verified. */
export function mailStoring(tools: AccountTools, { mail, account }: AccountMail, isUnverified = false): Changing {
  const { definition, statements } = tools;
  const kind = jobKind(jobsByName(definition).get(mail) as Job, definition);
  const input = sql`jsonb_build_object(${bound(() => account, 'text')}, account."id")`;
  const condition = isUnverified ? sql` AND ${IS_UNVERIFIED}` : sql``;
  const insert = sql`INSERT INTO "kiln_jobs" ("kind", "input") SELECT ${bound(() => kind, 'text')}, ${input}`;
  return changing(statements.add(sql`${insert} ${byLogin(tools)}${condition}`, false));
}

/** Notes that the address of the account with this `login` is not verified. */
export function unverifying(tools: AccountTools): Changing {
  const insert = sql`INSERT INTO "kiln_unverified" ("user_id") SELECT account."id" ${byLogin(tools)}`;
  return changing(tools.statements.add(insert, false));
}

/** Counts the account with this `id` if its address is not verified. */
export function unverifiedCount({ auth, statements }: AccountTools): Changing {
  const account = given('id', idType(auth, statements));
  return changing(statements.add(sql`SELECT FROM "kiln_unverified" WHERE "user_id" = ${account}`, true));
}

export function mailTokens({ auth, statements }: AccountTools, purpose: Purpose) {
  const model = statements.catalogue.model(auth.model);
  const [hash, id] = [given('hash', 'bytea'), given('id', idType(auth, statements))];
  const own = bound(() => purpose, 'text');
  const { hash: password, login } = auth.password;
  // A mail to a mistyped address is worth nothing after the address was corrected.
  const state = sql`account.${model.column(password)} || ' ' || account.${model.column(login)}`;
  const digest = sql`sha256(convert_to(${state}, 'UTF8'))`;
  const expiry = sql`now() + make_interval(secs => ${integer(TOKEN_TIMES[purpose])})`;
  const add = sql`INSERT INTO "kiln_mail_tokens" ("token_hash", "user_id", "purpose", "expires_at", "password_digest")
    SELECT ${hash}, account."id", ${own}, ${expiry}, ${digest} FROM ${model.table} AS account WHERE account."id" = ${id}`;
  const find = statements.add(
    sql`SELECT account."id" FROM "kiln_mail_tokens" AS token JOIN ${model.table} AS account ON account."id" = token."user_id"
      WHERE token."token_hash" = ${hash} AND token."purpose" = ${own} AND token."expires_at" > now()
        AND token."password_digest" = ${digest}`,
    true,
  );
  const verified = sql`, verified AS (DELETE FROM "kiln_unverified" WHERE "user_id" = ${id})`;
  const use = sql`WITH used AS (
      DELETE FROM "kiln_mail_tokens" WHERE "user_id" = ${id} AND "purpose" = ${own} RETURNING "token_hash"
    )${auth.password.verify ? verified : sql``} SELECT FROM used WHERE "token_hash" = ${hash}`;
  return {
    /** Stores the `hash` of a token for the account with this `id`, if it exists. */
    add: changing(statements.add(add, false)),
    /** The id of the account; null for a token that is wrong, was used or is over. */
    find: async (connection: DataConnection, value: Bound) =>
      (await run(find, scopeOn(connection), { hash: value })).rows[0]?.text(0) ?? null,
    /**
     * Removes the tokens of the account with this `id`, whose address is verified from then on. Zero if the one with this
     * `hash` is gone.
     */
    use: changing(statements.add(use, false)),
  };
}

function idType({ model }: PasswordAuth, { catalogue }: Statements): Sql {
  return catalogue.sqlType(catalogue.model(model).field('id').type);
}
