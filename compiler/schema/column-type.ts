import type { Scalar, Type } from '../definition/definition.ts';
import { SCALARS } from '../definition/scalars.ts';
import type { ColumnType } from '../definition/schema.ts';

export function columnType({ kind, enum: name }: Type, typeOf: (enumName: string) => string): ColumnType {
  return name === undefined ? SCALARS[kind as Scalar].column : { enum: typeOf(name) };
}
