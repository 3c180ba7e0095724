/** The types of the language, as Postgres has them. */
import type { Scalar, Type } from '../../definition/definition.ts';
import type { BuiltInType, ColumnType } from '../../definition/schema.ts';

export function columnType({ kind, enum: name }: Type, typeOf: (enumName: string) => string): ColumnType {
  return name === undefined ? TYPES[kind as Scalar] : { enum: typeOf(name) };
}

const TYPES: Readonly<Record<Scalar, BuiltInType>> = {
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
