/** The tables that Kiln keeps beside those of the models, for login by password. */
import { hasBoundTokens, LOGIN_FAILURES, type PasswordAuth, TOKENS } from '../definition/accounts.ts';
import type { ColumnDraft, TableDraft } from './table-from-draft.ts';

export function sessionTables(auth: PasswordAuth, accounts: string, byUuid: boolean): readonly TableDraft[] {
  const isBound = hasBoundTokens(auth);
  return [tokensDraft(accounts, byUuid, isBound), ...(isBound ? [FAILURES] : [])];
}

const COLUMN = { nullable: false, default: null, isCounted: false } as const;

/**
 * Who is signed in, for how long. Only the hash of a token is kept, so that a copy of the database opens no account.
 * `password_digest` is a digest of the password hash at login. When the hash changes, it no longer matches, and the
 * token is invalid.
 */
function tokensDraft(accounts: string, byUuid: boolean, isBound: boolean): TableDraft {
  // Servers of an earlier release, which may still run beside those of this one, do not know the column.
  const digest: ColumnDraft = { ...COLUMN, name: 'password_digest', type: 'bytea', nullable: true };
  return {
    name: TOKENS,
    columns: [
      { ...COLUMN, name: 'token_hash', type: 'bytea' },
      { ...COLUMN, name: 'user_id', type: byUuid ? 'uuid' : 'bigint' },
      { ...COLUMN, name: 'created_at', type: 'timestamptz', default: { kind: 'now' } },
      { ...COLUMN, name: 'expires_at', type: 'timestamptz' },
      ...(isBound ? [digest] : []),
    ],
    primaryKey: ['token_hash'],
    uniques: [],
    foreignKeys: [{ column: 'user_id', to: { table: accounts, column: 'id' }, onDelete: 'cascade' }],
    indexes: [[{ name: 'expires_at', descending: false }]],
  };
}

/** Failed logins. A key is a hash of who has failed, and `ends_at` is when that is forgotten. */
const FAILURES: TableDraft = {
  name: LOGIN_FAILURES,
  columns: [
    { ...COLUMN, name: 'key', type: 'bytea' },
    { ...COLUMN, name: 'failures', type: 'bigint' },
    { ...COLUMN, name: 'ends_at', type: 'timestamptz' },
  ],
  primaryKey: ['key'],
  uniques: [],
  foreignKeys: [],
  indexes: [[{ name: 'ends_at', descending: false }]],
};
