/** The context that the code of hooks gets beside its arguments. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Knex } from 'knex';
import type { Model, ModelClass } from 'objection';
import type { Logger } from 'pino';
import type { StoredFile } from '../../compiler/definition/files.ts';
import type { SettingValues } from '../values/settings.ts';
import type { Value } from '../values/value.ts';

export interface HookContext {
  /** The objects of Express. */
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The authenticated record without its secrets. */
  readonly auth: Readonly<Record<string, Value>> | null;
  readonly settings: SettingValues;
  readonly log: Logger;
  /** Of a `call`: the same each time that a client repeats a request under one `Idempotency-Key`. */
  readonly call?: { readonly id: string };
  /** Of a job, which has neither a request nor a response. Its id is the same for each try. */
  readonly job?: { readonly id: string; readonly attempt: number; readonly signal: AbortSignal };
  /** The models of the application in the request's transaction. A `call` has none. */
  readonly db: HookDatabase;
}

/** The models by name; and `knex` for SQL and `files` for their bytes, unless a model has that name. */
export type HookDatabase = Readonly<Record<string, ModelClass<Model>>> & {
  readonly knex: Knex.Transaction;
  readonly files: HookFiles | undefined;
};

/** The bytes of files. */
export interface HookFiles {
  read(file: StoredFile): Promise<Readable>;
  /** Stores a file. A record has to take the value that it gives. */
  write(file: { readonly name: string; readonly type: string; readonly bytes: Uint8Array }): Promise<StoredFile>;
}
