import type { HookDatabase } from '../hooks/context.ts';
import type { Transaction } from '../query/database.ts';
import type { ObjectionModels } from '../query/objection-models.ts';

/** The transaction as knex knows it, and beside it the models of the application, each bound when it is asked for. */
export function hookDatabase({ knex }: Transaction, models: ObjectionModels): HookDatabase {
  const bound = new Proxy(models, {
    get: (all, name) => (typeof name === 'string' ? all[name]?.bindTransaction(knex) : undefined),
  });
  return Object.assign(knex, { models: bound });
}
