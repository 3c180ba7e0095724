/** Whether the database has the tables and columns that this release reads and writes. */
import {
  accountMails,
  LOGIN_FAILURES,
  MAIL_TOKENS,
  passwordAuthOf,
  TOKENS,
  UNVERIFIED,
} from '../../compiler/definition/accounts.ts';
import type { Definition } from '../../compiler/definition/definition.ts';
import { RECEIVED, takesSigned } from '../../compiler/definition/signed-requests.ts';
import type { Connection, Statement } from './database.ts';

const COLUMNS: Statement = {
  name: 'kiln_columns',
  text: `SELECT c.relname, a.attname FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.oid = to_regclass(quote_ident(c.relname)) AND c.relname = ANY($1::text[])`,
  isRepeatable: true,
};

/** Sentences on what is missing, the first ones only: one is enough to know that the database is behind. */
export async function missingInSchema(definition: Definition, connection: Connection): Promise<readonly string[]> {
  const wanted = tablesOf(definition);
  const { rows } = await connection.run(COLUMNS, [[...wanted.keys()]]);
  const found = new Map<string, Set<string>>();
  for (const [table, column] of rows as readonly (readonly [string, string])[]) {
    const columns = found.get(table);
    if (columns) columns.add(column);
    else found.set(table, new Set([column]));
  }
  return [...wanted].flatMap(([table, columns]) => missingIn(table, columns, found.get(table)));
}

function tablesOf(definition: Definition): ReadonlyMap<string, readonly string[]> {
  const tables = definition.models.map(({ table, fields }) => [table, fields.map(({ column }) => column)] as const);
  const received = takesSigned(definition) ? [[RECEIVED, ['key', 'ends_at']] as const] : [];
  return new Map([...tables, ...sessionTables(definition), ...received]);
}

function sessionTables(definition: Definition): readonly (readonly [string, readonly string[]])[] {
  const auth = passwordAuthOf(definition);
  if (auth === null) return [];
  return [
    [TOKENS, ['token_hash', 'user_id', 'expires_at', 'password_digest']],
    [LOGIN_FAILURES, ['key', 'failures', 'ends_at']],
    ...(accountMails(auth).length > 0 ? [[MAIL_TOKENS, MAIL_TOKEN_COLUMNS] as const] : []),
    ...(auth.password.verify ? [[UNVERIFIED, ['user_id']] as const] : []),
  ];
}

const MAIL_TOKEN_COLUMNS = ['token_hash', 'user_id', 'purpose', 'expires_at', 'password_digest'];

function missingIn(
  table: string,
  columns: readonly string[],
  found: ReadonlySet<string> | undefined,
): readonly string[] {
  if (!found) return [`the table \`${table}\` is missing`];
  return columns.filter((column) => !found.has(column)).map((column) => `\`${table}.${column}\` is missing`);
}
