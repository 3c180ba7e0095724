/** What the code of hooks is given beside its arguments. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Value } from '../values/value.ts';

export interface HookContext {
  /** Express's own. */
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The authenticated record without its secrets. */
  readonly auth: Readonly<Record<string, Value>> | null;
  readonly log: Logger;
  /** The request's transaction, with the application's models bound to it. */
  readonly db: HookDatabase;
}

export type HookDatabase = Knex.Transaction & { readonly models: Readonly<Record<string, unknown>> };
