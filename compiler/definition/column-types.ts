import type { Scalar } from './definition.ts';
import type { BuiltInType } from './schema.ts';

/** The types of the language, as Postgres has them. */
export const COLUMN_TYPES: Readonly<Record<Scalar, BuiltInType>> = {
  string: 'text',
  integer: 'bigint',
  float: 'double precision',
  boolean: 'boolean',
  decimal: 'numeric',
  timestamp: 'timestamptz',
  date: 'date',
  uuid: 'uuid',
  json: 'jsonb',
};

/** What the catalog of Postgres calls the types of columns, which is not always what a statement calls them. */
export const CATALOG_NAMES: Readonly<Record<BuiltInType, string>> = {
  text: 'text',
  bigint: 'bigint',
  'double precision': 'double precision',
  boolean: 'boolean',
  numeric: 'numeric',
  timestamptz: 'timestamp with time zone',
  date: 'date',
  uuid: 'uuid',
  jsonb: 'jsonb',
  bytea: 'bytea',
};
