import { COLUMN_TYPES } from '../definition/column-types.ts';
import type { Scalar, Type } from '../definition/definition.ts';
import type { ColumnType } from '../definition/schema.ts';

export function columnType({ kind, enum: name }: Type, typeOf: (enumName: string) => string): ColumnType {
  return name === undefined ? COLUMN_TYPES[kind as Scalar] : { enum: typeOf(name) };
}
