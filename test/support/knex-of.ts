import type { Knex } from 'knex';
import pino from 'pino';
import { knexInTransaction } from '../../runtime/hooks/objection-models.ts';
import type { Transaction } from '../../runtime/query/database.ts';

const SETTINGS = { columnOf: (name: string) => name, log: pino({ level: 'silent' }) };

/** Knex as the code of a hook has it. */
export function knexOf(transaction: Transaction): Knex.Transaction {
  return knexInTransaction({ ...SETTINGS, session: () => transaction.session() });
}
