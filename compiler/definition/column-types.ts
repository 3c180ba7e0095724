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
