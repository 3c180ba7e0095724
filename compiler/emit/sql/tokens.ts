import type { TableDraft } from './table-from-draft.ts';

/** Who is signed in, for how long. Only the hash of a token is kept, so that a copy of the database opens no account. */
export function tokensDraft(accounts: string, byUuid: boolean): TableDraft {
  const column = { nullable: false, default: null, isCounted: false } as const;
  return {
    // No name of an author begins with `kiln_`.
    name: 'kiln_tokens',
    columns: [
      { ...column, name: 'token_hash', type: 'bytea' },
      { ...column, name: 'user_id', type: byUuid ? 'uuid' : 'bigint' },
      { ...column, name: 'created_at', type: 'timestamptz', default: { kind: 'now' } },
      { ...column, name: 'expires_at', type: 'timestamptz' },
    ],
    primaryKey: ['token_hash'],
    uniques: [],
    foreignKeys: [{ column: 'user_id', to: { table: accounts, column: 'id' }, onDelete: 'cascade' }],
    indexes: [[{ name: 'expires_at', descending: false }]],
  };
}
